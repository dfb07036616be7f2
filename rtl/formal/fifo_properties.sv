// Properties of taco_fifo, for proof by induction.
//
// `watch_i` is free: the solver may choose any push to be watched, so what holds for the watched
// entry holds for every entry. It is the `ahead`-th from the front until it leaves, and leaves with
// the data it came with: nothing is lost, doubled, reordered or changed.

module fifo_properties #(
  parameter int unsigned Width = 4,
  parameter int unsigned Depth = 4,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             clear_i,
  input logic             in_valid_i,
  input logic [Width-1:0] in_data_i,
  input logic             out_ready_i,
  input logic             watch_i
);

  logic                  in_ready, out_valid, push, pop;
  logic [Width-1:0]      out_data, watched_q;
  logic [AddressWidth:0] level, ahead_q;
  logic                  watching_q;

  taco_fifo #(
    .Width(Width),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data),
    .level_o    (level)
  );

  assign push = in_valid_i & in_ready;
  assign pop  = out_valid & out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      watching_q <= 1'b0;
      ahead_q    <= '0;
    end else if (clear_i) begin
      watching_q <= 1'b0;
    end else if (watching_q) begin
      if (pop & ahead_q == '0) watching_q <= 1'b0;
      else if (pop)            ahead_q    <= ahead_q - 1'b1;
    end else if (push & watch_i) begin
      watching_q <= 1'b1;
      ahead_q    <= pop ? level - 1'b1 : level;
      watched_q  <= in_data_i;
    end
  end

  logic [AddressWidth-1:0] watched_address;
  assign watched_address = u_fifo.read_pointer_q[AddressWidth-1:0] + ahead_q[AddressWidth-1:0];

  always_comb begin
    // The level is a level, and the flags are what it says.
    assert (32'(level) <= Depth);
    assert (in_ready == (32'(level) != Depth));
    assert (out_valid == (level != '0));
    if (watching_q) begin
      assert (ahead_q < level);
      assert (u_fifo.entries_q[watched_address] == watched_q);
      if (pop & ahead_q == '0) assert (out_data == watched_q);
    end
  end

endmodule
