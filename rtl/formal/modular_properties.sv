// Modular arithmetic at a small width against its definition, for every modulus and operand.

module add_properties #(
  parameter int unsigned Width = 5
) (
  input logic             rst_ni,
  input logic [Width-1:0] modulus_i,
  input logic [Width-1:0] a_i,
  input logic [Width-1:0] b_i
);
  logic [Width-1:0] sum, difference;
  logic [Width:0]   exact_sum, exact_difference, modulus;

  taco_mod_add #(.Width(Width)) u_add (.modulus_i, .a_i, .b_i, .sum_o(sum));
  taco_mod_sub #(.Width(Width)) u_sub (.modulus_i, .a_i, .b_i, .difference_o(difference));

  assign modulus = {1'b0, modulus_i};
  assign exact_sum = {1'b0, a_i} + {1'b0, b_i};
  assign exact_difference = {1'b0, a_i} + modulus - {1'b0, b_i};

  always_comb begin
    assume (a_i < modulus_i);
    assume (b_i < modulus_i);
    assert ({1'b0, sum} == exact_sum % modulus);
    assert ({1'b0, difference} == exact_difference % modulus);
  end

  logic unused_reset;
  assign unused_reset = rst_ni;
endmodule

// Montgomery reduction as taco_mod_mul chains it: digits, then one conditional subtraction. For
// t < 2^AWidth q and q = 1 mod 2^RadixWidth the result is below q and times 2^(Digits RadixWidth)
// congruent to t. As in taco_mod_mul, AWidth <= Digits RadixWidth - 2.
module reduction_properties #(
  parameter int unsigned PrimeWidth = 6,
  parameter int unsigned RadixWidth = 2,
  localparam int unsigned Digits = 3,
  localparam int unsigned AWidth = Digits * RadixWidth - 2,
  localparam int unsigned ValueWidth = AWidth + PrimeWidth,
  localparam int unsigned WideWidth = PrimeWidth + Digits * RadixWidth
) (
  input logic                  rst_ni,
  input logic [PrimeWidth-1:0] modulus_i,
  input logic [ValueWidth-1:0] value_i
);
  localparam int unsigned Width1 = ValueWidth - RadixWidth + 1;
  localparam int unsigned Width2 = PrimeWidth + 2;
  localparam int unsigned Width3 = PrimeWidth + 1;

  logic [PrimeWidth-RadixWidth-1:0] high;
  logic [Width1-1:0]                digit1;
  logic [Width2-1:0]                digit2;
  logic [Width3-1:0]                digit3, reduced;
  logic [PrimeWidth-1:0]            result;
  logic [WideWidth-1:0]             modulus;

  assign high = modulus_i[PrimeWidth-1:RadixWidth];
  taco_mod_digit #(
    .InWidth(ValueWidth), .OutWidth(Width1), .PrimeWidth(PrimeWidth), .RadixWidth(RadixWidth)
  ) u_digit1 (.modulus_high_i(high), .value_i(value_i), .value_o(digit1));
  taco_mod_digit #(
    .InWidth(Width1), .OutWidth(Width2), .PrimeWidth(PrimeWidth), .RadixWidth(RadixWidth)
  ) u_digit2 (.modulus_high_i(high), .value_i(digit1), .value_o(digit2));
  taco_mod_digit #(
    .InWidth(Width2), .OutWidth(Width3), .PrimeWidth(PrimeWidth), .RadixWidth(RadixWidth)
  ) u_digit3 (.modulus_high_i(high), .value_i(digit2), .value_o(digit3));

  assign reduced = digit3 - {1'b0, modulus_i};
  assign result = reduced[Width3-1] ? digit3[PrimeWidth-1:0] : reduced[PrimeWidth-1:0];
  assign modulus = WideWidth'(modulus_i);

  always_comb begin
    assume (modulus_i[RadixWidth-1:0] == RadixWidth'(1));
    assume (modulus_i > PrimeWidth'(1));
    assume (WideWidth'(value_i) < modulus << AWidth);
    assert (result < modulus_i);
    assert ((WideWidth'(result) << (Digits * RadixWidth)) % modulus
            == WideWidth'(value_i) % modulus);
  end

  logic unused_reset;
  assign unused_reset = rst_ni;
endmodule
