// TACO: encrypts and decrypts BFV and CKKS, k residues in parallel.
//
// Residues            layers built: k up to this, the last physical layer is the key prime's
// MaxLogN             log2 of the largest polynomial
// Butterflies         of each layer's transform unit: 1, 2, 4, 8, 16, 32
// MessageButterflies  of the message unit's transform
// Lanes               coefficients a beat of every stream: 1, 2, 4, 8
// ClippedNormal       errors as in SEAL 3.4 instead of centered binomial as in SEAL 4
//
// The host writes parameters, constants and keys once, then commands (taco_host, taco_registers).

module taco_top
  import taco_pkg::*;
#(
  parameter int unsigned Residues = 3,
  parameter int unsigned MaxLogN = 13,
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MessageButterflies = 4,
  parameter int unsigned Lanes = 2,
  parameter bit          ClippedNormal = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_write_i,
  input  logic [23:0] req_addr_i,
  input  word_t       req_data_i,
  output logic        rsp_valid_o,
  output word_t       rsp_data_o
);
  localparam int unsigned DataLayers = Residues > 1 ? Residues - 1 : 1;
  localparam int unsigned KeyLayer = Residues - 1;
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs);

  // Host, registers, sequence -----------------------------------------------------------------
  logic busy, error_valid, register_write, count_clear, running, start, add_message, key_layer;
  logic command_valid, command_ready, seed_load, decode_pending, message_loaded_q;
  error_e error;
  coeff_t register_data;
  logic [31:0] count;
  command_t command;
  step_t step;
  route_e route;
  logic [3:0] step_number;
  logic [LogNWidth-1:0] log_n;
  logic [255:0] seed;
  logic [63:0] nonce;
  prime_t [Residues-1:0] modulus;
  coeff_t [DataLayers-1:0] switch_offset;
  prime_t [DataLayers-1:0] switch_inverse;
  logic [DataLayers-1:0] data_layers, command_layers;
  logic [Residues-1:0] twiddle_write, twiddles_loaded, key_write;
  logic [Residues-1:0][2:0] key_loaded;
  logic [DataLayers-1:0] in_valid, in_ready, out_valid, out_ready;
  word_t [DataLayers-1:0] out_word;
  logic message_open, message_write, message_loaded, message_read, message_twiddle_write;
  logic message_config_write, encode_busy, decode_busy;
  word_t message_word;
  logic [Residues-1:0] layer_active;
  logic layers_busy, output_busy, sampler_busy;

  taco_host #(.Residues(Residues)) u_host (
    .clk_i, .rst_ni, .req_valid_i, .req_ready_o, .req_write_i, .req_addr_i,
    .rsp_valid_o, .rsp_data_o,
    .busy_i(busy), .log_n_i(log_n), .error_valid_o(error_valid), .error_o(error),
    .register_write_o(register_write), .register_data_i(register_data),
    .twiddle_write_o(twiddle_write), .twiddles_loaded_o(twiddles_loaded),
    .key_write_o(key_write), .key_loaded_o(key_loaded),
    .in_valid_o(in_valid), .in_ready_i(in_ready),
    .out_valid_i(out_valid), .out_ready_o(out_ready), .out_word_i(out_word),
    .message_open_i(message_open), .message_write_o(message_write),
    .message_loaded_o(message_loaded), .message_read_o(message_read),
    .message_data_i(message_word), .message_twiddle_write_o(message_twiddle_write),
    .message_config_write_o(message_config_write)
  );

  taco_registers #(.Residues(Residues), .MaxLogN(MaxLogN)) u_registers (
    .clk_i, .rst_ni,
    .write_i(register_write), .index_i(req_addr_i[7:0]), .data_i(req_data_i[CoeffWidth-1:0]),
    .data_o(register_data), .error_valid_i(error_valid), .error_i(error),
    .twiddles_loaded_i(twiddles_loaded), .key_loaded_i(key_loaded),
    .message_loaded_i(message_loaded_q), .decode_pending_o(decode_pending),
    .step_i(step_number), .running_i(running), .busy_o(busy),
    .count_clear_o(count_clear), .count_i(count),
    .command_valid_o(command_valid), .command_ready_i(command_ready), .command_o(command),
    .log_n_o(log_n), .data_layers_o(data_layers), .key_layer_o(key_layer),
    .seed_o(seed), .nonce_o(nonce), .seed_load_o(seed_load),
    .modulus_o(modulus), .offset_o(switch_offset), .inverse_o(switch_inverse)
  );

  taco_sequence u_sequence (
    .clk_i, .rst_ni, .valid_i(command_valid), .ready_o(command_ready), .op_i(command.op),
    .running_o(running), .start_o(start), .step_o(step), .route_o(route),
    .add_message_o(add_message), .number_o(step_number),
    .layers_busy_i(layers_busy), .sampler_busy_i(sampler_busy),
    .output_busy_i(output_busy), .message_busy_i(encode_busy || decode_busy)
  );

  // Layers that take part in the command and in its step.
  always_comb begin
    for (int unsigned j = 0; j < DataLayers; j++) begin
      command_layers[j] = data_layers[j]
                       && (command.residues == '0 || 4'(j) < command.residues);
    end
    layer_active = '0;
    layer_active[DataLayers-1:0] = command_layers;
    if (Residues > 1) layer_active[KeyLayer] = step.key_layer && key_layer;
  end

  // Samples and residues ----------------------------------------------------------------------
  logic sample_valid, sample_ready;
  logic [Lanes-1:0][SampleWidth-1:0] sample;
  logic [DataLayers-1:0] decode_valid, decode_ready, scaled_valid, scaled_ready;
  logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] decode_data, scaled;
  layer_events_t data_events, key_events;
  logic switch_busy, switch_stall;

  taco_sampler #(.Lanes(Lanes), .ClippedNormal(ClippedNormal)) u_sampler (
    .clk_i, .rst_ni, .seed_load_i(seed_load), .seed_i(seed), .nonce_i(nonce),
    .start_i(start && step.sample), .error_i(step.sample_error), .log_n_i(log_n),
    .busy_o(sampler_busy),
    .sample_valid_o(sample_valid), .sample_ready_i(sample_ready), .sample_data_o(sample)
  );

  taco_datapath #(
    .Residues(Residues), .MaxLogN(MaxLogN), .Butterflies(Butterflies), .Lanes(Lanes)
  ) u_datapath (
    .clk_i, .rst_ni, .log_n_i(log_n), .modulus_i(modulus), .offset_i(switch_offset),
    .inverse_i(switch_inverse), .key_i(key_layer), .active_i(layer_active),
    .start_i(start), .layer_step_i(step.layer), .step_route_i(step.route), .route_i(route), .add_message_i(add_message),
    .layers_busy_o(layers_busy), .output_busy_o(output_busy),
    .twiddle_write_i(twiddle_write), .key_write_i(key_write),
    .memory_addr_i({req_addr_i[13:12], req_addr_i[WordAddrWidth-1:0]}),
    .memory_data_i(req_data_i),
    .sample_valid_i(sample_valid), .sample_ready_o(sample_ready), .sample_data_i(sample),
    .in_valid_i(in_valid), .in_ready_o(in_ready),
    .out_valid_o(out_valid), .out_ready_i(out_ready), .out_word_o(out_word),
    .decode_valid_o(decode_valid), .decode_ready_i(decode_ready), .decode_data_o(decode_data),
    .scaled_valid_i(scaled_valid), .scaled_ready_o(scaled_ready), .scaled_data_i(scaled),
    .data_events_o(data_events), .key_events_o(key_events),
    .switch_busy_o(switch_busy), .switch_stall_o(switch_stall)
  );

  // Message unit ------------------------------------------------------------------------------
  // Encoding begins as soon as an encryption runs and its message is there.
  logic encode_start, decode_start, encoded_q;
  assign encode_start = running && command.op == OpBfvEncrypt && message_loaded_q && !encoded_q
                     && !encode_busy;
  assign decode_start = start && step.route == RouteDecode;
  assign message_open = !message_loaded_q && !encode_busy && !decode_busy && !decode_pending;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      message_loaded_q <= 1'b0;
      encoded_q <= 1'b0;
    end else begin
      message_loaded_q <= message_loaded || (message_loaded_q && !encode_start);
      encoded_q <= (encoded_q || encode_start) && !command_ready;
    end
  end

  taco_message #(
    .Lanes(Lanes), .DataLayers(DataLayers), .MaxLogN(MaxLogN), .Butterflies(MessageButterflies)
  ) u_message (
    .clk_i, .rst_ni, .log_n_i(log_n), .data_layers_i(layer_active[DataLayers-1:0]),
    .cfg_valid_i(message_config_write), .cfg_addr_i(req_addr_i[7:0]),
    .cfg_data_i(req_data_i[CoeffWidth-1:0]),
    .host_addr_i(req_addr_i[WordAddrWidth-1:0]), .host_data_i(req_data_i),
    .message_write_i(message_write), .twiddle_write_i(message_twiddle_write),
    .message_read_i(message_read), .message_data_o(message_word),
    .encode_start_i(encode_start), .encode_busy_o(encode_busy),
    .scaled_valid_o(scaled_valid), .scaled_ready_i(scaled_ready), .scaled_data_o(scaled),
    .decode_start_i(decode_start), .decode_busy_o(decode_busy),
    .residue_valid_i(decode_valid), .residue_ready_o(decode_ready), .residue_data_i(decode_data)
  );

  // Counters, in this order from register 128 on ----------------------------------------------
  localparam int unsigned Events = 24;
  taco_counters #(.Events(Events)) u_counters (
    .clk_i, .rst_ni, .clear_i(count_clear), .index_i(req_addr_i[$clog2(Events)-1:0]),
    .count_o(count),
    .event_i({
      |(out_valid & ~out_ready),      // 23 words wait for the host
      |(in_valid & in_ready),         // 22 words in
      |(out_valid & out_ready),       // 21 words out
      decode_busy,                    // 20
      encode_busy,                    // 19
      switch_stall,                   // 18
      switch_busy,                    // 17
      sample_valid && !sample_ready,  // 16 samples wait for the layers
      sampler_busy,                   // 15
      key_events,                     // 14 to 8, layer_events_t of the key prime's layer
      data_events,                    // 7 to 1, layer_events_t of layer 0
      running                         // 0
    })
  );
endmodule
