// Which twiddles a step of a stage needs, combinational. Stages and steps: taco_ntt_word.
//
// Group g of stage s uses the power at index 2^s + g (SEAL's bit-reversed order) forward. The
// inverse needs -1/w of it: with psi^N = -1 and bit reversal commuting with complement, that is the
// power of the mirrored group, at index 2^s + (2^s - 1 - g). lane_o is the place of the first
// group's twiddle in its word; group k of the same buffer word is at lane_o ^ k in both directions.

module taco_ntt_twiddle #(
  parameter int unsigned MaxLogN = 13,
  parameter int unsigned LogCoeffs = 3,    // log2 of coefficients in a buffer word
  parameter int unsigned LogTwiddles = 3,  // log2 of twiddles in a twiddle word
  parameter int unsigned AddrWidth = MaxLogN - LogCoeffs,
  parameter int unsigned TwiddleAddrWidth = MaxLogN - LogTwiddles
) (
  input  logic [taco_pkg::LogNWidth-1:0] stage_i,
  input  logic [taco_pkg::LogNWidth-1:0] log_gap_i,
  input  logic                           inverse_i,
  input  logic [AddrWidth-1:0]           step_i,
  output logic [TwiddleAddrWidth-1:0]    word_o,
  output logic [LogTwiddles-1:0]         lane_o
);
  import taco_pkg::LogNWidth;

  logic [MaxLogN-1:0] groups, group;

  assign groups = MaxLogN'(1) << stage_i;
  // outer: group of pair step / 2, gap / Coeffs pairs in each; inner: Coeffs / (2 gap) a word
  assign group = log_gap_i >= LogNWidth'(LogCoeffs)
               ? MaxLogN'(step_i >> 1) >> (log_gap_i - LogNWidth'(LogCoeffs))
               : MaxLogN'(step_i) << (LogNWidth'(LogCoeffs - 1) - log_gap_i);
  assign {word_o, lane_o} = groups | (inverse_i ? ~group & (groups - 1'b1) : group);
endmodule
