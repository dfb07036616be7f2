// Turns 64-byte words of the host into a stream.

module taco_word_unpack
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Depth = 2  // words that wait for the stream
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             word_valid_i,
  output logic                             word_ready_o,
  input  word_t                            word_i,
  output logic                             valid_o,
  input  logic                             ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] data_o
);
  localparam int unsigned Beats = WordCoeffs / Lanes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;

  logic [Beats-1:0][Lanes-1:0][CoeffWidth-1:0] beats;
  logic [BeatWidth-1:0]   beat_q;
  logic                   last_beat;
  logic [$clog2(Depth):0] unused_level;

  assign last_beat = beat_q == BeatWidth'(Beats - 1);
  taco_fifo #(.Width(WordWidth), .Depth(Depth)) u_fifo (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(word_valid_i), .in_ready_o(word_ready_o), .in_data_i(word_i),
    .out_valid_o(valid_o), .out_ready_i(ready_i && last_beat), .out_data_o(beats),
    .level_o(unused_level)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else if (valid_o && ready_i) beat_q <= last_beat ? '0 : beat_q + 1'b1;
  end
  assign data_o = beats[beat_q];
endmodule
