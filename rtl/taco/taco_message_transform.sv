// Transform modulo t with its twiddles. The twiddles are loaded 64 bytes at a time.
//
// Parameters
//   Butterflies  processing elements.
//   MaxLogN      log2 of the largest polynomial.

module taco_message_transform
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MaxLogN     = 13,
  localparam int unsigned Coeffs        = Butterflies > 4 ? 2 * Butterflies : WordCoeffs,
  localparam int unsigned AddrWidth     = MaxLogN - $clog2(Coeffs),
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              start_i,
  output logic                              busy_o,
  input  logic                              inverse_i,  // these three hold while busy
  input  logic [LogNWidth-1:0]              log_n_i,
  input  prime_t                            modulus_i,

  input  logic                              twiddle_write_i,
  input  logic [WordAddrWidth-1:0]          twiddle_addr_i,
  input  word_t                             twiddle_data_i,

  output logic                              read_o,
  output logic [AddrWidth-1:0]              read_addr_o,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] read_data_i,
  output logic                              write_o,
  output logic [AddrWidth-1:0]              write_addr_o,
  output logic [Coeffs-1:0][CoeffWidth-1:0] write_data_o
);

  localparam int unsigned Twiddles         = Coeffs / 2 > WordCoeffs ? Coeffs / 2 : WordCoeffs;
  localparam int unsigned TwiddleAddrWidth = MaxLogN - $clog2(Twiddles);
  localparam int unsigned Banks            = Twiddles / WordCoeffs;
  localparam int unsigned LogBanks         = $clog2(Banks);

  logic                                twiddle_read;
  logic [TwiddleAddrWidth-1:0]         twiddle_addr;
  logic [Twiddles-1:0][CoeffWidth-1:0] twiddles;
  logic [Banks-1:0]                    bank;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign bank[b] = twiddle_write_i && 32'(twiddle_addr_i) % Banks == b;
  end

  taco_poly_buffer #(
    .Coeffs(Twiddles),
    .Depth (1 << TwiddleAddrWidth)
  ) u_twiddles (
    .clk_i,
    .read_i      (twiddle_read),
    .read_addr_i (twiddle_addr),
    .read_data_o (twiddles),
    .write_bank_i(bank),
    .write_addr_i(twiddle_addr_i[LogBanks+:TwiddleAddrWidth]),
    .write_data_i({Banks{twiddle_data_i}})
  );

  taco_ntt #(
    .Butterflies(Butterflies),
    .MaxLogN    (MaxLogN)
  ) u_ntt (
    .clk_i,
    .rst_ni,
    .start_i,
    .busy_o,
    .inverse_i,
    .log_n_i,
    .modulus_i,
    .read_o,
    .read_addr_o,
    .read_data_i,
    .write_o,
    .write_addr_o,
    .write_data_o,
    .twiddle_read_o(twiddle_read),
    .twiddle_addr_o(twiddle_addr),
    .twiddle_data_i(twiddles)
  );

endmodule
