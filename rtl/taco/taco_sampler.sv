// Randomness of an encryption: the generator and what is drawn from it.
//
// Parameters
//   Lanes          samples a beat: 1, 2, 4 or 8. The samples do not depend on it.
//   ClippedNormal  errors as SEAL 3.4 draws them instead of as SEAL 4 does (see taco_draw).
//   HalfRounds     see taco_blake3_compress.
//
// seed_load_i takes a seed and a nonce and starts their stream at its first block (see taco_random).
// start_i asks for N = 2^log_n_i samples, ternary or errors; every start goes on in the same stream,
// on a fresh block. busy_o is high until the last sample has been taken. Without a seed there are
// no samples: busy_o stays high.

module taco_sampler #(
  parameter int unsigned Lanes         = 2,
  parameter bit          ClippedNormal = 1'b0,
  parameter int unsigned HalfRounds    = 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         seed_load_i,
  input  logic [255:0] seed_i,
  input  logic [63:0]  nonce_i,

  input  logic         start_i,
  input  logic         error_i,  // errors, else ternary
  input  logic [3:0]   log_n_i,
  output logic         busy_o,

  output logic         sample_valid_o,
  input  logic         sample_ready_i,
  output logic [Lanes-1:0][taco_pkg::SampleWidth-1:0] sample_data_o
);

  localparam int unsigned CountWidth = taco_pkg::LogNMax + 1;

  logic         block_valid, block_ready;
  logic [511:0] block;
  logic         draw_ready;

  assign busy_o = ~draw_ready | sample_valid_o;

  taco_random #(
    .HalfRounds(HalfRounds)
  ) u_random (
    .clk_i,
    .rst_ni,
    .seed_valid_i (seed_load_i),
    .seed_i,
    .nonce_i,
    .block_valid_o(block_valid),
    .block_ready_i(block_ready),
    .block_o      (block)
  );

  taco_draw #(
    .Lanes        (Lanes),
    .ClippedNormal(ClippedNormal),
    .CountWidth   (CountWidth)
  ) u_draw (
    .clk_i,
    .rst_ni,
    .request_valid_i(start_i),
    .request_ready_o(draw_ready),
    .request_error_i(error_i),
    .request_count_i(CountWidth'(1) << log_n_i),
    .block_valid_i  (block_valid),
    .block_ready_o  (block_ready),
    .block_i        (block),
    .sample_valid_o,
    .sample_ready_i,
    .samples_o      (sample_data_o)
  );

endmodule
