// Twiddle memory of one taco_ntt. Loaded 64 bytes at a time, read as wide as the transform needs.
//
// Butterflies  of the transform
// MaxLogN      log2 of the largest polynomial

module taco_twiddles
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MaxLogN = 13,
  localparam int unsigned Twiddles = Butterflies > WordCoeffs ? Butterflies : WordCoeffs,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Twiddles),
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs)
) (
  input  logic                                clk_i,
  input  logic                                write_i,
  input  logic [WordAddrWidth-1:0]            write_addr_i,
  input  word_t                               write_data_i,
  input  logic                                read_i,
  input  logic [AddrWidth-1:0]                read_addr_i,
  output logic [Twiddles-1:0][CoeffWidth-1:0] read_data_o
);
  localparam int unsigned Banks = Twiddles / WordCoeffs;

  logic [Banks-1:0] bank;
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign bank[b] = write_i && 32'(write_addr_i) % Banks == b;
  end

  taco_poly_buffer #(.Coeffs(Twiddles), .Depth(1 << AddrWidth)) u_words (
    .clk_i, .read_i, .read_addr_i, .read_data_o,
    .write_bank_i(bank), .write_addr_i(write_addr_i[$clog2(Banks)+:AddrWidth]),
    .write_data_i({Banks{write_data_i}})
  );
endmodule
