// Registers of the host interface: parameters, constants of the layers, commands and errors.
//
// Number   written                                            read
//    0     command: {residues, op}, into a queue
//    1                                                        status: {queue level 15:12, step 11:8,
//                                                             error 7:4, message loaded 1, busy 0}
//    2     clears the error                                   error (the first since it was cleared)
//    3     {k 15:8, log2 N 3:0}: forgets all keys and tables  the same
//    4..7  seed, 64 bits each, low first
//    8     nonce; the random stream of seed and nonce begins
//    9     clears the counters
//   16+4j  prime of physical layer j (the key prime's is the last layer)
//   17+4j  offset, 18+4j  inverse of modulus switching (taco_mod_switch)
//  128+i                                                      counter i
//
// A command is checked when it comes. With an error it is dropped, the first error is kept, and the
// unit goes on.

module taco_registers
  import taco_pkg::*;
#(
  parameter int unsigned Residues = 3,
  parameter int unsigned MaxLogN = 13,
  parameter int unsigned QueueDepth = 4,
  localparam int unsigned DataLayers = Residues > 1 ? Residues - 1 : 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       write_i,
  input  logic [7:0] index_i,
  input  coeff_t     data_i,
  output coeff_t     data_o,
  input  logic       error_valid_i,  // found by taco_host
  input  error_e     error_i,

  input  logic [Residues-1:0]      twiddles_loaded_i,  // last word written, one cycle
  input  logic [Residues-1:0][2:0] key_loaded_i,
  input  logic                     message_loaded_i,
  output logic                     decode_pending_o,  // a BFV decryption is queued or running
  input  logic [3:0]               step_i,
  input  logic                     running_i,
  output logic                     busy_o,
  output logic                     count_clear_o,
  input  logic [31:0]              count_i,

  output logic                     command_valid_o,
  input  logic                     command_ready_i,
  output command_t                 command_o,
  output logic [LogNWidth-1:0]     log_n_o,
  output logic [DataLayers-1:0]    data_layers_o,  // which layers k gives work to
  output logic                     key_layer_o,    // k > 1
  output logic [255:0]             seed_o,
  output logic [63:0]              nonce_o,
  output logic                     seed_load_o,
  output prime_t [Residues-1:0]    modulus_o,
  output coeff_t [DataLayers-1:0]  offset_o,
  output prime_t [DataLayers-1:0]  inverse_o
);
  localparam int unsigned LevelWidth = $clog2(QueueDepth) + 1;

  logic [LogNWidth-1:0]     log_n_q;
  logic [7:0]               residues_q;
  logic                     valid_parameters_q, seeded_q;
  logic [3:0][63:0]         seed_q;
  logic [Residues-1:0]      twiddles_q, layers, physical;
  logic [Residues-1:0][2:0] keys_q;
  error_e                   error_q, error_d;
  logic                     queue_valid, queue_ready;
  logic [LevelWidth-1:0]    level;
  command_t                 command;
  logic                     parameters_write, command_write;

  assign command = data_i[$bits(command_t)-1:0];
  assign parameters_write = write_i && index_i == 8'd3;
  assign command_write = write_i && index_i == 8'd0;
  assign busy_o = running_i || queue_valid;

  // Layers that take part: data layers 0 .. k - 2, and the last one for the key prime.
  always_comb begin
    for (int unsigned j = 0; j < DataLayers; j++) data_layers_o[j] = j == 0 || 8'(j + 1) < residues_q;
    physical = '0;
    physical[DataLayers-1:0] = data_layers_o;
    layers = physical;
    if (residues_q > 8'd1) layers[Residues-1] = 1'b1;
  end
  assign key_layer_o = residues_q > 8'd1;

  // Checks ------------------------------------------------------------------------------------
  logic encrypt, decrypt, ready_to_encrypt, ready_to_decrypt;
  assign encrypt = command.op == OpBfvEncrypt || command.op == OpCkksEncrypt;
  assign decrypt = command.op == OpBfvDecrypt || command.op == OpCkksDecrypt;
  always_comb begin
    ready_to_encrypt = &(twiddles_q | ~layers);
    ready_to_decrypt = &(twiddles_q | ~physical);
    for (int unsigned j = 0; j < Residues; j++) begin
      if (layers[j] && keys_q[j][1:0] != 2'b11) ready_to_encrypt = 1'b0;
      if (physical[j] && !keys_q[j][2]) ready_to_decrypt = 1'b0;
    end
  end

  always_comb begin
    error_d = ErrNone;
    if (error_valid_i) begin
      error_d = error_i;
    end else if (parameters_write) begin
      if (data_i[7:0] < 8'(LogNMin) || data_i[7:0] > 8'(MaxLogN)) error_d = ErrDegree;
      else if (data_i[15:8] == '0 || data_i[15:8] > 8'(Residues)) error_d = ErrResidues;
    end else if (command_write) begin
      if (!(encrypt || decrypt)) error_d = ErrOpcode;
      else if (!valid_parameters_q) error_d = ErrDegree;
      else if (decrypt && (8'(command.residues) >= residues_q && command.residues > 4'd1)) begin
        error_d = ErrResidues;
      end else if (command.op == OpBfvDecrypt && message_loaded_i) error_d = ErrBusy;
      else if (encrypt ? !ready_to_encrypt : !ready_to_decrypt) error_d = ErrKey;
      else if (encrypt && !seeded_q) error_d = ErrSeed;
      else if (!queue_ready) error_d = ErrQueue;
    end
  end

  taco_fifo #(.Width($bits(command_t)), .Depth(QueueDepth)) u_queue (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .in_valid_i(command_write && error_d == ErrNone), .in_ready_o(queue_ready), .in_data_i(command),
    .out_valid_o(queue_valid), .out_ready_i(command_ready_i), .out_data_o(command_o),
    .level_o(level)
  );
  assign command_valid_o = queue_valid;

  // The message unit's buffer belongs to decryptions while there are any.
  logic [LevelWidth-1:0] decodes_q;
  logic decode_in, decode_out;
  assign decode_in = command_write && error_d == ErrNone && command.op == OpBfvDecrypt;
  assign decode_out = queue_valid && command_ready_i && command_o.op == OpBfvDecrypt;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) decodes_q <= '0;
    else decodes_q <= decodes_q + LevelWidth'(decode_in) - LevelWidth'(decode_out);
  end
  assign decode_pending_o = decodes_q != '0;

  // State -------------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_q <= ErrNone;
      valid_parameters_q <= 1'b0;
      seeded_q <= 1'b0;
      log_n_q <= LogNWidth'(LogNMin);
      residues_q <= 8'd1;
      twiddles_q <= '0;
      keys_q <= '0;
    end else begin
      if (write_i && index_i == 8'd2) error_q <= ErrNone;
      else if (error_q == ErrNone) error_q <= error_d;
      seeded_q <= seeded_q || seed_load_o;
      twiddles_q <= twiddles_q | twiddles_loaded_i;
      keys_q <= keys_q | key_loaded_i;
      if (parameters_write) begin
        valid_parameters_q <= error_d == ErrNone;
        twiddles_q <= '0;
        keys_q <= '0;
        if (error_d == ErrNone) begin
          log_n_q <= data_i[LogNWidth-1:0];
          residues_q <= data_i[15:8];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) begin
      if (write_i && index_i == 8'(4 + i)) seed_q[i] <= data_i;
    end
    for (int unsigned j = 0; j < Residues; j++) begin
      if (write_i && index_i == 8'(16 + 4 * j)) modulus_o[j] <= data_i[PrimeWidth-1:0];
    end
    for (int unsigned j = 0; j < DataLayers; j++) begin
      if (write_i && index_i == 8'(17 + 4 * j)) offset_o[j] <= data_i;
      if (write_i && index_i == 8'(18 + 4 * j)) inverse_o[j] <= data_i[PrimeWidth-1:0];
    end
  end
  assign seed_o = seed_q;
  assign nonce_o = data_i;
  assign seed_load_o = write_i && index_i == 8'd8;
  assign count_clear_o = write_i && index_i == 8'd9;
  assign log_n_o = log_n_q;

  always_comb begin
    data_o = '0;
    if (index_i[7]) data_o = 64'(count_i);
    else if (index_i == 8'd1) begin
      data_o = {48'b0, 4'(level), step_i, error_q, 2'b0, message_loaded_i, busy_o};
    end else if (index_i == 8'd2) data_o = 64'(error_q);
    else if (index_i == 8'd3) data_o = {48'b0, residues_q, 4'b0, log_n_q};
  end
endmodule
