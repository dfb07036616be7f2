// The layers, and what their streams meet: samples for all, modulus switching between them, the
// scaled message, words from and to the host.
//
// Physical layers 0 .. DataLayers - 1 hold data primes; the last layer holds the key prime, whose
// residue only feeds modulus switching. active_i says which take part in the step.

module taco_datapath
  import taco_pkg::*;
#(
  parameter int unsigned Residues = 3,
  parameter int unsigned MaxLogN = 13,
  parameter int unsigned Butterflies = 4,
  parameter int unsigned Lanes = 2,
  localparam int unsigned DataLayers = Residues > 1 ? Residues - 1 : 1,
  localparam int unsigned KeyLayer = Residues - 1,
  localparam int unsigned KeyAddrWidth = MaxLogN - $clog2(WordCoeffs) + 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic [LogNWidth-1:0]    log_n_i,
  input  prime_t [Residues-1:0]   modulus_i,
  input  coeff_t [DataLayers-1:0] offset_i,
  input  prime_t [DataLayers-1:0] inverse_i,
  input  logic                    key_i,
  input  logic [Residues-1:0]     active_i,

  input  logic   start_i,
  input  layer_step_t layer_step_i,
  input  route_e      step_route_i,  // of the step
  input  route_e      route_i,       // of the last step that drained
  input  logic   add_message_i,
  output logic   layers_busy_o,
  output logic   output_busy_o,

  input  logic [Residues-1:0]     twiddle_write_i,
  input  logic [Residues-1:0]     key_write_i,
  input  logic [KeyAddrWidth-1:0] memory_addr_i,
  input  word_t                   memory_data_i,

  input  logic                              sample_valid_i,
  output logic                              sample_ready_o,
  input  logic [Lanes-1:0][SampleWidth-1:0] sample_data_i,
  input  logic  [DataLayers-1:0]            in_valid_i,
  output logic  [DataLayers-1:0]            in_ready_o,  // of memory_data_i
  output logic  [DataLayers-1:0]            out_valid_o,
  input  logic  [DataLayers-1:0]            out_ready_i,
  output word_t [DataLayers-1:0]            out_word_o,
  output logic [DataLayers-1:0]                            decode_valid_o,
  input  logic [DataLayers-1:0]                            decode_ready_i,
  output logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] decode_data_o,
  input  logic [DataLayers-1:0]                            scaled_valid_i,
  output logic [DataLayers-1:0]                            scaled_ready_o,
  input  logic [DataLayers-1:0][Lanes-1:0][CoeffWidth-1:0] scaled_data_i,

  output layer_events_t data_events_o,  // of layer 0
  output layer_events_t key_events_o,
  output logic          switch_busy_o,
  output logic          switch_stall_o
);
  typedef logic [Lanes-1:0][CoeffWidth-1:0] beat_t;
  typedef logic [Lanes-1:0][PrimeWidth-1:0] narrow_beat_t;

  function automatic narrow_beat_t narrow(beat_t beat);
    for (int unsigned i = 0; i < Lanes; i++) narrow[i] = beat[i][PrimeWidth-1:0];
  endfunction

  logic          [Residues-1:0] layer_busy, queue_ready;
  layer_events_t [Residues-1:0] events;
  logic          [Residues-1:0] residue_valid, residue_ready, external_valid, external_ready;
  logic          [Residues-1:0] back_valid, back_ready;
  beat_t         [Residues-1:0] residue, external, back;

  // Every active layer takes each sample.
  assign sample_ready_o = &(queue_ready | ~active_i);

  for (genvar j = 0; j < Residues; j++) begin : gen_layer
    logic queue_valid, sample_ready;
    logic [Lanes-1:0][SampleWidth-1:0] queue_data;
    logic [2:0] unused_level;
    layer_step_t layer_step;

    // The key prime's residue is dropped: nothing comes back, and nothing leaves for the host.
    always_comb begin
      layer_step = layer_step_i;
      if (j == KeyLayer && Residues > 1) begin
        layer_step.back = 1'b0;
        if (step_route_i == RouteDirect) layer_step.drain = 1'b0;
      end
    end

    taco_fifo #(.Width(Lanes * SampleWidth), .Depth(4)) u_samples (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .in_valid_i(sample_valid_i && sample_ready_o && active_i[j]), .in_ready_o(queue_ready[j]),
      .in_data_i(sample_data_i),
      .out_valid_o(queue_valid), .out_ready_i(sample_ready), .out_data_o(queue_data),
      .level_o(unused_level)
    );
    taco_layer #(.Lanes(Lanes), .Butterflies(Butterflies), .MaxLogN(MaxLogN)) u_layer (
      .clk_i, .rst_ni, .modulus_i(modulus_i[j]), .log_n_i,
      .start_i(start_i && active_i[j]), .step_i(layer_step), .busy_o(layer_busy[j]),
      .events_o(events[j]),
      .twiddle_write_i(twiddle_write_i[j]), .key_write_i(key_write_i[j]),
      .memory_addr_i, .memory_data_i,
      .sample_valid_i(queue_valid), .sample_ready_o(sample_ready), .sample_data_i(queue_data),
      .external_valid_i(external_valid[j]), .external_ready_o(external_ready[j]),
      .external_data_i(external[j]),
      .back_valid_i(back_valid[j]), .back_ready_o(back_ready[j]), .back_data_i(back[j]),
      .residue_valid_o(residue_valid[j]), .residue_ready_i(residue_ready[j]),
      .residue_data_o(residue[j])
    );
  end
  assign layers_busy_o = |layer_busy;
  assign data_events_o = events[0];
  assign key_events_o = events[KeyLayer];

  // Modulus switching -------------------------------------------------------------------------
  logic to_switch, switch_key_ready;
  logic [DataLayers-1:0] switch_ready, switched_valid, switched_ready;
  narrow_beat_t [DataLayers-1:0] switch_data;
  beat_t [DataLayers-1:0] switched;

  assign to_switch = route_i == RouteSwitched || route_i == RouteBack;
  taco_mod_switch #(.Lanes(Lanes), .DataLayers(DataLayers)) u_switch (
    .clk_i, .rst_ni, .key_i, .active_i(active_i[DataLayers-1:0]),
    .key_modulus_i(modulus_i[KeyLayer]), .modulus_i(modulus_i[DataLayers-1:0]),
    .offset_i, .inverse_i,
    .key_valid_i(residue_valid[KeyLayer]), .key_ready_o(switch_key_ready),
    .key_data_i(narrow(residue[KeyLayer])),
    .valid_i(residue_valid[DataLayers-1:0] & {DataLayers{to_switch}}), .ready_o(switch_ready),
    .data_i(switch_data),
    .valid_o(switched_valid), .ready_i(switched_ready), .data_o(switched)
  );
  assign switch_busy_o = |switched_valid;
  assign switch_stall_o = |(switched_valid & ~switched_ready);
  if (Residues > 1) begin : gen_key_ports
    assign residue_ready[KeyLayer] = switch_key_ready;
    assign external_valid[KeyLayer] = 1'b0;
    assign external[KeyLayer] = '0;
    assign back_valid[KeyLayer] = 1'b0;
    assign back[KeyLayer] = '0;
    logic unused_key_ready;
    assign unused_key_ready = external_ready[KeyLayer] ^ back_ready[KeyLayer];
  end else begin : gen_no_key
    logic unused_switch_key_ready;
    assign unused_switch_key_ready = switch_key_ready;
  end

  // Routes of the data layers -----------------------------------------------------------------
  logic [DataLayers-1:0] output_busy;
  logic output_start;
  assign output_start = start_i && layer_step_i.drain
                     && (step_route_i == RouteSwitched || step_route_i == RouteDirect);

  for (genvar j = 0; j < DataLayers; j++) begin : gen_route
    logic add_valid, add_ready, sum_valid, sum_ready, pack_valid, pack_ready;
    beat_t sum;

    assign switch_data[j] = narrow(residue[j]);
    always_comb begin
      unique case (route_i)
        RouteDirect: residue_ready[j] = pack_ready;
        RouteDecode: residue_ready[j] = decode_ready_i[j];
        default: residue_ready[j] = switch_ready[j];
      endcase
    end
    assign decode_valid_o[j] = residue_valid[j] && route_i == RouteDecode;
    assign decode_data_o[j] = residue[j];

    assign back_valid[j] = switched_valid[j] && route_i == RouteBack;
    assign back[j] = switched[j];
    assign switched_ready[j] = route_i == RouteBack ? back_ready[j] : add_ready;
    assign add_valid = switched_valid[j] && route_i != RouteBack;

    logic scaled_ready;
    assign scaled_ready_o[j] = scaled_ready && add_message_i;
    taco_poly_add #(.Lanes(Lanes)) u_add_message (
      .clk_i, .rst_ni, .modulus_i(modulus_i[j]),
      .a_valid_i(add_valid), .a_ready_o(add_ready), .a_data_i(narrow(switched[j])),
      .b_valid_i(scaled_valid_i[j] || !add_message_i), .b_ready_o(scaled_ready),
      .b_data_i(add_message_i ? narrow(scaled_data_i[j]) : '0),
      .valid_o(sum_valid), .ready_i(sum_ready), .data_o(sum)
    );

    assign pack_valid = route_i == RouteDirect ? residue_valid[j] : sum_valid;
    assign sum_ready = pack_ready && route_i != RouteDirect;
    taco_word_pack #(.Lanes(Lanes)) u_pack (
      .clk_i, .rst_ni, .start_i(output_start && active_i[j]), .log_n_i,
      .busy_o(output_busy[j]),
      .valid_i(pack_valid), .ready_o(pack_ready),
      .data_i(route_i == RouteDirect ? residue[j] : sum),
      .word_valid_o(out_valid_o[j]), .word_ready_i(out_ready_i[j]), .word_o(out_word_o[j])
    );
    taco_word_unpack #(.Lanes(Lanes)) u_unpack (
      .clk_i, .rst_ni,
      .word_valid_i(in_valid_i[j]), .word_ready_o(in_ready_o[j]), .word_i(memory_data_i),
      .valid_o(external_valid[j]), .ready_i(external_ready[j]), .data_o(external[j])
    );
  end
  assign output_busy_o = |output_busy;
endmodule
