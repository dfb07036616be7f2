// Between the plaintext polynomial and the residue layers, Lanes coefficients a cycle.
//
// Parameters
//   Lanes       coefficients a beat.
//   DataLayers  data primes of the machine; layers_i marks those that take part.
//   Coeffs      coefficients a word of the polynomial buffer.
//   MaxLogN     log2 of the largest polynomial.
//
// scale_i: the polynomial is read, and every layer gets round(q m / t) modulo its prime. A stage that
// cannot move stops all before it; behind the arithmetic every layer has a small buffer of its own,
// so that layers need not take their beats in the same cycle.
// round_i: residues of all layers are taken together and round(t x / q) mod t is written.
// Both start with one pulse; busy_o is high until the last beat was taken or the last word written.

module taco_message_residues
  import taco_pkg::*;
#(
  parameter int unsigned Lanes      = 2,
  parameter int unsigned DataLayers = 2,
  parameter int unsigned Coeffs     = WordCoeffs,
  parameter int unsigned MaxLogN    = 13,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              scale_i,
  input  logic                              round_i,
  output logic                              busy_o,
  input  logic [LogNWidth-1:0]              log_n_i,
  input  logic [DataLayers-1:0]             layers_i,

  input  logic                              cfg_valid_i,
  input  logic [7:0]                        cfg_addr_i,
  input  coeff_t                            cfg_data_i,
  output prime_t                            plain_modulus_o,

  output logic                              read_o,
  output logic [AddrWidth-1:0]              read_addr_o,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] read_data_i,
  output logic                              write_o,
  output logic [AddrWidth-1:0]              write_addr_o,
  output logic [Coeffs-1:0][CoeffWidth-1:0] write_data_o,

  output logic [DataLayers-1:0]                            scaled_valid_o,
  input  logic [DataLayers-1:0]                            scaled_ready_i,
  output logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] scaled_data_o,
  input  logic [DataLayers-1:0]                            residue_valid_i,
  output logic [DataLayers-1:0]                            residue_ready_o,
  input  logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] residue_data_i
);

  localparam int unsigned LogLanes  = $clog2(Lanes);
  localparam int unsigned BeatWidth = MaxLogN - LogLanes + 1;

  // Direction and progress ------------------------------------------------------------------------
  logic                 scaling_q, rounding_q, all_beats, beat_done;
  logic [BeatWidth-1:0] beats_q;  // handed to the layers' buffers, or taken from the layers
  logic                 writer_busy;
  logic                 unused_reader_busy, unused_ready;
  logic [AddrWidth-1:0] unused_read_word, unused_write_word;

  assign all_beats = beats_q == BeatWidth'(1) << (log_n_i - LogNWidth'(LogLanes));
  assign busy_o    = scaling_q | rounding_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scaling_q  <= 1'b0;
      rounding_q <= 1'b0;
      beats_q    <= '0;
    end else begin
      if (scale_i)                              scaling_q <= 1'b1;
      else if (all_beats && scaled_valid_o == '0) scaling_q <= 1'b0;
      if (round_i)                              rounding_q <= 1'b1;
      else if (all_beats && !writer_busy)       rounding_q <= 1'b0;
      if (scale_i | round_i)                    beats_q <= '0;
      else if (beat_done)                       beats_q <= beats_q + 1'b1;
    end
  end

  // Arithmetic ------------------------------------------------------------------------------------
  prime_t                    gamma, negated_q, inverse_gamma;
  prime_t [DataLayers-1:0]   modulus, inverse_plain, digit_factor, plain_factor, gamma_factor;
  logic                      enable, read_valid, residues_taken;
  logic [Lanes-1:0]          scaled_valid, rounded_valid;
  coeff_t [Lanes-1:0]        read_beat, rounded;
  coeff_t [Lanes-1:0][DataLayers-1:0] scaled, residues;

  taco_message_config #(
    .DataLayers(DataLayers)
  ) u_config (
    .clk_i,
    .cfg_valid_i,
    .cfg_addr_i,
    .cfg_data_i,
    .plain_modulus_o,
    .gamma_o        (gamma),
    .negated_q_o    (negated_q),
    .inverse_gamma_o(inverse_gamma),
    .modulus_o      (modulus),
    .inverse_plain_o(inverse_plain),
    .digit_factor_o (digit_factor),
    .plain_factor_o (plain_factor),
    .gamma_factor_o (gamma_factor)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    // A layer that takes no part counts as residue 0, which adds nothing to any sum.
    for (genvar j = 0; j < DataLayers; j++) begin : gen_residue
      assign residues[i][j] = layers_i[j] ? residue_data_i[j][i] : '0;
    end
    taco_message_lane #(
      .DataLayers(DataLayers)
    ) u_lane (
      .clk_i,
      .rst_ni,
      .enable_i           (enable),
      .decode_i           (rounding_q),
      .plain_modulus_i    (plain_modulus_o),
      .gamma_i            (gamma),
      .negated_q_i        (negated_q),
      .inverse_gamma_i    (inverse_gamma),
      .modulus_i          (modulus),
      .inverse_plain_i    (inverse_plain),
      .digit_factor_i     (digit_factor),
      .plain_factor_i     (plain_factor),
      .gamma_factor_i     (gamma_factor),
      .valid_i            (rounding_q ? residues_taken : read_valid),
      .coefficient_i      (read_beat[i]),
      .residue_i          (residues[i]),
      .scaled_valid_o     (scaled_valid[i]),
      .scaled_o           (scaled[i]),
      .coefficient_valid_o(rounded_valid[i]),
      .coefficient_o      (rounded[i])
    );
  end

  // Scaling: buffer -> arithmetic -> a small buffer for each layer --------------------------------
  logic [DataLayers-1:0] layer_ready;

  assign enable    = rounding_q | (&(layer_ready | ~layers_i));
  assign beat_done = rounding_q ? residues_taken : enable & (&scaled_valid);

  taco_buffer_reader #(
    .Lanes  (Lanes),
    .Coeffs (Coeffs),
    .MaxLogN(MaxLogN)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .start_i    (scale_i),
    .log_n_i,
    .busy_o     (unused_reader_busy),
    .word_o     (unused_read_word),
    .read_o,
    .read_addr_o,
    .read_data_i,
    .valid_o    (read_valid),
    .ready_i    (enable),
    .data_o     (read_beat)
  );

  for (genvar j = 0; j < DataLayers; j++) begin : gen_layer
    coeff_t [Lanes-1:0] beat;
    logic   [1:0]       unused_level;
    for (genvar i = 0; i < Lanes; i++) begin : gen_beat
      assign beat[i] = scaled[i][j];
    end
    taco_fifo #(
      .Width(Lanes * CoeffWidth),
      .Depth(2)
    ) u_fifo (
      .clk_i,
      .rst_ni,
      .clear_i    (1'b0),
      .in_valid_i (enable & (&scaled_valid) & layers_i[j]),
      .in_ready_o (layer_ready[j]),
      .in_data_i  (beat),
      .out_valid_o(scaled_valid_o[j]),
      .out_ready_i(scaled_ready_i[j]),
      .out_data_o (scaled_data_o[j]),
      .level_o    (unused_level)
    );
  end

  // Rounding: all layers at once -> arithmetic -> buffer ------------------------------------------
  assign residues_taken  = rounding_q & ~all_beats & (&(residue_valid_i | ~layers_i));
  assign residue_ready_o = layers_i & {DataLayers{residues_taken}};

  taco_buffer_writer #(
    .Lanes  (Lanes),
    .Coeffs (Coeffs),
    .MaxLogN(MaxLogN)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .start_i     (round_i),
    .log_n_i,
    .busy_o      (writer_busy),
    .word_o      (unused_write_word),
    .hold_i      (1'b0),
    .valid_i     (&rounded_valid),
    .ready_o     (unused_ready),  // always high while busy
    .data_i      (rounded),
    .write_o,
    .write_addr_o,
    .write_data_o
  );

endmodule
