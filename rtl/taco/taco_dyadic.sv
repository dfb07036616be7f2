// Dyadic product of two streams: data = a b / 2^66 mod q in every lane (b in Montgomery form).
//
// One beat a cycle, MulLatency cycles; a stalled output freezes the whole pipeline.

module taco_dyadic
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  prime_t modulus_i,

  input  logic                             a_valid_i,
  output logic                             a_ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0] a_data_i,
  input  logic                             b_valid_i,
  output logic                             b_ready_o,
  input  logic [Lanes-1:0][PrimeWidth-1:0] b_data_i,

  output logic                             valid_o,
  input  logic                             ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] data_o
);
  logic enable;
  logic [Lanes-1:0] valid;
  logic [Lanes-1:0][PrimeWidth-1:0] product;

  assign enable = ready_i || !valid_o;
  assign a_ready_o = enable && b_valid_i;
  assign b_ready_o = enable && a_valid_i;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    taco_mod_mul u_mul (
      .clk_i, .rst_ni, .enable_i(enable), .modulus_i,
      .valid_i(a_valid_i && b_valid_i), .a_i(a_data_i[i]), .b_i(b_data_i[i]),
      .valid_o(valid[i]), .product_o(product[i])
    );
    assign data_o[i] = CoeffWidth'(product[i]);
  end
  assign valid_o = &valid;
endmodule
