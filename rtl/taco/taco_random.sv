// Random generator: BLAKE3 in keyed mode as an extendable output function.
//
// Parameters
//   HalfRounds  see taco_blake3_compress: 2 gives 64 bytes every 7 cycles, 1 every 14.
//
// The stream for a 256-bit seed and a 64-bit nonce is BLAKE3's keyed hash of the nonce (8 bytes,
// little endian) under the key `seed`, extended to 2^64 output blocks of 64 bytes. Block n is one
// compression of the root node with output counter n:
//   compress(chain = seed, block = nonce, counter = n, length = 8,
//            flags = CHUNK_START | CHUNK_END | ROOT | KEYED_HASH),
// so block n of nonce a equals block m of nonce b only if (a, n) = (b, m) (up to chance 2^-512).
// The paper asks for 565 MB/s at peak, 5.65 bytes a cycle at 100 MHz; 9.1 bytes a cycle are made.
//
// A seed is taken at any time; the stream starts again at block 0 of the nonce given with it and
// what was in progress is dropped. Before the first seed there is no output.

module taco_random #(
  parameter int unsigned HalfRounds = 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         seed_valid_i,
  input  logic [255:0] seed_i,
  input  logic [63:0]  nonce_i,

  output logic         block_valid_o,
  input  logic         block_ready_i,
  output logic [511:0] block_o
);

  localparam logic [31:0] ChunkStart = 32'd1;
  localparam logic [31:0] ChunkEnd   = 32'd2;
  localparam logic [31:0] Root       = 32'd8;
  localparam logic [31:0] KeyedHash  = 32'd16;
  localparam logic [31:0] NonceBytes = 32'd8;

  logic         seeded_q;
  logic [255:0] seed_q;
  logic [63:0]  nonce_q;
  logic [63:0]  counter_q;
  logic         start_ready;

  taco_blake3_compress #(
    .HalfRounds(HalfRounds)
  ) u_compress (
    .clk_i,
    .rst_ni,
    .abort_i      (seed_valid_i),
    .start_valid_i(seeded_q),
    .start_ready_o(start_ready),
    .chain_i      (seed_q),
    .block_i      ({448'b0, nonce_q}),
    .counter_i    (counter_q),
    .length_i     (NonceBytes),
    .flags_i      (ChunkStart | ChunkEnd | Root | KeyedHash),
    .out_valid_o  (block_valid_o),
    .out_ready_i  (block_ready_i),
    .out_data_o   (block_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seeded_q  <= 1'b0;
      counter_q <= '0;
    end else if (seed_valid_i) begin
      seeded_q  <= 1'b1;
      counter_q <= '0;
    end else if (seeded_q & start_ready) begin
      counter_q <= counter_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (seed_valid_i) begin
      seed_q  <= seed_i;
      nonce_q <= nonce_i;
    end
  end

endmodule
