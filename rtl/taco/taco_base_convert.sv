// Base conversion to one prime: sum over j of digit[j] * factor[j] modulo p, pipelined.
//
// Parameters
//   Inputs  digits, one for every prime of the base that is left.
//
// Digits are any numbers of 64 bits, factors are constants below p in Montgomery form, the sum is
// canonical. Products are added in a binary tree with a register after every level; a tree whose
// leaves are not all used has zeros there. A result leaves MulLatency + ceil(log2 Inputs) enabled
// cycles after its digits.

module taco_base_convert
  import taco_pkg::*;
#(
  parameter int unsigned Inputs = 2,
  localparam int unsigned Levels = $clog2(Inputs)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                enable_i,

  input  prime_t              modulus_i,
  input  prime_t [Inputs-1:0] factor_i,

  input  logic                valid_i,
  input  coeff_t [Inputs-1:0] digit_i,
  output logic                valid_o,
  output prime_t              sum_o
);

  localparam int unsigned Leaves = 1 << Levels;

  // A heap: node 1 is the sum, node n the sum of nodes 2n and 2n+1, leaves from Leaves up.
  prime_t [2*Leaves-1:1] node;
  logic   [Inputs-1:0]   product_valid;
  logic   [Levels:0]     valid;

  for (genvar j = 0; j < Leaves; j++) begin : gen_leaf
    if (j < Inputs) begin : gen_product
      taco_mod_mul u_mul (
        .clk_i,
        .rst_ni,
        .enable_i,
        .modulus_i,
        .valid_i,
        .a_i      (digit_i[j]),
        .b_i      (factor_i[j]),
        .valid_o  (product_valid[j]),
        .product_o(node[Leaves+j])
      );
    end else begin : gen_zero
      assign node[Leaves+j] = '0;
    end
  end

  for (genvar n = 1; n < Leaves; n++) begin : gen_node
    localparam int unsigned Level = Levels - $clog2(n + 1);  // 0 next to the leaves
    prime_t sum, sum_q;
    taco_mod_add u_add (
      .modulus_i,
      .a_i  (node[2*n]),
      .b_i  (node[2*n+1]),
      .sum_o(sum)
    );
    always_ff @(posedge clk_i) begin
      if (enable_i & valid[Level]) sum_q <= sum;
    end
    assign node[n] = sum_q;
  end

  assign valid[0] = &product_valid;
  for (genvar level = 0; level < Levels; level++) begin : gen_valid
    logic valid_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)       valid_q <= 1'b0;
      else if (enable_i) valid_q <= valid[level];
    end
    assign valid[level+1] = valid_q;
  end

  assign valid_o = valid[Levels];
  assign sum_o   = node[1];

endmodule
