// Modular addition, combinational: (a + b) mod q for a, b < q.
//
// a + b < 2q, so one conditional subtraction is enough. Both candidates are computed, and the
// borrow of a + b - q selects; the sum needs one bit more than the operands.

module taco_mod_add #(
  parameter int unsigned Width = taco_pkg::PrimeWidth
) (
  input  logic [Width-1:0] modulus_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] sum_o
);
  logic [Width:0] sum;
  logic [Width:0] reduced;

  assign sum = {1'b0, a_i} + {1'b0, b_i};
  assign reduced = sum - {1'b0, modulus_i};
  // a + b < 2q: the difference is negative (top bit) exactly where a + b < q.
  assign sum_o = reduced[Width] ? sum[Width-1:0] : reduced[Width-1:0];
endmodule
