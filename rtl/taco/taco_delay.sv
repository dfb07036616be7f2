// Delay line: data_o is data_i of Cycles enabled cycles ago.

module taco_delay #(
  parameter int unsigned Width  = 1,
  parameter int unsigned Cycles = 1  // at least 1
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  output logic [Width-1:0] data_o
);

  logic [Cycles:0][Width-1:0] stage;

  assign stage[0] = data_i;
  assign data_o   = stage[Cycles];

  for (genvar i = 0; i < Cycles; i++) begin : gen_stage
    logic [Width-1:0] stage_q;
    always_ff @(posedge clk_i) begin
      if (enable_i) stage_q <= stage[i];
    end
    assign stage[i+1] = stage_q;
  end

endmodule
