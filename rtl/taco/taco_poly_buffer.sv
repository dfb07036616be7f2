// Polynomial buffer: Coeffs coefficients a cycle on one read port and one write port.
//
// Coeffs / 8 banks of 64-byte SRAM side by side, all at the same address: coefficient Coeffs a + i
// is in lane i of address a. write_bank_i selects the banks that take a write, so that a host that
// moves 64 bytes at a time fills a wide buffer bank by bank.

module taco_poly_buffer
  import taco_pkg::*;
#(
  parameter int unsigned Coeffs = WordCoeffs,  // a multiple of 8
  parameter int unsigned Depth = 1024,
  parameter int unsigned AddrWidth = $clog2(Depth),
  parameter int unsigned Banks = Coeffs / WordCoeffs
) (
  input  logic                              clk_i,
  input  logic                              read_i,
  input  logic [AddrWidth-1:0]              read_addr_i,
  output logic [Coeffs-1:0][CoeffWidth-1:0] read_data_o,
  input  logic [Banks-1:0]                  write_bank_i,
  input  logic [AddrWidth-1:0]              write_addr_i,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] write_data_i
);
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    taco_sram_1r1w #(.Width(WordWidth), .Depth(Depth), .AddrWidth(AddrWidth)) u_sram (
      .clk_i,
      .read_i,
      .read_addr_i,
      .read_data_o(read_data_o[b*WordCoeffs+:WordCoeffs]),
      .write_i(write_bank_i[b]),
      .write_addr_i,
      .write_data_i(write_data_i[b*WordCoeffs+:WordCoeffs])
    );
  end
endmodule
