// Arithmetic of a message coefficient, both ways, one coefficient a cycle.
//
// Parameters
//   DataLayers  primes q_j of the ciphertext.
//
// Encoding (decode_i = 0): m below t to round(q m / t), rounded half up, modulo every q_j; equal to
// SEAL's floor((q m + floor((t + 1) / 2)) / t). With r = q m mod t the division by t is exact for
// q m - r, and q = 0 modulo q_j:
//   round(q m / t) = (q m - r) / t + [r >= t - (t + 1) / 2] = -r / t + [...]  modulo q_j.
// With s = -q m mod t, which is t - r or 0,
//   round(q m / t) = s / t - [s > (t + 1) / 2]  modulo q_j,
// that is one product modulo t and one modulo each q_j, and no division.
//
// Decoding (decode_i = 1): x modulo q, given by residues x_j, to round(t x / q) mod t by the method
// of Bajard, Eynard, Hasan and Zucca (ePrint 2016/510, Algorithm 1), with SEAL's auxiliary prime
// gamma. Constants that follow each other are multiplied beforehand:
//   z_j     = x_j (gamma t (q / q_j)^-1) mod q_j
//   a_t     = sum_j z_j (-1 / (q_j gamma)) mod t
//   a_gamma = sum_j z_j (-1 / q_j) mod gamma,  centered around 0
//   m       = a_t - a_gamma / gamma mod t.
// All residues are canonical at every step, so m equals SEAL's value for every input.
//
// The multipliers modulo t and modulo q_j serve both directions; those of the base conversion only
// the second. Latency: 2 MulLatency, or 3 MulLatency + 1 + ceil(log2 DataLayers), in enabled cycles.

module taco_message_lane
  import taco_pkg::*;
