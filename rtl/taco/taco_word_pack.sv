// Collects a stream into 64-byte words for the host, and counts until a polynomial has gone.

module taco_word_pack
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Depth = 4  // words that wait for the host
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             start_i,
  input  logic [LogNWidth-1:0]             log_n_i,
  output logic                             busy_o,  // until the host took the last word
  input  logic                             valid_i,
  output logic                             ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0] data_i,
  output logic                             word_valid_o,
  input  logic                             word_ready_i,
  output word_t                            word_o
);
  localparam int unsigned Beats = WordCoeffs / Lanes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;

  logic [Beats-1:0][Lanes-1:0][CoeffWidth-1:0] beats_q, beats_d;
  logic [BeatWidth-1:0] beat_q;
  logic [LogNMax-3:0]   left_q;
  logic                 last_beat, fifo_ready;

  assign last_beat = beat_q == BeatWidth'(Beats - 1);
  assign ready_o = fifo_ready;  // as a word may be complete with any beat

  always_comb begin
    beats_d = beats_q;
    beats_d[beat_q] = data_i;
  end
  always_ff @(posedge clk_i) begin
    if (valid_i && ready_o && !last_beat) beats_q[beat_q] <= data_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (valid_i && ready_o) beat_q <= last_beat ? '0 : beat_q + 1'b1;
  end

  logic [$clog2(Depth):0] unused_level;
  taco_fifo #(.Width(WordWidth), .Depth(Depth)) u_fifo (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(valid_i && last_beat), .in_ready_o(fifo_ready), .in_data_i(beats_d),
    .out_valid_o(word_valid_o), .out_ready_i(word_ready_i), .out_data_o(word_o),
    .level_o(unused_level)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (start_i) left_q <= (LogNMax-2)'(1) << (log_n_i - LogNWidth'($clog2(WordCoeffs)));
    else if (word_valid_o && word_ready_i) left_q <= left_q - 1'b1;
  end
  assign busy_o = left_q != '0;
endmodule
