// Turns groups of eight or four samples into groups of Lanes, in order.
//
// Parameters
//   Lanes  samples a transfer at the output: 1, 2, 4 or 8.
//   Width  bits of a sample.
//
// A register holds up to eight samples and is read from its low end. A group is taken when nothing
// is left after this cycle's read; with eight lanes a group of four may also join the four that
// wait. So the output is busy every cycle as long as groups come.

module taco_lane_adapter #(
  parameter int unsigned Lanes = 8,
  parameter int unsigned Width = 6
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,

  input  logic                        in_valid_i,
  output logic                        in_ready_o,
  input  logic                        in_four_i,  // the group has four samples, else eight
  input  logic [7:0][Width-1:0]       in_data_i,

  output logic                        out_valid_o,
  input  logic                        out_ready_i,
  output logic [Lanes-1:0][Width-1:0] out_data_o
);

  logic [3:0]            level_q, level_kept, level_next;
  logic [7:0][Width-1:0] samples_q;
  logic                  push, pop, join_four;

  assign out_valid_o = level_q >= 4'(Lanes);
  assign out_data_o  = samples_q[Lanes-1:0];
  assign pop         = out_valid_o & out_ready_i;

  assign level_kept  = pop ? level_q - 4'(Lanes) : level_q;
  assign join_four   = (Lanes == 8) && level_kept == 4'd4;
  assign in_ready_o  = level_kept == 4'd0 | (join_four & in_four_i);
  assign push        = in_valid_i & in_ready_o;

  always_comb begin
    level_next = level_kept;
    if (push) level_next = level_kept + (in_four_i ? 4'd4 : 4'd8);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) level_q <= '0;
    else         level_q <= level_next;
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      if (join_four) samples_q[7:4] <= in_data_i[3:0];
      else           samples_q      <= in_data_i;
    end else if (pop) begin
      samples_q <= samples_q >> (Lanes * Width);
    end
  end

endmodule
