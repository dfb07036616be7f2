// Fills a buffer with a polynomial from a stream, Lanes coefficients a beat, in index order.
//
// Beats collect in registers; the last one of a word is written together with them. While hold_i is
// high, that last beat is not taken: the word at word_o is still to be read by somebody.

module taco_buffer_writer
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Coeffs = WordCoeffs,
  parameter int unsigned MaxLogN = 13,
  parameter int unsigned AddrWidth = MaxLogN - $clog2(Coeffs)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  input  logic [LogNWidth-1:0] log_n_i,
  output logic                 busy_o,
  output logic [AddrWidth-1:0] word_o,
  input  logic                 hold_i,

  input  logic                             valid_i,
  output logic                             ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0] data_i,

  output logic                              write_o,
  output logic [AddrWidth-1:0]              write_addr_o,
  output logic [Coeffs-1:0][CoeffWidth-1:0] write_data_o
);
  localparam int unsigned Beats = Coeffs / Lanes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;

  logic                                        busy_q;
  logic [AddrWidth-1:0]                        word_q, last_word;
  logic [BeatWidth-1:0]                        beat_q;
  logic [Beats-1:0][Lanes-1:0][CoeffWidth-1:0] beats_q, beats_d;
  logic                                        last_beat, take;

  assign last_word = AddrWidth'((32'd1 << (log_n_i - LogNWidth'($clog2(Coeffs)))) - 1);
  assign last_beat = beat_q == BeatWidth'(Beats - 1);
  assign ready_o = busy_q && !(last_beat && hold_i);
  assign take = valid_i && ready_o;

  always_comb begin
    beats_d = beats_q;
    beats_d[beat_q] = data_i;
  end
  always_ff @(posedge clk_i) begin
    if (take && !last_beat) beats_q[beat_q] <= data_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      word_q <= '0;
      beat_q <= '0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      word_q <= '0;
      beat_q <= '0;
    end else if (take) begin
      beat_q <= last_beat ? '0 : beat_q + 1'b1;
      if (last_beat) begin
        busy_q <= word_q != last_word;
        word_q <= word_q + 1'b1;
      end
    end
  end

  assign write_o = take && last_beat;
  assign write_addr_o = word_q;
  assign write_data_o = beats_d;
  assign busy_o = busy_q;
  assign word_o = word_q;
endmodule
