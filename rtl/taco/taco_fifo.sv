// First-in first-out buffer between two streams.
//
// Parameters
//   Width  bits of an entry.
//   Depth  entries, a power of two, at least 2. Two are enough for one transfer a cycle while
//          cutting every path between the two sides.
//
// Pointers are one bit longer than an address. Their difference modulo 2*Depth is the number of
// entries held, so full and empty need no flag of their own. Neither ready nor valid depends on
// the other side in the same cycle: both come from the pointers alone.
//
// clear_i empties the buffer at the next clock edge and wins over a transfer in that cycle.

module taco_fifo #(
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 2,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,

  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  logic [Width-1:0]      in_data_i,

  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [Width-1:0]      out_data_o,

  output logic [AddressWidth:0] level_o
);

  localparam logic [AddressWidth:0] Full = (AddressWidth + 1)'(Depth);

  logic [Depth-1:0][Width-1:0] entries_q;
  logic [AddressWidth:0]       write_pointer_q, read_pointer_q;
  logic                        push, pop;

  assign level_o     = write_pointer_q - read_pointer_q;
  assign in_ready_o  = level_o != Full;
  assign out_valid_o = level_o != '0;
  assign out_data_o  = entries_q[read_pointer_q[AddressWidth-1:0]];

  assign push = in_valid_i & in_ready_o;
  assign pop  = out_valid_o & out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_pointer_q <= '0;
      read_pointer_q  <= '0;
    end else if (clear_i) begin
      write_pointer_q <= '0;
      read_pointer_q  <= '0;
    end else begin
      if (push) write_pointer_q <= write_pointer_q + 1'b1;
      if (pop)  read_pointer_q  <= read_pointer_q + 1'b1;
    end
  end

  // Entries need no reset: none is readable before it was written.
  always_ff @(posedge clk_i) begin
    if (push) entries_q[write_pointer_q[AddressWidth-1:0]] <= in_data_i;
  end

endmodule
