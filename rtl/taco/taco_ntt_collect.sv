// Puts results of the butterflies together into words of the polynomial buffer, in the order in
// which taco_ntt_feed took them apart.
//
// Results shift in at the top, Butterflies lanes a cycle. Outer stages: after a word's worth, x's
// word is written at once and y's word a slot later, from a holding register, while the next pair
// shifts in. Inner stages: after half a word of x and half a word of y, both go to their places.

module taco_ntt_collect
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned Coeffs = 8
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   outer_i,
  input  logic [$clog2($clog2(Coeffs))-1:0]      gap_index_i,
  input  logic                                   valid_i,
  input  logic [Butterflies-1:0][PrimeWidth-1:0] x_i,
  input  logic [Butterflies-1:0][PrimeWidth-1:0] y_i,
  output logic                                   word_valid_o,
  output logic [Coeffs-1:0][CoeffWidth-1:0]      word_o
);
  localparam int unsigned LogCoeffs = $clog2(Coeffs);
  localparam int unsigned Half = Coeffs / 2;
  localparam int unsigned OuterCycles = Coeffs / Butterflies;
  localparam int unsigned InnerCycles = Half / Butterflies;
  localparam int unsigned CountWidth = $clog2(OuterCycles + 1);

  logic [Coeffs-1:0][PrimeWidth-1:0] x_q, y_q, held_q;
  logic [CountWidth-1:0]             count_q, needed;
  logic                              complete_q, hold_q;

  assign needed = outer_i ? CountWidth'(OuterCycles) : CountWidth'(InnerCycles);

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      x_q <= {x_i, x_q[Coeffs-1:Butterflies]};
      y_q <= {y_i, y_q[Coeffs-1:Butterflies]};
    end
    if (complete_q && outer_i) held_q <= y_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q    <= '0;
      complete_q <= 1'b0;
      hold_q     <= 1'b0;
    end else begin
      complete_q <= valid_i && count_q == needed - 1'b1;
      hold_q     <= complete_q && outer_i;
      if (valid_i) count_q <= count_q == needed - 1'b1 ? '0 : count_q + 1'b1;
    end
  end

  // Words of the inner stages, for every gap below a word: the top halves of x and y interleaved.
  logic [LogCoeffs-1:0][Coeffs-1:0][PrimeWidth-1:0] inner;
  for (genvar g = 0; g < LogCoeffs; g++) begin : gen_gap
    for (genvar b = 0; b < Half; b++) begin : gen_butterfly
      localparam int unsigned Place = ((b >> g) << (g + 1)) + (b & ((1 << g) - 1));
      assign inner[g][Place] = x_q[Half+b];
      assign inner[g][Place+(1<<g)] = y_q[Half+b];
    end
  end

  logic [Coeffs-1:0][PrimeWidth-1:0] word;
  always_comb begin
    if (hold_q) word = held_q;
    else if (outer_i) word = x_q;
    else word = inner[gap_index_i];
  end
  for (genvar i = 0; i < Coeffs; i++) begin : gen_word
    assign word_o[i] = CoeffWidth'(word[i]);
  end
  assign word_valid_o = complete_q || hold_q;
endmodule
