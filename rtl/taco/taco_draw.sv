// Small signed samples out of random blocks: ternary for u, errors for e1 and e2.
//
// Parameters
//   Lanes          samples a transfer at the output: 1, 2, 4 or 8. The samples do not depend on it.
//   ClippedNormal  errors as SEAL 3.4 draws them (clipped normal) instead of as SEAL 4 does
//                  (centered binomial).
//
// A request names a distribution and a number of samples, a multiple of eight. It starts on a fresh
// 512-bit block; what it leaves of its last block is dropped. A block is used from its low end:
//   ternary             8 draws of 64 bits, eight samples or none each (taco_ternary)
//   centered binomial   3 draws of 168 bits, four samples each
//   clipped normal      2 draws of 256 bits, four samples each
// With a block every seven cycles this makes up to 6.89, 1.71 or 1.14 samples a cycle.
//
// The next request is taken in the cycle after the last draw of the current one, before its last
// samples have left; the samples of both leave in order.

module taco_draw #(
  parameter int unsigned Lanes         = 8,
  parameter bit          ClippedNormal = 1'b0,
  parameter int unsigned CountWidth    = 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  request_valid_i,
  output logic                  request_ready_o,
  input  logic                  request_error_i,  // errors, else ternary
  input  logic [CountWidth-1:0] request_count_i,  // samples, a multiple of eight

  input  logic                  block_valid_i,
  output logic                  block_ready_o,
  input  logic [511:0]          block_i,

  output logic                  sample_valid_o,
  input  logic                  sample_ready_i,
  output logic [Lanes-1:0][taco_pkg::SampleWidth-1:0] samples_o
);

  localparam int unsigned ErrorBits     = ClippedNormal ? 256 : 168;
  localparam int unsigned ErrorDraws    = 512 / ErrorBits;
  localparam int unsigned TernaryBits   = 64;
  localparam int unsigned TernaryDraws  = 512 / TernaryBits;
  localparam int unsigned SampleWidth   = taco_pkg::SampleWidth;

  logic [CountWidth-1:0] left_q;   // samples still to be drawn
  logic                  error_q;
  logic [511:0]          block_q;
  logic [3:0]            draws_q;  // draws left in block_q
  logic                  active, request, load, draw, accept, done;
  logic                  group_valid, group_ready;
  logic                  ternary_accept;
  logic [7:0][5:0]       ternary_samples, group;
  logic [3:0][5:0]       error_samples;
  logic [Lanes-1:0][5:0] samples;
  logic [CountWidth-1:0] group_size;

  taco_ternary u_ternary (
    .draw_i   (block_q[TernaryBits-1:0]),
    .accept_o (ternary_accept),
    .samples_o(ternary_samples)
  );

  if (ClippedNormal) begin : gen_clipped_normal
    taco_clipped_normal u_error (
      .draw_i   (block_q[ErrorBits-1:0]),
      .samples_o(error_samples)
    );
  end else begin : gen_centered_binomial
    taco_centered_binomial u_error (
      .draw_i   (block_q[ErrorBits-1:0]),
      .samples_o(error_samples)
    );
  end

  assign active      = left_q != '0;
  assign accept      = error_q | ternary_accept;
  assign group       = error_q ? {24'b0, error_samples} : ternary_samples;
  assign group_size  = error_q ? CountWidth'(4) : CountWidth'(8);
  assign group_valid = active & (draws_q != '0) & accept;

  // A refused draw is passed over without waiting for the output.
  assign draw = active & (draws_q != '0) & (group_ready | ~accept);
  assign done = draw & accept & (left_q == group_size);

  // A block is fetched for the current request only, so that the next one starts on a fresh one, and
  // when the last one is used up: no path leads from the reader of samples into the generator.
  assign block_ready_o   = active & (draws_q == '0);
  assign load            = block_valid_i & block_ready_o;
  assign request_ready_o = ~active;
  assign request         = request_valid_i & request_ready_o;

  taco_lane_adapter #(
    .Lanes(Lanes),
    .Width(6)
  ) u_lanes (
    .clk_i,
    .rst_ni,
    .in_valid_i (group_valid),
    .in_ready_o (group_ready),
    .in_four_i  (error_q),
    .in_data_i  (group),
    .out_valid_o(sample_valid_o),
    .out_ready_i(sample_ready_i),
    .out_data_o (samples)
  );

  for (genvar i = 0; i < Lanes; i++) begin : gen_extend
    assign samples_o[i] = SampleWidth'($signed(samples[i]));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      error_q <= 1'b0;
      draws_q <= '0;
    end else begin
      if (request) begin
        left_q  <= request_count_i;
        error_q <= request_error_i;
      end else if (draw & accept) begin
        left_q <= left_q - group_size;
      end
      if (request | done)  draws_q <= '0;
      else if (load)       draws_q <= error_q ? 4'(ErrorDraws) : 4'(TernaryDraws);
      else if (draw)       draws_q <= draws_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load)      block_q <= block_i;
    else if (draw) block_q <= error_q ? block_q >> ErrorBits : block_q >> TernaryBits;
  end

endmodule
