// The compression function of BLAKE3, iterated over its seven rounds.
//
// Parameters
//   HalfRounds  half rounds computed in one cycle: 2 (a round a cycle) or 1 (half the adders, twice
//               the cycles). A block takes 14 / HalfRounds cycles, 7 or 14; at 7 the output rate is
//               64 bytes / 7 cycles = 9.1 bytes a cycle.
//
// State v of sixteen 32-bit words, seen as a 4x4 matrix with rows v[0..3], v[4..7], v[8..11],
// v[12..15]. A round mixes the four columns with message words 0..7, then the four diagonals with
// words 8..15. Rotating row r left by r places turns diagonals into columns, so that one set of
// four mixing functions serves both: after the columns the rows are rotated left by 0, 1, 2, 3,
// after the diagonals by 0, 3, 2, 1, which restores the order. Between rounds the message words
// are permuted. The output is
//   out[i] = v[i] ^ v[i+8],  out[i+8] = v[i+8] ^ chain[i],  i = 0..7;
// its first half is the next chaining value, the whole is an output block of the root node.
//
// Words are little endian: byte n of the block is block_i[8n +: 8].
//
// chain_i must stay as it was at the start until the result is taken: the core keeps no copy.
// A new start is accepted in the cycle in which the result is taken, and is computed with in that
// same cycle. abort_i drops work in progress.

module taco_blake3_compress #(
  parameter int unsigned HalfRounds = 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              abort_i,

  input  logic              start_valid_i,
  output logic              start_ready_o,
  input  logic [7:0][31:0]  chain_i,
  input  logic [15:0][31:0] block_i,
  input  logic [63:0]       counter_i,
  input  logic [31:0]       length_i,
  input  logic [31:0]       flags_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [15:0][31:0] out_data_o
);

  typedef logic [15:0][31:0] words_t;

  localparam int unsigned Steps = 14 / HalfRounds;

  localparam logic [3:0][31:0] InitialValue = {
    32'ha54ff53a, 32'h3c6ef372, 32'hbb67ae85, 32'h6a09e667
  };

  // The mixing function G on the four columns; message words 2i and 2i+1 go to column i.
  function automatic words_t mix_columns(words_t v, logic [7:0][31:0] m);
    logic [31:0] a, b, c, d;
    words_t      mixed;
    for (int unsigned i = 0; i < 4; i++) begin
      a = v[i] + v[4+i] + m[2*i];
      d = v[12+i] ^ a;
      d = {d[15:0], d[31:16]};
      c = v[8+i] + d;
      b = v[4+i] ^ c;
      b = {b[11:0], b[31:12]};
      a = a + b + m[2*i+1];
      d = d ^ a;
      d = {d[7:0], d[31:8]};
      c = c + d;
      b = b ^ c;
      b = {b[6:0], b[31:7]};
      mixed[i]    = a;
      mixed[4+i]  = b;
      mixed[8+i]  = c;
      mixed[12+i] = d;
    end
    return mixed;
  endfunction

  // Rows rotated left: word i of a row comes from word i + 1, 2, 3 of it (to_diagonals), or back.
  function automatic words_t rotate_rows(words_t v, logic to_diagonals);
    words_t rotated;
    for (int unsigned i = 0; i < 4; i++) begin
      rotated[i]    = v[i];
      rotated[4+i]  = to_diagonals ? v[4+(i+1)%4]  : v[4+(i+3)%4];
      rotated[8+i]  = v[8+(i+2)%4];
      rotated[12+i] = to_diagonals ? v[12+(i+3)%4] : v[12+(i+1)%4];
    end
    return rotated;
  endfunction

  function automatic words_t permute(words_t m);
    return {
      m[8], m[15], m[14], m[9], m[5], m[12], m[11], m[1],
      m[13], m[4], m[0], m[7], m[10], m[3], m[6], m[2]
    };
  endfunction

  logic       busy_q;
  logic [3:0] step_q;
  words_t     state, state_q, state_next;
  words_t     message, message_q, message_next;
  logic       start, last;

  assign state   = start ? {flags_i, length_i, counter_i, InitialValue, chain_i} : state_q;
  assign message = start ? block_i : message_q;

  if (HalfRounds == 2) begin : gen_round
    words_t columns, diagonals;
    assign columns      = rotate_rows(mix_columns(state, message[7:0]), 1'b1);
    assign diagonals    = mix_columns(columns, message[15:8]);
    assign state_next   = rotate_rows(diagonals, 1'b0);
    assign message_next = permute(message);
  end else begin : gen_half_round
    logic diagonal;
    assign diagonal     = ~start & step_q[0];
    assign state_next   = rotate_rows(
        mix_columns(state, diagonal ? message[15:8] : message[7:0]), ~diagonal);
    assign message_next = diagonal ? permute(message) : message;
  end

  assign last          = step_q == 4'(Steps);
  assign out_valid_o   = busy_q & last;
  assign start_ready_o = ~busy_q | (last & out_ready_i);
  assign start         = start_valid_i & start_ready_o;

  for (genvar i = 0; i < 8; i++) begin : gen_out
    assign out_data_o[i]   = state_q[i] ^ state_q[i+8];
    assign out_data_o[i+8] = state_q[i+8] ^ chain_i[i];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      step_q <= '0;
    end else if (abort_i) begin
      busy_q <= 1'b0;
    end else if (start) begin
      busy_q <= 1'b1;
      step_q <= 4'd1;
    end else if (last) begin
      if (out_ready_i) busy_q <= 1'b0;
    end else if (busy_q) begin
      step_q <= step_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start | (busy_q & ~last)) begin
      state_q   <= state_next;
      message_q <= message_next;
    end
  end

endmodule
