// Event counters: in how many cycles each event was high since the host cleared them.

module taco_counters #(
  parameter int unsigned Events = 16,
  parameter int unsigned Width = 32,
  localparam int unsigned IndexWidth = $clog2(Events)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  logic [Events-1:0]     event_i,
  input  logic [IndexWidth-1:0] index_i,
  output logic [Width-1:0]      count_o
);
  logic [Events-1:0][Width-1:0] count_q;

  for (genvar i = 0; i < Events; i++) begin : gen_counter
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) count_q[i] <= '0;
      else if (clear_i) count_q[i] <= '0;
      else if (event_i[i]) count_q[i] <= count_q[i] + 1'b1;
    end
  end
  assign count_o = 32'(index_i) < Events ? count_q[index_i] : '0;
endmodule