#(
  parameter int unsigned DataLayers = 2
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    enable_i,
  input  logic                    decode_i,

  // Constants, see taco_message_config.
  input  prime_t                  plain_modulus_i,
  input  prime_t                  gamma_i,
  input  prime_t                  negated_q_i,
  input  prime_t                  inverse_gamma_i,
  input  prime_t [DataLayers-1:0] modulus_i,
  input  prime_t [DataLayers-1:0] inverse_plain_i,
  input  prime_t [DataLayers-1:0] digit_factor_i,
  input  prime_t [DataLayers-1:0] plain_factor_i,
  input  prime_t [DataLayers-1:0] gamma_factor_i,

  input  logic                    valid_i,
  input  coeff_t                  coefficient_i,  // to encode
  input  coeff_t [DataLayers-1:0] residue_i,      // to decode
  output logic                    scaled_valid_o,
  output coeff_t [DataLayers-1:0] scaled_o,
  output logic                    coefficient_valid_o,
  output coeff_t                  coefficient_o
);

  logic                    plain_in_valid, plain_valid;
  logic [DataLayers-1:0]   layer_valid;
  prime_t                  plain_product;
  prime_t [DataLayers-1:0] layer_product;

  // Modulo t: the first product of encoding, the last one of decoding.
  logic   centered_valid_q;
  prime_t centered_q;

  assign plain_in_valid = decode_i ? centered_valid_q : valid_i;

  taco_mod_mul u_plain_mul (
    .clk_i,
    .rst_ni,
    .enable_i,
    .modulus_i(plain_modulus_i),
    .valid_i  (plain_in_valid),
    .a_i      (decode_i ? CoeffWidth'(centered_q) : coefficient_i),
    .b_i      (decode_i ? inverse_gamma_i : negated_q_i),
    .valid_o  (plain_valid),
    .product_o(plain_product)
  );

  // Modulo q_j: the last product of encoding, the first one of decoding.
  for (genvar j = 0; j < DataLayers; j++) begin : gen_layer
    taco_mod_mul u_layer_mul (
      .clk_i,
      .rst_ni,
      .enable_i,
      .modulus_i(modulus_i[j]),
      .valid_i  (decode_i ? valid_i : plain_valid),
      .a_i      (decode_i ? residue_i[j] : CoeffWidth'(plain_product)),
      .b_i      (decode_i ? digit_factor_i[j] : inverse_plain_i[j]),
      .valid_o  (layer_valid[j]),
      .product_o(layer_product[j])
    );
  end

  // Encoding: subtract one where s > (t + 1) / 2 = floor(t / 2) + 1 for odd t.
  logic                    too_large, borrow;
  prime_t [DataLayers-1:0] scaled;

  assign too_large      = plain_product > {1'b0, plain_modulus_i[PrimeWidth-1:1]} + 1'b1;
  assign scaled_valid_o = ~decode_i & (&layer_valid);

  taco_delay #(
    .Width (1),
    .Cycles(MulLatency)
  ) u_borrow (
    .clk_i,
    .enable_i,
    .data_i(too_large),
    .data_o(borrow)
  );

  for (genvar j = 0; j < DataLayers; j++) begin : gen_scaled
    taco_mod_sub u_sub (
      .modulus_i   (modulus_i[j]),
      .a_i         (layer_product[j]),
      .b_i         (PrimeWidth'(borrow)),
      .difference_o(scaled[j])
    );
    assign scaled_o[j] = CoeffWidth'(scaled[j]);
  end

  // Decoding: to the base {t, gamma}.
  coeff_t [DataLayers-1:0] digit;
  logic                    digit_valid, sum_valid, gamma_sum_valid;
  prime_t                  plain_sum, gamma_sum;

  assign digit_valid = decode_i & (&layer_valid);
  for (genvar j = 0; j < DataLayers; j++) begin : gen_digit
    assign digit[j] = CoeffWidth'(layer_product[j]);
  end

  taco_base_convert #(
    .Inputs(DataLayers)
  ) u_to_plain (
    .clk_i,
    .rst_ni,
    .enable_i,
    .modulus_i(plain_modulus_i),
    .factor_i (plain_factor_i),
    .valid_i  (digit_valid),
    .digit_i  (digit),
    .valid_o  (sum_valid),
    .sum_o    (plain_sum)
  );

  taco_base_convert #(
    .Inputs(DataLayers)
  ) u_to_gamma (
    .clk_i,
    .rst_ni,
    .enable_i,
    .modulus_i(gamma_i),
    .factor_i (gamma_factor_i),
    .valid_i  (digit_valid),
    .digit_i  (digit),
    .valid_o  (gamma_sum_valid),
    .sum_o    (gamma_sum)
  );

  // |a_gamma| and its sign: SEAL takes a value above floor(gamma / 2) for a negative one.
  logic negative, negative_q, negative_late;

  assign negative = gamma_sum > {1'b0, gamma_i[PrimeWidth-1:1]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       centered_valid_q <= 1'b0;
    else if (enable_i) centered_valid_q <= sum_valid & gamma_sum_valid;
  end
  always_ff @(posedge clk_i) begin
    if (enable_i & sum_valid) begin
      centered_q <= negative ? gamma_i - gamma_sum : gamma_sum;
      negative_q <= negative;
    end
  end

  // a_t waits for |a_gamma| / gamma mod t.
  prime_t plain_late, raised, lowered;

  taco_delay #(
    .Width (PrimeWidth),
    .Cycles(MulLatency + 1)
  ) u_plain_late (
    .clk_i,
    .enable_i(enable_i & decode_i),
    .data_i  (plain_sum),
    .data_o  (plain_late)
  );

  taco_delay #(
    .Width (1),
    .Cycles(MulLatency)
  ) u_negative_late (
    .clk_i,
    .enable_i(enable_i & decode_i),
    .data_i  (negative_q),
    .data_o  (negative_late)
  );

  taco_mod_add u_raise (
    .modulus_i(plain_modulus_i),
    .a_i      (plain_late),
    .b_i      (plain_product),
    .sum_o    (raised)
  );

  taco_mod_sub u_lower (
    .modulus_i   (plain_modulus_i),
    .a_i         (plain_late),
    .b_i         (plain_product),
    .difference_o(lowered)
  );

  assign coefficient_valid_o = decode_i & plain_valid;
  assign coefficient_o       = CoeffWidth'(negative_late ? raised : lowered);

endmodule
