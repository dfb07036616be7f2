// Butterfly of the negacyclic transform, pipelined: one a cycle, ButterflyLatency cycles.
//
// forward (Cooley-Tukey):    x = u + v w           y = u - v w
// inverse (Gentleman-Sande): x = (u + v) / 2       y = (v - u) w / 2
//
// The twiddle of the inverse is -1/w', and -1/w' = the forward power of the mirrored group
// (taco_ntt), hence v - u instead of u - v and one table for both directions. Halving in each of
// the log2 N stages gives the factor 1/N: x / 2 mod q is x >> 1 for even x, else (x + q) >> 1.
//
// Pipeline: operand selection | taco_mod_mul | sum and difference. u (or u + v) waits in a delay
// line meanwhile.

module taco_butterfly
  import taco_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  prime_t modulus_i,
  input  logic   inverse_i,
  input  logic   valid_i,
  input  prime_t u_i,
  input  prime_t v_i,
  input  prime_t twiddle_i,
  output logic   valid_o,
  output prime_t x_o,
  output prime_t y_o
);
  function automatic prime_t halve(prime_t value, prime_t modulus);
    // odd x: (x + q) >> 1 = (x >> 1) + (q >> 1) + 1, as both are odd
    return (value >> 1) + (value[0] ? (modulus >> 1) + 1'b1 : '0);
  endfunction

  logic   valid_q;
  prime_t sum_in, difference_in;
  prime_t factor_q, twiddle_q, product;
  logic   product_valid;
  prime_t waiting_q [MulLatency+1];
  logic [MulLatency:0] waiting_valid_q;
  prime_t waited, sum_out, difference_out;

  taco_mod_add u_sum_in (.modulus_i, .a_i(u_i), .b_i(v_i), .sum_o(sum_in));
  taco_mod_sub u_difference_in (.modulus_i, .a_i(v_i), .b_i(u_i), .difference_o(difference_in));

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      factor_q <= inverse_i ? difference_in : v_i;
      twiddle_q <= twiddle_i;
      waiting_q[0] <= inverse_i ? sum_in : u_i;
    end
    for (int unsigned i = 1; i <= MulLatency; i++) begin
      if (waiting_valid_q[i-1]) waiting_q[i] <= waiting_q[i-1];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waiting_valid_q <= '0;
    else waiting_valid_q <= {waiting_valid_q[MulLatency-1:0], valid_i};
  end
  assign valid_q = waiting_valid_q[0];

  taco_mod_mul u_mul (
    .clk_i, .rst_ni, .enable_i(1'b1), .modulus_i,
    .valid_i(valid_q), .a_i(CoeffWidth'(factor_q)), .b_i(twiddle_q),
    .valid_o(product_valid), .product_o(product)
  );

  assign waited = waiting_q[MulLatency];
  taco_mod_add u_sum_out (.modulus_i, .a_i(waited), .b_i(product), .sum_o(sum_out));
  taco_mod_sub u_difference_out (.modulus_i, .a_i(waited), .b_i(product),
                                 .difference_o(difference_out));

  always_ff @(posedge clk_i) begin
    if (product_valid) begin
      x_o <= inverse_i ? halve(waited, modulus_i) : sum_out;
      y_o <= inverse_i ? halve(product, modulus_i) : difference_out;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= product_valid;
  end
endmodule
