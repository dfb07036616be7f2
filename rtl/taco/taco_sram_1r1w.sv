// SRAM with one read port and one write port, both synchronous; the read port holds its data until
// the next read. Reading and writing one address in one cycle returns the old data.
//
// The only memory of the design: synthesis replaces it by a macro, everything above it is logic.

module taco_sram_1r1w #(
  parameter int unsigned Width = taco_pkg::WordWidth,
  parameter int unsigned Depth = 1024,
  parameter int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                 clk_i,
  input  logic                 read_i,
  input  logic [AddrWidth-1:0] read_addr_i,
  output logic [Width-1:0]     read_data_o,
  input  logic                 write_i,
  input  logic [AddrWidth-1:0] write_addr_i,
  input  logic [Width-1:0]     write_data_i
);
  logic [Width-1:0] memory [Depth];

  always_ff @(posedge clk_i) begin
    if (read_i) read_data_o <= memory[read_addr_i];
    if (write_i) memory[write_addr_i] <= write_data_i;
  end
endmodule
