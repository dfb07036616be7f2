// Bench wrapper: writer, buffer and reader, the writer held back as in taco_layer.

module tb_buffer
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Coeffs = WordCoeffs,
  parameter int unsigned MaxLogN = 10,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs),
  localparam int unsigned Banks = Coeffs / WordCoeffs
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [LogNWidth-1:0]             log_n_i,
  input  logic                             write_start_i,
  input  logic                             read_start_i,
  output logic                             busy_o,
  input  logic                             in_valid_i,
  output logic                             in_ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0] in_data_i,
  output logic                             out_valid_o,
  input  logic                             out_ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0] out_data_o
);
  logic write_busy, read_busy, write, read;
  logic [AddrWidth-1:0] write_word, read_word, write_addr, read_addr;
  logic [Coeffs-1:0][CoeffWidth-1:0] write_data, read_data;

  assign busy_o = write_busy || read_busy;

  taco_buffer_writer #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_writer (
    .clk_i, .rst_ni, .start_i(write_start_i), .log_n_i, .busy_o(write_busy),
    .word_o(write_word), .hold_i(read_busy && write_word > read_word),
    .valid_i(in_valid_i), .ready_o(in_ready_o), .data_i(in_data_i),
    .write_o(write), .write_addr_o(write_addr), .write_data_o(write_data)
  );
  taco_poly_buffer #(.Coeffs(Coeffs), .Depth(1 << AddrWidth)) u_buffer (
    .clk_i, .read_i(read), .read_addr_i(read_addr), .read_data_o(read_data),
    .write_bank_i({Banks{write}}), .write_addr_i(write_addr), .write_data_i(write_data)
  );
  taco_buffer_reader #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_reader (
    .clk_i, .rst_ni, .start_i(read_start_i), .log_n_i, .busy_o(read_busy), .word_o(read_word),
    .read_o(read), .read_addr_o(read_addr), .read_data_i(read_data),
    .valid_o(out_valid_o), .ready_i(out_ready_i), .data_o(out_data_o)
  );
endmodule
