// Memory of WordCoeffs lanes, 64 bits each, that are read and written together but every one at an
// address of its own.
//
// Parameters
//   Depth  entries of a lane.

module taco_lane_buffer
  import taco_pkg::*;
#(
  parameter int unsigned Depth = 1024,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                                 clk_i,
  input  logic                                 read_i,
  input  logic [WordCoeffs-1:0][AddrWidth-1:0] read_addr_i,
  output coeff_t [WordCoeffs-1:0]              read_data_o,
  input  logic                                 write_i,
  input  logic [WordCoeffs-1:0][AddrWidth-1:0] write_addr_i,
  input  coeff_t [WordCoeffs-1:0]              write_data_i
);

  for (genvar i = 0; i < WordCoeffs; i++) begin : gen_lane
    taco_sram_1r1w #(
      .Width    (CoeffWidth),
      .Depth    (Depth),
      .AddrWidth(AddrWidth)
    ) u_sram (
      .clk_i,
      .read_i,
      .read_addr_i (read_addr_i[i]),
      .read_data_o (read_data_o[i]),
      .write_i,
      .write_addr_i(write_addr_i[i]),
      .write_data_i(write_data_i[i])
    );
  end

endmodule
