// Modular multiplication, pipelined: a b / 2^66 mod q, canonical, one result a cycle.
//
// q is a prime of at most PrimeWidth bits with q = 1 mod 2^RadixWidth (every prime that supports a
// negacyclic transform of 2^(RadixWidth-1) points), b < q, and a is any number of AWidth bits, so a
// product with 2^66 mod q as b also reduces, and one with 2^132 mod q converts to Montgomery form.
//
// Why not Barrett: it needs two more products of 61 x 61 bits (7,442 partial products); six digits
// with q = 1 mod 2^11 need 6 x 11 x 50 = 3,300, and the constants can be stored scaled for free.
//
// t = a b < 2^64 q. Digit i divides by 2^11 (taco_mod_digit); after six, t < 2^64 q / 2^66 + q < 2 q,
// and one conditional subtraction makes it canonical.
//
// Pipeline: product | digits 1, 2 | digits 3, 4 | digits 5, 6 | subtraction. enable_i = 0 freezes it.

module taco_mod_mul
  import taco_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   enable_i,
  input  prime_t modulus_i,
  input  logic   valid_i,
  input  coeff_t a_i,
  input  prime_t b_i,
  output logic   valid_o,
  output prime_t product_o
);
  localparam int unsigned ProductWidth = CoeffWidth + PrimeWidth;
  // t < 2^(125 - 11 i) + q after digit i
  localparam int unsigned Width1 = ProductWidth - RadixWidth + 1;
  localparam int unsigned Width2 = ProductWidth - 2 * RadixWidth + 1;
  localparam int unsigned Width3 = ProductWidth - 3 * RadixWidth + 1;
  localparam int unsigned Width4 = ProductWidth - 4 * RadixWidth + 1;
  localparam int unsigned Width5 = ProductWidth - 5 * RadixWidth + 1;
  localparam int unsigned Width6 = PrimeWidth + 1;

  logic [PrimeWidth-RadixWidth-1:0] high;
  logic [MulLatency-1:0] valid_q;
  logic [ProductWidth-1:0] product_q;
  logic [Width1-1:0] t1;
  logic [Width2-1:0] t2, t2_q;
  logic [Width3-1:0] t3;
  logic [Width4-1:0] t4, t4_q;
  logic [Width5-1:0] t5;
  logic [Width6-1:0] t6, t6_q;
  logic [Width6-1:0] reduced;

  assign high = modulus_i[PrimeWidth-1:RadixWidth];

  taco_mod_digit #(.InWidth(ProductWidth), .OutWidth(Width1)) u_digit1 (
    .modulus_high_i(high), .value_i(product_q), .value_o(t1));
  taco_mod_digit #(.InWidth(Width1), .OutWidth(Width2)) u_digit2 (
    .modulus_high_i(high), .value_i(t1), .value_o(t2));
  taco_mod_digit #(.InWidth(Width2), .OutWidth(Width3)) u_digit3 (
    .modulus_high_i(high), .value_i(t2_q), .value_o(t3));
  taco_mod_digit #(.InWidth(Width3), .OutWidth(Width4)) u_digit4 (
    .modulus_high_i(high), .value_i(t3), .value_o(t4));
  taco_mod_digit #(.InWidth(Width4), .OutWidth(Width5)) u_digit5 (
    .modulus_high_i(high), .value_i(t4_q), .value_o(t5));
  taco_mod_digit #(.InWidth(Width5), .OutWidth(Width6)) u_digit6 (
    .modulus_high_i(high), .value_i(t5), .value_o(t6));

  assign reduced = t6_q - {1'b0, modulus_i};

  // A stage's registers change only when something valid enters it.
  always_ff @(posedge clk_i) begin
    if (enable_i && valid_i) product_q <= ProductWidth'(a_i) * ProductWidth'(b_i);
    if (enable_i && valid_q[0]) t2_q <= t2;
    if (enable_i && valid_q[1]) t4_q <= t4;
    if (enable_i && valid_q[2]) t6_q <= t6;
    if (enable_i && valid_q[3]) begin
      product_o <= reduced[Width6-1] ? t6_q[PrimeWidth-1:0] : reduced[PrimeWidth-1:0];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (enable_i) valid_q <= {valid_q[MulLatency-2:0], valid_i};
  end
  assign valid_o = valid_q[MulLatency-1];
endmodule
