// Where message slot i stands in the transformed plaintext polynomial: SEAL's batching order.
//
// Parameters
//   MaxLogN  log2 of the largest polynomial.
//
// The transform modulo t leaves at place brv(e) the value at the (2 e + 1)-th power of the root.
// SEAL arranges the N slots in two rows; slot i of the upper row is the value at the power 3^i mod
// 2N, slot i of the lower row that at -3^i. With p = 3^i mod 2N, always odd:
//   upper row  e = (p - 1) / 2 = floor(p / 2)
//   lower row  e = (2N - p - 1) / 2 = N - 1 - floor(p / 2), the complement of the upper one's bits.
// 3 has order N / 2 modulo 2N, so p is 1 again when the lower row begins.
//
// clear_i goes to slot 0, next_i to the next slot; clear_i wins.

module taco_slot_map
  import taco_pkg::*;
#(
  parameter int unsigned MaxLogN = 13
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [LogNWidth-1:0] log_n_i,
  input  logic                 clear_i,
  input  logic                 next_i,
  output logic [MaxLogN-1:0]   place_o,
  output logic                 last_o
);

  logic [MaxLogN-1:0] slot_q, power_half, exponent, reversed, mask;
  logic [MaxLogN:0]   power_q, power_next;  // 3^i modulo 2^(MaxLogN+1), a multiple of 2N
  logic               lower;

  assign power_next = power_q + (power_q << 1);
  assign power_half = power_q[MaxLogN:1];
  assign lower      = slot_q[log_n_i-LogNWidth'(1)];
  assign exponent   = lower ? ~power_half : power_half;

  for (genvar i = 0; i < MaxLogN; i++) begin : gen_reverse
    assign reversed[i] = exponent[MaxLogN-1-i];
  end

  // Bits of the exponent from log_n_i up stand at the low end after the reversal and fall out.
  assign place_o = reversed >> (LogNWidth'(MaxLogN) - log_n_i);
  assign mask    = ~({MaxLogN{1'b1}} << log_n_i);
  assign last_o  = slot_q == mask;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q  <= '0;
      power_q <= (MaxLogN + 1)'(1);
    end else if (clear_i) begin
      slot_q  <= '0;
      power_q <= (MaxLogN + 1)'(1);
    end else if (next_i) begin
      slot_q  <= slot_q + 1'b1;
      power_q <= power_next;
    end
  end

endmodule
