// Small signed samples to residues modulo a prime, as they are produced. One in every residue layer.
//
// Parameters
//   Lanes  samples a beat.
//
// The residue of x in (-q, q) is x for x >= 0 and q + x for x < 0: one addition of the sign-extended
// sample, no reduction. One register stage.

module taco_rns_expand
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,

  input  prime_t                            modulus_i,

  input  logic                              in_valid_i,
  output logic                              in_ready_o,
  input  logic [Lanes-1:0][SampleWidth-1:0] in_data_i,

  output logic                              out_valid_o,
  input  logic                              out_ready_i,
  output prime_t [Lanes-1:0]                out_data_o
);

  prime_t [Lanes-1:0] residues_q;

  assign in_ready_o = ~out_valid_o | out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         out_valid_o <= 1'b0;
    else if (in_ready_o) out_valid_o <= in_valid_i;
  end

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    logic   negative;
    prime_t extended;
    assign negative = in_data_i[i][SampleWidth-1];
    assign extended = PrimeWidth'($signed(in_data_i[i]));
    always_ff @(posedge clk_i) begin
      if (in_valid_i & in_ready_o) residues_q[i] <= (negative ? modulus_i : '0) + extended;
    end
    assign out_data_o[i] = residues_q[i];
  end

endmodule
