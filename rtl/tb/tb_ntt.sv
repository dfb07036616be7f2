// Bench wrapper: the transform with its polynomial buffer and twiddle memory, both loaded and read
// by the bench 64 bytes at a time.

module tb_ntt
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MaxLogN = 10,
  localparam int unsigned Coeffs = Butterflies > 4 ? 2 * Butterflies : WordCoeffs,
  localparam int unsigned Twiddles = Coeffs / 2 > WordCoeffs ? Coeffs / 2 : WordCoeffs,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs),
  localparam int unsigned TwiddleAddrWidth = MaxLogN - $clog2(Twiddles),
  localparam int unsigned Banks = Coeffs / WordCoeffs
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  output logic                 busy_o,
  input  logic                 inverse_i,
  input  logic [LogNWidth-1:0] log_n_i,
  input  prime_t               modulus_i,

  input  logic                              load_i,
  input  logic                              load_twiddle_i,
  input  logic [MaxLogN-4:0]                load_word_i,
  input  word_t                             load_data_i,
  input  logic                              fetch_i,
  input  logic [AddrWidth-1:0]              fetch_addr_i,
  output logic [Coeffs-1:0][CoeffWidth-1:0] fetch_data_o
);
  logic read, write, twiddle_read;
  logic [AddrWidth-1:0] read_addr, write_addr;
  logic [TwiddleAddrWidth-1:0] twiddle_addr;
  logic [Coeffs-1:0][CoeffWidth-1:0] write_data;
  logic [Twiddles-1:0][CoeffWidth-1:0] twiddle_data;
  logic [Banks-1:0] load_bank;

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign load_bank[b] = load_i && load_word_i % Banks == b;
  end

  taco_ntt #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_ntt (
    .clk_i, .rst_ni, .start_i, .busy_o, .inverse_i, .log_n_i, .modulus_i,
    .read_o(read), .read_addr_o(read_addr), .read_data_i(fetch_data_o),
    .write_o(write), .write_addr_o(write_addr), .write_data_o(write_data),
    .twiddle_read_o(twiddle_read), .twiddle_addr_o(twiddle_addr), .twiddle_data_i(twiddle_data)
  );

  taco_poly_buffer #(.Coeffs(Coeffs), .Depth(1 << AddrWidth)) u_buffer (
    .clk_i,
    .read_i(read || fetch_i), .read_addr_i(fetch_i ? fetch_addr_i : read_addr),
    .read_data_o(fetch_data_o),
    .write_bank_i(write ? '1 : load_bank),
    .write_addr_i(write ? write_addr : AddrWidth'(load_word_i / Banks)),
    .write_data_i(write ? write_data : {Banks{load_data_i}})
  );

  taco_twiddles #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_twiddles (
    .clk_i, .write_i(load_twiddle_i), .write_addr_i(load_word_i), .write_data_i(load_data_i),
    .read_i(twiddle_read), .read_addr_i(twiddle_addr), .read_data_o(twiddle_data)
  );
endmodule
