// Modulus switching: drops the key prime p from a polynomial, c_j -> round(c / p) mod q_j, rounding
// as SEAL does (RNSTool::divide_and_round_q_last_inplace).
//
// With x the residue modulo p, h = p >> 1 and y = (x + h) mod p, SEAL computes
//   c'_j = (c_j - (y mod q_j) + (h mod q_j)) / p  mod q_j.
// The multiplier takes any 64-bit number and returns a canonical product, so nothing in the bracket
// needs reduction as long as it is not negative: offset_j = (h mod q_j) + the smallest multiple of
// q_j that is at least p, and the product is (c_j + offset_j - y) * (1/p 2^66 mod q_j) / 2^66.
// The sum stays below 2^61 + 2^61 + 2^62 = 2^63.
//
// The layers go in step: a beat is taken where all that take part (active_i) have one. Without a
// key prime (k = 1, key_i = 0), y is 0; offset 0 and inverse 2^66 mod q_j pass c_j through.

module taco_mod_switch
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned DataLayers = 2
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  logic                                   key_i,
  input  logic   [DataLayers-1:0]                active_i,
  input  prime_t                                 key_modulus_i,
  input  prime_t [DataLayers-1:0]                modulus_i,
  input  logic   [DataLayers-1:0][CoeffWidth-1:0] offset_i,
  input  prime_t [DataLayers-1:0]                inverse_i,

  input  logic                                              key_valid_i,
  output logic                                              key_ready_o,
  input  logic [Lanes-1:0][PrimeWidth-1:0]                  key_data_i,
  input  logic [DataLayers-1:0]                             valid_i,
  output logic [DataLayers-1:0]                             ready_o,
  input  logic [DataLayers-1:0][Lanes-1:0][PrimeWidth-1:0]  data_i,

  output logic [DataLayers-1:0]                             valid_o,
  input  logic [DataLayers-1:0]                             ready_i,
  output logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0]  data_o
);
  logic enable, all_valid, take, sum_valid_q, difference_valid_q;
  logic [DataLayers-1:0][Lanes-1:0][PrimeWidth-1:0] c_q;
  logic [Lanes-1:0][PrimeWidth-1:0]                 rounded, rounded_q;
  logic [DataLayers-1:0][Lanes-1:0]                 product_valid;
  prime_t                                           half;

  // Every active layer must be able to leave before anything moves.
  assign enable = &(ready_i | ~valid_o);
  assign all_valid = (key_valid_i || !key_i) && &(valid_i | ~active_i);
  assign take = enable && all_valid;
  assign key_ready_o = take && key_i;
  assign ready_o = {DataLayers{take}} & active_i;
  assign half = key_modulus_i >> 1;

  for (genvar i = 0; i < Lanes; i++) begin : gen_round
    taco_mod_add u_add (
      .modulus_i(key_modulus_i), .a_i(key_data_i[i]), .b_i(half), .sum_o(rounded[i])
    );
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      c_q <= data_i;
      rounded_q <= key_i ? rounded : '0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_valid_q <= 1'b0;
      difference_valid_q <= 1'b0;
    end else if (enable) begin
      sum_valid_q <= all_valid;
      difference_valid_q <= sum_valid_q;
    end
  end

  for (genvar j = 0; j < DataLayers; j++) begin : gen_layer
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      coeff_t difference_q;
      prime_t product;
      always_ff @(posedge clk_i) begin
        if (enable && sum_valid_q && active_i[j]) begin
          difference_q <= CoeffWidth'(c_q[j][i]) + offset_i[j] - CoeffWidth'(rounded_q[i]);
        end
      end
      taco_mod_mul u_mul (
        .clk_i, .rst_ni, .enable_i(enable), .modulus_i(modulus_i[j]),
        .valid_i(difference_valid_q && active_i[j]), .a_i(difference_q), .b_i(inverse_i[j]),
        .valid_o(product_valid[j][i]), .product_o(product)
      );
      assign data_o[j][i] = CoeffWidth'(product);
    end
    // One layer's output may be taken while another's waits: then it is done with this beat.
    logic taken_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) taken_q <= 1'b0;
      else if (enable) taken_q <= 1'b0;
      else if (valid_o[j] && ready_i[j]) taken_q <= 1'b1;
    end
    assign valid_o[j] = &product_valid[j] && !taken_q;
  end
endmodule
