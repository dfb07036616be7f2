// Sum of two streams modulo q, lane by lane, one register deep.

module taco_poly_add
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2
) (
  input  logic   clk_i,
  input  logic   rst_ni,
  input  prime_t modulus_i,

  input  logic                             a_valid_i,
  output logic                             a_ready_o,
  input  logic [Lanes-1:0][PrimeWidth-1:0] a_data_i,
  input  logic                             b_valid_i,
  output logic                             b_ready_o,
  input  logic [Lanes-1:0][PrimeWidth-1:0] b_data_i,

  output logic                             valid_o,
  input  logic                             ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] data_o
);
  logic enable, take;
  logic [Lanes-1:0][PrimeWidth-1:0] sum, sum_q;

  assign enable = ready_i || !valid_o;
  assign take = enable && a_valid_i && b_valid_i;
  assign a_ready_o = enable && b_valid_i;
  assign b_ready_o = enable && a_valid_i;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    taco_mod_add u_add (.modulus_i, .a_i(a_data_i[i]), .b_i(b_data_i[i]), .sum_o(sum[i]));
    assign data_o[i] = CoeffWidth'(sum_q[i]);
  end

  always_ff @(posedge clk_i) if (take) sum_q <= sum;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else if (enable) valid_o <= a_valid_i && b_valid_i;
  end
endmodule
