// Streams a polynomial out of a buffer, Lanes coefficients a beat, in index order.
//
// The buffer's read port holds its data until the next read, so it serves as the output register:
// a beat selects its lanes from it, and the last beat of a word starts the next read. No beat is
// lost between words. word_o names the word that the port holds: it and all before are free to be
// overwritten.

module taco_buffer_reader
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

  output logic                              read_o,
  output logic [AddrWidth-1:0]              read_addr_o,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] read_data_i,

  output logic                             valid_o,
  input  logic                             ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] data_o
);
  localparam int unsigned Beats = Coeffs / Lanes;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 1;

  logic                                         busy_q;
  logic [AddrWidth-1:0]                         word_q, last_word;
  logic [BeatWidth-1:0]                         beat_q;
  logic [Beats-1:0][Lanes-1:0][CoeffWidth-1:0]  beats;
  logic                                         word_end;

  assign last_word = AddrWidth'((32'd1 << (log_n_i - LogNWidth'($clog2(Coeffs)))) - 1);
  assign word_end = busy_q && ready_i && beat_q == BeatWidth'(Beats - 1);
  assign read_o = start_i || (word_end && word_q != last_word);
  assign read_addr_o = start_i ? '0 : word_q + 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      word_q <= '0;
      beat_q <= '0;
    end else if (start_i) begin
      busy_q <= 1'b1;
      word_q <= '0;
      beat_q <= '0;
    end else if (busy_q && ready_i) begin
      beat_q <= word_end ? '0 : beat_q + 1'b1;
      if (word_end) begin
        busy_q <= word_q != last_word;
        if (word_q != last_word) word_q <= word_q + 1'b1;
      end
    end
  end

  assign beats = read_data_i;
  assign data_o = beats[beat_q];
  assign valid_o = busy_q;
  assign busy_o = busy_q;
  assign word_o = word_q;
endmodule
