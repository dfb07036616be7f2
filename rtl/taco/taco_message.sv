// Message unit: BFV encoding with scaling by q / t, and the end of decryption with decoding.
//
// Parameters
//   Lanes        coefficients a beat of the residue streams.
//   DataLayers   data primes of the machine, 1 to 15; data_layers_i marks those that take part.
//   MaxLogN      log2 of the largest polynomial.
//   Butterflies  processing elements of the transform modulo t.
//
// Encoding  Place    message slots to their places in the buffer       N / 8 cycles
//           Inverse  inverse transform modulo t, in place              taco_ntt
//           Scale    round(q m / t) modulo every q_j to the layers     N / Lanes and latency
// Decoding  Round    residues to round(t x / q) mod t, to the buffer   N / Lanes and latency
//           Forward  transform modulo t, in place                      taco_ntt
//           Gather   places to message slots                           N / 8 cycles
//
// The host writes and reads the message in words of eight slots, in SEAL's slot order, and loads the
// twiddles of t, while both busy outputs are low. The constants are in taco_message_config. While
// Scale waits for the layers, the buffer keeps the plaintext polynomial. Slots must be below t.

module taco_message
  import taco_pkg::*;
#(
  parameter int unsigned Lanes       = 2,
  parameter int unsigned DataLayers  = 2,
  parameter int unsigned MaxLogN     = 13,
  parameter int unsigned Butterflies = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  cfg_valid_i,
  input  logic [7:0]            cfg_addr_i,
  input  coeff_t                cfg_data_i,
  input  logic [MaxLogN-4:0]    host_addr_i,  // word of a message or of the twiddles
  input  word_t                 host_data_i,
  input  logic                  message_write_i,
  input  logic                  twiddle_write_i,
  input  logic                  message_read_i,
  output word_t                 message_data_o,

  input  logic [LogNWidth-1:0]  log_n_i,  // these two hold while busy
  input  logic [DataLayers-1:0] data_layers_i,
  input  logic                  encode_start_i,
  output logic                  encode_busy_o,
  input  logic                  decode_start_i,
  output logic                  decode_busy_o,

  output logic [DataLayers-1:0]                            scaled_valid_o,
  input  logic [DataLayers-1:0]                            scaled_ready_i,
  output logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] scaled_data_o,
  input  logic [DataLayers-1:0]                            residue_valid_i,
  output logic [DataLayers-1:0]                            residue_ready_o,
  input  logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] residue_data_i
);

  localparam int unsigned Coeffs    = Butterflies > 4 ? 2 * Butterflies : WordCoeffs;
  localparam int unsigned Banks     = Coeffs / WordCoeffs;
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs);
  localparam int unsigned Twiddles  = Butterflies > WordCoeffs ? Butterflies : WordCoeffs;
  localparam int unsigned TwiddleAddrWidth = MaxLogN - $clog2(Twiddles);

  typedef logic [Coeffs-1:0][CoeffWidth-1:0] row_t;
  typedef logic [AddrWidth-1:0]              addr_t;

  // Sequence --------------------------------------------------------------------------------------
  typedef enum logic [2:0] {Idle, Place, Inverse, Scale, Round, Forward, Gather} state_e;

  state_e state_q, state_d;
  logic   first_q;  // first cycle in a state: starts what it needs
  logic   slots_busy, transform_busy, residues_busy, done;

  assign done          = !first_q && !slots_busy && !transform_busy && !residues_busy;
  assign encode_busy_o = state_q == Place || state_q == Inverse || state_q == Scale;
  assign decode_busy_o = state_q == Round || state_q == Forward || state_q == Gather;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (encode_start_i)      state_d = Place;
        else if (decode_start_i) state_d = Round;
      end
      Place:   if (done) state_d = Inverse;
      Inverse: if (done) state_d = Scale;
      Scale:   if (done) state_d = Idle;
      Round:   if (done) state_d = Forward;
      Forward: if (done) state_d = Gather;
      Gather:  if (done) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      first_q <= 1'b0;
    end else begin
      state_q <= state_d;
      first_q <= state_d != state_q;
    end
  end

  // The polynomial buffer and who has it ----------------------------------------------------------
  logic             transform_read, transform_write, residues_read, residues_write, slots_read, read;
  addr_t            transform_read_addr, transform_write_addr, residues_read_addr, slots_read_addr;
  addr_t            residues_write_addr, slots_write_addr, read_addr, write_addr;
  logic [Banks-1:0] slots_write_bank, write_bank;
  row_t             read_data, write_data, transform_write_data, residues_write_data;
  row_t             slots_write_data;
  prime_t           plain_modulus;

  always_comb begin
    read       = transform_read;
    read_addr  = transform_read_addr;
    write_bank = {Banks{transform_write}};
    write_addr = transform_write_addr;
    write_data = transform_write_data;
    if (state_q == Place || state_q == Gather) begin
      read       = slots_read;
      read_addr  = slots_read_addr;
      write_bank = slots_write_bank;
      write_addr = slots_write_addr;
      write_data = slots_write_data;
    end else if (state_q == Scale || state_q == Round) begin
      read       = residues_read;
      read_addr  = residues_read_addr;
      write_bank = {Banks{residues_write}};
      write_addr = residues_write_addr;
      write_data = residues_write_data;
    end
  end

  taco_poly_buffer #(
    .Coeffs(Coeffs),
    .Depth (1 << AddrWidth)
  ) u_buffer (
    .clk_i,
    .read_i      (read),
    .read_addr_i (read_addr),
    .read_data_o (read_data),
    .write_bank_i(write_bank),
    .write_addr_i(write_addr),
    .write_data_i(write_data)
  );

  taco_message_slots #(
    .Coeffs (Coeffs),
    .MaxLogN(MaxLogN)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .start_i     (first_q && (state_q == Place || state_q == Gather)),
    .gather_i    (state_q == Gather),
    .log_n_i,
    .busy_o      (slots_busy),
    .host_write_i(message_write_i),
    .host_read_i (message_read_i),
    .host_addr_i,
    .host_data_i,
    .host_data_o (message_data_o),
    .read_o      (slots_read),
    .read_addr_o (slots_read_addr),
    .read_data_i (read_data),
    .write_bank_o(slots_write_bank),
    .write_addr_o(slots_write_addr),
    .write_data_o(slots_write_data)
  );

  logic                                twiddle_read;
  logic [TwiddleAddrWidth-1:0]         twiddle_addr;
  logic [Twiddles-1:0][CoeffWidth-1:0] twiddle_data;

  taco_twiddles #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_twiddles (
    .clk_i, .write_i(twiddle_write_i), .write_addr_i(host_addr_i), .write_data_i(host_data_i),
    .read_i(twiddle_read), .read_addr_i(twiddle_addr), .read_data_o(twiddle_data)
  );

  taco_ntt #(.Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_ntt (
    .clk_i, .rst_ni, .start_i(first_q && (state_q == Inverse || state_q == Forward)),
    .busy_o(transform_busy), .inverse_i(state_q == Inverse), .log_n_i, .modulus_i(plain_modulus),
    .read_o(transform_read), .read_addr_o(transform_read_addr), .read_data_i(read_data),
    .write_o(transform_write), .write_addr_o(transform_write_addr),
    .write_data_o(transform_write_data),
    .twiddle_read_o(twiddle_read), .twiddle_addr_o(twiddle_addr), .twiddle_data_i(twiddle_data)
  );

  taco_message_residues #(
    .Lanes     (Lanes),
    .DataLayers(DataLayers),
    .Coeffs    (Coeffs),
    .MaxLogN   (MaxLogN)
  ) u_residues (
    .clk_i,
    .rst_ni,
    .scale_i        (first_q && state_q == Scale),
    .round_i        (first_q && state_q == Round),
    .busy_o         (residues_busy),
    .log_n_i,
    .layers_i       (data_layers_i),
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .plain_modulus_o(plain_modulus),
    .read_o         (residues_read),
    .read_addr_o    (residues_read_addr),
    .read_data_i    (read_data),
    .write_o        (residues_write),
    .write_addr_o   (residues_write_addr),
    .write_data_o   (residues_write_data),
    .scaled_valid_o,
    .scaled_ready_i,
    .scaled_data_o,
    .residue_valid_i,
    .residue_ready_o,
    .residue_data_i
  );

endmodule
