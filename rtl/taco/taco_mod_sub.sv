// Modular subtraction, combinational: (a - b) mod q for a, b < q.
//
// -q < a - b < q, so adding q where a borrow occurred is enough.

module taco_mod_sub #(
  parameter int unsigned Width = taco_pkg::PrimeWidth
) (
  input  logic [Width-1:0] modulus_i,
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  output logic [Width-1:0] difference_o
);
  logic [Width:0] difference;

  assign difference = {1'b0, a_i} - {1'b0, b_i};
  assign difference_o = difference[Width-1:0] + (difference[Width] ? modulus_i : '0);
endmodule
