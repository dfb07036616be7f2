// Which word of the polynomial buffer a step of a stage reads or writes, combinational.
//
// Stage s works on 2^s groups of 2 gap coefficients, gap = N / 2^(s+1). The order of the words:
//   outer stages (gap >= Coeffs, the words of a butterfly's operands differ): words come in pairs,
//     u's word then v's word; pair p = step / 2 belongs to group p / (gap / Coeffs)
//   inner stages (gap < Coeffs, both operands in one word): one word after the other

module taco_ntt_word #(
  parameter int unsigned LogCoeffs = 3,  // log2 of coefficients in a buffer word
  parameter int unsigned AddrWidth = 10
) (
  input  logic [taco_pkg::LogNWidth-1:0] log_gap_i,
  input  logic [AddrWidth-1:0]           step_i,
  output logic [AddrWidth-1:0]           word_o
);
  import taco_pkg::LogNWidth;

  logic [LogNWidth-1:0] log_words;  // log2 of the words between u and v, outer stages
  logic [AddrWidth-1:0] pair, group, offset;

  assign log_words = log_gap_i - LogNWidth'(LogCoeffs);
  assign pair      = step_i >> 1;
  assign group     = pair >> log_words;
  assign offset    = pair & ~({AddrWidth{1'b1}} << log_words);

  assign word_o = log_gap_i < LogNWidth'(LogCoeffs) ? step_i
                : (((group << 1) | AddrWidth'(step_i[0])) << log_words) | offset;
endmodule
