// Memory-mapped host interface: one port of 64 bytes, word addresses.
//
// Written data go from the port to where the addresses lead (taco_top); here is who takes them.
// A request is taken where req_valid_i and req_ready_o are high; each read is answered once, in
// order. Address: region 23:20, layer 19:16, offset 15:0.
//   0  registers, 64 bits each (taco_registers)                    read, write
//   1  twiddles of a layer's prime                                 write
//   2  keys of a layer: offset 13:12 pk0, pk1, sk; 11:0 word       write
//   3  ciphertext stream of a data layer: words in, words out      read, write
//   4  message in slot order in, decrypted message out             read, write
//   5  twiddles of the plaintext modulus                           write
//   6  constants of the message unit (taco_message)                write
// A stream access waits while commands run that may serve it; reading a message waits for all
// commands. What cannot be served sets an error, and a read returns 0.

module taco_host
  import taco_pkg::*;
#(
  parameter int unsigned Residues = 3,
  localparam int unsigned DataLayers = Residues > 1 ? Residues - 1 : 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        req_valid_i,
  output logic        req_ready_o,
  input  logic        req_write_i,
  input  logic [23:0] req_addr_i,
  output logic        rsp_valid_o,
  output word_t       rsp_data_o,

  input  logic                 busy_i,
  input  logic [LogNWidth-1:0] log_n_i,
  output logic                 error_valid_o,
  output error_e               error_o,

  output logic                    register_write_o,
  input  coeff_t                  register_data_i,
  output logic [Residues-1:0]      twiddle_write_o,
  output logic [Residues-1:0]      twiddles_loaded_o,
  output logic [Residues-1:0]      key_write_o,
  output logic [Residues-1:0][2:0] key_loaded_o,

  output logic  [DataLayers-1:0] in_valid_o,
  input  logic  [DataLayers-1:0] in_ready_i,
  input  logic  [DataLayers-1:0] out_valid_i,
  output logic  [DataLayers-1:0] out_ready_o,
  input  word_t [DataLayers-1:0] out_word_i,

  input  logic  message_open_i,  // a message can be written now
  output logic  message_write_o,
  output logic  message_loaded_o,
  output logic  message_read_o,
  input  word_t message_data_i,
  output logic  message_twiddle_write_o,
  output logic  message_config_write_o
);
  typedef enum logic [3:0] {
    Registers = 4'd0, Twiddles = 4'd1, Keys = 4'd2, Ciphertext = 4'd3, Message = 4'd4,
    MessageTwiddles = 4'd5, MessageConfig = 4'd6
  } region_e;
  localparam int unsigned LayerWidth = 4;

  logic [3:0]            region;
  logic [LayerWidth-1:0] layer;
  logic [15:0]           offset, words;
  logic                  fire, in_ready, out_valid, last_word, last_key_word, wait_request;
  logic                  layer_exists, data_layer_exists, response_message_q;
  word_t                 out_word, response, response_q;

  assign {region, layer, offset} = req_addr_i;
  assign words = 16'd1 << (log_n_i - LogNWidth'($clog2(WordCoeffs)));
  assign last_word = offset == words - 16'd1;
  assign last_key_word = {4'b0, offset[11:0]} == words - 16'd1;
  assign layer_exists = 32'(layer) < Residues;
  assign data_layer_exists = 32'(layer) < DataLayers;
  assign fire = req_valid_i && req_ready_o;

  always_comb begin
    in_ready = 1'b0;
    out_valid = 1'b0;
    out_word = '0;
    for (int unsigned j = 0; j < DataLayers; j++) begin
      if (layer == LayerWidth'(j)) begin
        in_ready = in_ready_i[j];
        out_valid = out_valid_i[j];
        out_word = out_word_i[j];
      end
    end
  end

  // Which requests wait, and which fail -------------------------------------------------------
  always_comb begin
    wait_request = 1'b0;
    error_o = ErrNone;
    response = '0;
    unique case (region)
      Registers: begin
        if (req_write_i && busy_i && offset[7:0] > 8'd2 && offset[7:0] != 8'd9) error_o = ErrBusy;
        response[CoeffWidth-1:0] = register_data_i;
      end
      Twiddles, Keys, MessageTwiddles, MessageConfig: begin
        if (!req_write_i || !layer_exists) error_o = ErrAddress;
        else if (busy_i) error_o = ErrBusy;
      end
      Ciphertext: begin
        response = out_word;
        wait_request = busy_i && data_layer_exists && !(req_write_i ? in_ready : out_valid);
        if (!data_layer_exists) error_o = ErrAddress;
        else if (!(req_write_i ? in_ready : out_valid)) error_o = ErrStream;
      end
      Message: begin
        wait_request = busy_i && !req_write_i;
        if (req_write_i && !message_open_i) error_o = ErrBusy;
      end
      default: error_o = ErrAddress;
    endcase
  end
  assign req_ready_o = !wait_request;
  assign error_valid_o = fire && error_o != ErrNone;

  // Effects -----------------------------------------------------------------------------------
  logic write;
  assign write = fire && req_write_i && error_o == ErrNone;
  assign register_write_o = write && region == Registers;
  assign message_write_o = write && region == Message;
  assign message_loaded_o = message_write_o && last_word;
  assign message_twiddle_write_o = write && region == MessageTwiddles;
  assign message_config_write_o = write && region == MessageConfig;
  assign message_read_o = fire && !req_write_i && region == Message;

  for (genvar j = 0; j < Residues; j++) begin : gen_layer
    assign twiddle_write_o[j] = write && region == Twiddles && layer == LayerWidth'(j);
    assign twiddles_loaded_o[j] = twiddle_write_o[j] && last_word;
    assign key_write_o[j] = write && region == Keys && layer == LayerWidth'(j);
    for (genvar i = 0; i < 3; i++) begin : gen_key
      assign key_loaded_o[j][i] = key_write_o[j] && last_key_word && offset[13:12] == 2'(i);
    end
  end
  for (genvar j = 0; j < DataLayers; j++) begin : gen_data_layer
    assign in_valid_o[j] = req_valid_i && req_write_i && region == Ciphertext
                         && layer == LayerWidth'(j);
    assign out_ready_o[j] = req_valid_i && !req_write_i && region == Ciphertext
                          && layer == LayerWidth'(j);
  end

  // Answers -----------------------------------------------------------------------------------
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_valid_o <= 1'b0;
      response_message_q <= 1'b0;
    end else begin
      rsp_valid_o <= fire && !req_write_i;
      response_message_q <= message_read_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fire && !req_write_i) response_q <= error_o == ErrNone ? response : '0;
  end
  assign rsp_data_o = response_message_q ? message_data_i : response_q;
endmodule
