// Arranges words from the polynomial buffer into operands of the butterflies.
//
// Outer stages: u's word, then v's word arrive; their Coeffs butterflies share one twiddle and are
// fed Butterflies at a time. Inner stages: each word holds Coeffs / 2 butterflies; butterfly b has
// its operands gap apart, at 2 gap (b / gap) + b % gap, and the twiddle of group b / gap.
//
// Operands wait in shift registers: loaded as words, shifted by Butterflies lanes a cycle.

module taco_ntt_feed
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned Coeffs = 8,
  parameter int unsigned Twiddles = 8
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   outer_i,
  input  logic [$clog2($clog2(Coeffs))-1:0]      gap_index_i,
  input  logic                                   word_valid_i,
  input  logic                                   word_second_i,  // v's word of a pair
  input  logic [Coeffs-1:0][CoeffWidth-1:0]      word_i,
  input  logic [$clog2(Twiddles)-1:0]            twiddle_lane_i,
  input  logic [Twiddles-1:0][CoeffWidth-1:0]    twiddle_word_i,
  output logic                                   valid_o,
  output logic [Butterflies-1:0][PrimeWidth-1:0] u_o,
  output logic [Butterflies-1:0][PrimeWidth-1:0] v_o,
  output logic [Butterflies-1:0][PrimeWidth-1:0] twiddle_o
);
  localparam int unsigned LogCoeffs = $clog2(Coeffs);
  localparam int unsigned LogTwiddles = $clog2(Twiddles);
  localparam int unsigned Half = Coeffs / 2;
  localparam int unsigned OuterCycles = Coeffs / Butterflies;
  localparam int unsigned InnerCycles = Half / Butterflies;
  // With one cycle a word there is nothing to shift: the next load replaces the twiddles.
  localparam int unsigned TwiddleShift = InnerCycles > 1 ? Butterflies * PrimeWidth : 0;
  localparam int unsigned LeftWidth = $clog2(OuterCycles + 1);

  logic [Coeffs-1:0][PrimeWidth-1:0]   word;
  logic [Twiddles-1:0][PrimeWidth-1:0] twiddle_word;
  for (genvar i = 0; i < Coeffs; i++) begin : gen_word
    assign word[i] = word_i[i][PrimeWidth-1:0];
  end
  for (genvar i = 0; i < Twiddles; i++) begin : gen_twiddle
    assign twiddle_word[i] = twiddle_word_i[i][PrimeWidth-1:0];
  end
  logic unused_high_bits;
  assign unused_high_bits = ^{word_i, twiddle_word_i};

  // Operands of the inner stages, for every gap below a word.
  logic [LogCoeffs-1:0][Half-1:0][PrimeWidth-1:0] inner_u, inner_v, inner_twiddle;
  for (genvar g = 0; g < LogCoeffs; g++) begin : gen_gap
    for (genvar b = 0; b < Half; b++) begin : gen_butterfly
      localparam int unsigned Group = b >> g;
      localparam int unsigned Place = (Group << (g + 1)) + (b & ((1 << g) - 1));
      assign inner_u[g][b] = word[Place];
      assign inner_v[g][b] = word[Place+(1<<g)];
      assign inner_twiddle[g][b] = twiddle_word[twiddle_lane_i^LogTwiddles'(Group)];
    end
  end

  logic [Coeffs-1:0][PrimeWidth-1:0] u_q, v_q, u_d, v_d, first_q;
  logic [Half-1:0][PrimeWidth-1:0]   twiddle_q, twiddle_d;
  logic [LeftWidth-1:0]              left_q;
  logic                              load, shift;

  assign load = word_valid_i && (!outer_i || word_second_i);
  assign shift = left_q != '0;
  assign valid_o = shift;

  always_comb begin
    u_d = u_q >> (Butterflies * PrimeWidth);
    v_d = v_q >> (Butterflies * PrimeWidth);
    twiddle_d = outer_i ? twiddle_q : twiddle_q >> TwiddleShift;
    if (load && outer_i) begin
      u_d = first_q;
      v_d = word;
      twiddle_d = {Half{twiddle_word[twiddle_lane_i]}};
    end else if (load) begin
      u_d[Half-1:0] = inner_u[gap_index_i];
      v_d[Half-1:0] = inner_v[gap_index_i];
      twiddle_d = inner_twiddle[gap_index_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (word_valid_i && outer_i && !word_second_i) first_q <= word;
    if (load || shift) begin
      u_q <= u_d;
      v_q <= v_d;
      twiddle_q <= twiddle_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (load) left_q <= outer_i ? LeftWidth'(OuterCycles) : LeftWidth'(InnerCycles);
    else if (shift) left_q <= left_q - 1'b1;
  end

  assign u_o = u_q[Butterflies-1:0];
  assign v_o = v_q[Butterflies-1:0];
  assign twiddle_o = twiddle_q[Butterflies-1:0];
endmodule
