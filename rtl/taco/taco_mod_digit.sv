// One digit of Montgomery reduction, combinational: (t + m q) / 2^w with m chosen so that it divides.
//
// q = 1 mod 2^w, hence -1/q = -1 mod 2^w and m = -t mod 2^w: no multiplication finds m. With
// q = h 2^w + 1 and r = t mod 2^w, the sum is t + m h 2^w + m, and r + m is 0 where r = 0 and 2^w
// elsewhere, so the result is floor(t / 2^w) + m h + (r != 0).
//
// Bound: from t < B the result is below B / 2^w + q.

module taco_mod_digit #(
  parameter int unsigned InWidth = 125,
  parameter int unsigned OutWidth = 115,
  parameter int unsigned PrimeWidth = taco_pkg::PrimeWidth,
  parameter int unsigned RadixWidth = taco_pkg::RadixWidth
) (
  input  logic [PrimeWidth-RadixWidth-1:0] modulus_high_i,  // q >> w
  input  logic [InWidth-1:0]               value_i,
  output logic [OutWidth-1:0]              value_o
);
  logic [RadixWidth-1:0] quotient;
  logic [PrimeWidth-1:0] multiple;

  assign quotient = -value_i[RadixWidth-1:0];
  assign multiple = PrimeWidth'(quotient) * PrimeWidth'(modulus_high_i);
  assign value_o = OutWidth'(value_i[InWidth-1:RadixWidth]) + OutWidth'(multiple)
                 + OutWidth'(|value_i[RadixWidth-1:0]);
endmodule
