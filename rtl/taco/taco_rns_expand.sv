// Small signed samples to residues modulo every prime, as they are produced.
//
// Parameters
//   Residues    primes.
//   Lanes       samples a transfer.
//   Width       bits of a residue.
//   SmallWidth  bits of a signed sample; every prime is larger than any magnitude it can hold.
//
// The residue of x in (-q, q) is x for x >= 0 and q + x for x < 0: one addition of the sign-extended
// sample, no reduction. One register stage; all residues of a sample leave in the same transfer.

module taco_rns_expand #(
  parameter int unsigned Residues   = 3,
  parameter int unsigned Lanes      = 8,
  parameter int unsigned Width      = taco_pkg::PrimeWidth,
  parameter int unsigned SmallWidth = taco_pkg::SampleWidth
) (
  input  logic                                       clk_i,
  input  logic                                       rst_ni,

  input  logic [Residues-1:0][Width-1:0]             modulus_i,

  input  logic                                       in_valid_i,
  output logic                                       in_ready_o,
  input  logic [Lanes-1:0][SmallWidth-1:0]           samples_i,

  output logic                                       out_valid_o,
  input  logic                                       out_ready_i,
  output logic [Residues-1:0][Lanes-1:0][Width-1:0]  residues_o
);

  logic                                      valid_q;
  logic [Residues-1:0][Lanes-1:0][Width-1:0] residues_q;

  assign in_ready_o  = ~valid_q | out_ready_i;
  assign out_valid_o = valid_q;
  assign residues_o  = residues_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)         valid_q <= 1'b0;
    else if (in_ready_o) valid_q <= in_valid_i;
  end

  for (genvar j = 0; j < Residues; j++) begin : gen_residue
    for (genvar i = 0; i < Lanes; i++) begin : gen_lane
      logic             negative;
      logic [Width-1:0] extended;
      assign negative = samples_i[i][SmallWidth-1];
      assign extended = {{(Width - SmallWidth) {negative}}, samples_i[i]};
      always_ff @(posedge clk_i) begin
        if (in_valid_i & in_ready_o) begin
          residues_q[j][i] <= (negative ? modulus_i[j] : '0) + extended;
        end
      end
    end
  end

endmodule
