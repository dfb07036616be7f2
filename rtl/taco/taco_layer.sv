// Residue layer: everything that happens to a polynomial modulo one prime.
//
// Buffers A (u or c1, transformed in place) and B (products, transformed in place), the twiddles and
// the keys of this prime, one transform unit for both buffers and directions, and streams between
// them (taco_pkg::layer_step_t says which run):
//   load     samples (expanded to residues) or the external stream -> A
//   ntt      transform of A or B, forward or inverse
//   product  A x key -> B
//   drain    B (+ samples or the external stream) -> residue stream
//   back     return stream -> B
// drain runs beside product or back on the same buffer: the writer of B stays behind its reader.

module taco_layer
  import taco_pkg::*;
#(
  parameter int unsigned Lanes = 2,
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MaxLogN = 13,
  localparam int unsigned KeyAddrWidth = MaxLogN - $clog2(WordCoeffs) + 2,
  localparam int unsigned Coeffs = Butterflies > 4 ? 2 * Butterflies : WordCoeffs,
  localparam int unsigned Twiddles = Coeffs / 2 > WordCoeffs ? Coeffs / 2 : WordCoeffs,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs),
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs),
  localparam int unsigned TwiddleAddrWidth = MaxLogN - $clog2(Twiddles)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  prime_t               modulus_i,
  input  logic [LogNWidth-1:0] log_n_i,
  input  logic                 start_i,
  input  layer_step_t          step_i,  // holds while busy
  output logic                 busy_o,
  output layer_events_t        events_o,

  input  logic                    twiddle_write_i,
  input  logic                    key_write_i,
  input  logic [KeyAddrWidth-1:0] memory_addr_i,  // keys: {which key, word}; twiddles: word
  input  word_t                   memory_data_i,

  input  logic                                     sample_valid_i,
  output logic                                     sample_ready_o,
  input  logic [Lanes-1:0][SampleWidth-1:0]        sample_data_i,
  input  logic                                     external_valid_i,
  output logic                                     external_ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0]         external_data_i,
  input  logic                                     back_valid_i,
  output logic                                     back_ready_o,
  input  logic [Lanes-1:0][CoeffWidth-1:0]         back_data_i,
  output logic                                     residue_valid_o,
  input  logic                                     residue_ready_i,
  output logic [Lanes-1:0][CoeffWidth-1:0]         residue_data_o
);
  typedef logic [Lanes-1:0][CoeffWidth-1:0] beat_t;
  typedef logic [Lanes-1:0][PrimeWidth-1:0] narrow_beat_t;

  function automatic narrow_beat_t narrow(beat_t beat);
    for (int unsigned i = 0; i < Lanes; i++) narrow[i] = beat[i][PrimeWidth-1:0];
  endfunction

  // Samples to residues -----------------------------------------------------------------------
  logic expanded_valid, expanded_ready;
  narrow_beat_t expanded;
  taco_rns_expand #(.Lanes(Lanes)) u_expand (
    .clk_i, .rst_ni, .modulus_i,
    .in_valid_i(sample_valid_i), .in_ready_o(sample_ready_o), .in_data_i(sample_data_i),
    .out_valid_o(expanded_valid), .out_ready_i(expanded_ready), .out_data_o(expanded)
  );

  // Transform ---------------------------------------------------------------------------------
  logic ntt_busy, ntt_read, ntt_write, twiddle_read;
  logic [AddrWidth-1:0] ntt_read_addr, ntt_write_addr;
  logic [TwiddleAddrWidth-1:0] twiddle_addr;
  logic [Coeffs-1:0][CoeffWidth-1:0] ntt_write_data, a_data, b_data;
  logic [Twiddles-1:0][CoeffWidth-1:0] twiddle_data;

  taco_ntt #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_ntt (
    .clk_i, .rst_ni, .start_i(start_i && step_i.ntt), .busy_o(ntt_busy),
    .inverse_i(step_i.ntt_inverse), .log_n_i, .modulus_i,
    .read_o(ntt_read), .read_addr_o(ntt_read_addr), .read_data_i(step_i.ntt_b ? b_data : a_data),
    .write_o(ntt_write), .write_addr_o(ntt_write_addr), .write_data_o(ntt_write_data),
    .twiddle_read_o(twiddle_read), .twiddle_addr_o(twiddle_addr), .twiddle_data_i(twiddle_data)
  );

  taco_twiddles #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_twiddles (
    .clk_i, .write_i(twiddle_write_i), .write_addr_i(memory_addr_i[WordAddrWidth-1:0]),
    .write_data_i(memory_data_i),
    .read_i(twiddle_read), .read_addr_i(twiddle_addr), .read_data_o(twiddle_data)
  );

  // Buffer A: written by load, read by product ------------------------------------------------
  localparam int unsigned Banks = Coeffs / WordCoeffs;
  logic load_busy, load_valid, load_ready, load_write, a_busy, a_read, a_valid, a_ready;
  logic [AddrWidth-1:0] load_addr, a_read_addr;
  logic [Coeffs-1:0][CoeffWidth-1:0] load_data;
  beat_t load_beat, a_beat;
  logic ntt_a;
  logic [AddrWidth-1:0] unused_load_word, unused_a_word;

  for (genvar i = 0; i < Lanes; i++) begin : gen_load
    assign load_beat[i] = step_i.load_external ? external_data_i[i] : CoeffWidth'(expanded[i]);
  end
  assign load_valid = step_i.load && (step_i.load_external ? external_valid_i : expanded_valid);
  assign ntt_a = step_i.ntt && !step_i.ntt_b;

  taco_buffer_writer #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_load (
    .clk_i, .rst_ni, .start_i(start_i && step_i.load), .log_n_i, .busy_o(load_busy),
    .word_o(unused_load_word), .hold_i(1'b0),
    .valid_i(load_valid), .ready_o(load_ready), .data_i(load_beat),
    .write_o(load_write), .write_addr_o(load_addr), .write_data_o(load_data)
  );
  taco_poly_buffer #(.Coeffs(Coeffs), .Depth(1 << AddrWidth)) u_a (
    .clk_i,
    .read_i(ntt_a ? ntt_read : a_read), .read_addr_i(ntt_a ? ntt_read_addr : a_read_addr),
    .read_data_o(a_data),
    .write_bank_i({Banks{ntt_a ? ntt_write : load_write}}),
    .write_addr_i(ntt_a ? ntt_write_addr : load_addr),
    .write_data_i(ntt_a ? ntt_write_data : load_data)
  );
  taco_buffer_reader #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_a_reader (
    .clk_i, .rst_ni, .start_i(start_i && step_i.product), .log_n_i, .busy_o(a_busy),
    .word_o(unused_a_word),
    .read_o(a_read), .read_addr_o(a_read_addr), .read_data_i(a_data),
    .valid_o(a_valid), .ready_i(a_ready), .data_o(a_beat)
  );

  // Keys and product --------------------------------------------------------------------------
  logic key_read, key_valid, key_ready, key_busy, product_valid, product_ready;
  logic [WordAddrWidth-1:0] key_addr, unused_key_word;
  logic [WordCoeffs-1:0][CoeffWidth-1:0] key_data;
  beat_t key_beat, product;

  taco_poly_buffer #(.Coeffs(WordCoeffs), .Depth(3 << WordAddrWidth), .AddrWidth(KeyAddrWidth)) u_keys (
    .clk_i, .read_i(key_read), .read_addr_i({step_i.key, key_addr}), .read_data_o(key_data),
    .write_bank_i(key_write_i), .write_addr_i(memory_addr_i), .write_data_i(memory_data_i)
  );
  taco_buffer_reader #(.Lanes(Lanes), .MaxLogN(MaxLogN)) u_key_reader (
    .clk_i, .rst_ni, .start_i(start_i && step_i.product), .log_n_i, .busy_o(key_busy),
    .word_o(unused_key_word),
    .read_o(key_read), .read_addr_o(key_addr), .read_data_i(key_data),
    .valid_o(key_valid), .ready_i(key_ready), .data_o(key_beat)
  );
  taco_dyadic #(.Lanes(Lanes)) u_dyadic (
    .clk_i, .rst_ni, .modulus_i,
    .a_valid_i(a_valid), .a_ready_o(a_ready), .a_data_i(a_beat),
    .b_valid_i(key_valid), .b_ready_o(key_ready), .b_data_i(narrow(key_beat)),
    .valid_o(product_valid), .ready_i(product_ready), .data_o(product)
  );

  // Buffer B: written by product or back, read by drain ---------------------------------------
  logic b_write_busy, b_in_valid, b_in_ready, b_hold, b_write, b_busy, b_read, b_valid, b_ready;
  logic [AddrWidth-1:0] b_write_word, b_read_word, b_write_addr, b_read_addr;
  logic [Coeffs-1:0][CoeffWidth-1:0] b_write_data;
  beat_t b_beat;
  logic ntt_b;

  assign ntt_b = step_i.ntt && step_i.ntt_b;
  assign b_in_valid = step_i.back ? back_valid_i : product_valid;
  assign b_hold = b_busy && b_write_word > b_read_word;
  assign back_ready_o = step_i.back && b_in_ready;
  assign product_ready = !step_i.back && b_in_ready;

  taco_buffer_writer #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_b_writer (
    .clk_i, .rst_ni, .start_i(start_i && (step_i.product || step_i.back)), .log_n_i,
    .busy_o(b_write_busy), .word_o(b_write_word), .hold_i(b_hold),
    .valid_i(b_in_valid), .ready_o(b_in_ready), .data_i(step_i.back ? back_data_i : product),
    .write_o(b_write), .write_addr_o(b_write_addr), .write_data_o(b_write_data)
  );
  taco_poly_buffer #(.Coeffs(Coeffs), .Depth(1 << AddrWidth)) u_b (
    .clk_i,
    .read_i(ntt_b ? ntt_read : b_read), .read_addr_i(ntt_b ? ntt_read_addr : b_read_addr),
    .read_data_o(b_data),
    .write_bank_i({Banks{ntt_b ? ntt_write : b_write}}),
    .write_addr_i(ntt_b ? ntt_write_addr : b_write_addr),
    .write_data_i(ntt_b ? ntt_write_data : b_write_data)
  );
  taco_buffer_reader #(.Lanes(Lanes), .Coeffs(Coeffs), .MaxLogN(MaxLogN)) u_b_reader (
    .clk_i, .rst_ni, .start_i(start_i && step_i.drain), .log_n_i, .busy_o(b_busy),
    .word_o(b_read_word),
    .read_o(b_read), .read_addr_o(b_read_addr), .read_data_i(b_data),
    .valid_o(b_valid), .ready_i(b_ready), .data_o(b_beat)
  );

  // Addition of errors, of c0 or of a CKKS message --------------------------------------------
  logic addend_valid, addend_ready;
  narrow_beat_t addend;

  always_comb begin
    addend_valid = 1'b1;
    addend = '0;
    if (step_i.addend == AddSample) begin
      addend_valid = expanded_valid;
      addend = expanded;
    end else if (step_i.addend == AddExternal) begin
      addend_valid = external_valid_i;
      addend = narrow(external_data_i);
    end
  end
  taco_poly_add #(.Lanes(Lanes)) u_add (
    .clk_i, .rst_ni, .modulus_i,
    .a_valid_i(b_valid), .a_ready_o(b_ready), .a_data_i(narrow(b_beat)),
    .b_valid_i(addend_valid), .b_ready_o(addend_ready), .b_data_i(addend),
    .valid_o(residue_valid_o), .ready_i(residue_ready_i), .data_o(residue_data_o)
  );
  assign expanded_ready = step_i.load ? load_ready && !step_i.load_external
                                      : addend_ready && step_i.addend == AddSample;
  assign external_ready_o = step_i.load ? load_ready && step_i.load_external
                                        : addend_ready && step_i.addend == AddExternal;

  assign busy_o = ntt_busy || load_busy || a_busy || key_busy || b_write_busy || b_busy
               || residue_valid_o;
  assign events_o = '{
    load_busy:     load_busy,
    load_stall:    load_busy && !load_valid,
    ntt_busy:      ntt_busy,
    product_busy:  a_busy,
    product_stall: a_busy && !a_ready,
    drain_busy:    b_busy,
    drain_stall:   b_busy && !b_ready
  };
endmodule
