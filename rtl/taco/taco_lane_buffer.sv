// Polynomial buffer whose coefficients can be read and written one by one.
//
// Parameters
//   Lanes  coefficients a word; each has a memory of its own, 64 bits wide.
//   Depth  words.
//
// Coefficient Lanes * a + i is in lane i of address a. A read or a write touches the lanes that its
// mask names; a lane that is not read holds what it read last.

module taco_lane_buffer
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = WordCoeffs,
  parameter int unsigned Depth = 1024,
  localparam int unsigned AddrWidth = $clog2(Depth)
) (
  input  logic                             clk_i,
  input  logic [Lanes-1:0]                 read_lane_i,
  input  logic [AddrWidth-1:0]             read_addr_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] read_data_o,
  input  logic [Lanes-1:0]                 write_lane_i,
  input  logic [AddrWidth-1:0]             write_addr_i,
  input  logic [Lanes-1:0][CoeffWidth-1:0] write_data_i
);

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    taco_sram_1r1w #(
      .Width    (CoeffWidth),
      .Depth    (Depth),
      .AddrWidth(AddrWidth)
    ) u_sram (
      .clk_i,
      .read_i      (read_lane_i[i]),
      .read_addr_i,
      .read_data_o (read_data_o[i]),
      .write_i     (write_lane_i[i]),
      .write_addr_i,
      .write_data_i(write_data_i[i])
    );
  end

endmodule
