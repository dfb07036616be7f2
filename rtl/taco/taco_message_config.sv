// Constants of message encoding and of the end of decryption, written by the host.
//
// Parameters
//   DataLayers  primes of a ciphertext that was switched down (the key prime is gone).
//
// Address      constant (M: in Montgomery form, c * 2^66 modulo the modulus named last)
//   0          t, the plaintext modulus
//   1          gamma, the auxiliary prime of decryption
//   2          -q mod t                             M mod t
//   3          1 / gamma mod t                      M mod t
//   16 + j     q_j
//   32 + j     1 / t mod q_j                        M mod q_j
//   48 + j     gamma t (q / q_j)^-1 mod q_j         M mod q_j
//   64 + j     -1 / (q_j gamma) mod t               M mod t
//   80 + j     -1 / q_j mod gamma                   M mod gamma
// where q is the product of the q_j in use. Other addresses are ignored.

module taco_message_config
  import taco_pkg::*;
#(
  parameter int unsigned DataLayers = 2
) (
  input  logic                    clk_i,
  input  logic                    cfg_valid_i,
  input  logic [7:0]              cfg_addr_i,
  input  coeff_t                  cfg_data_i,

  output prime_t                  plain_modulus_o,
  output prime_t                  gamma_o,
  output prime_t                  negated_q_o,
  output prime_t                  inverse_gamma_o,
  output prime_t [DataLayers-1:0] modulus_o,
  output prime_t [DataLayers-1:0] inverse_plain_o,
  output prime_t [DataLayers-1:0] digit_factor_o,
  output prime_t [DataLayers-1:0] plain_factor_o,
  output prime_t [DataLayers-1:0] gamma_factor_o
);

  prime_t data;
  logic   unused_high_bits;

  assign data             = cfg_data_i[PrimeWidth-1:0];
  assign unused_high_bits = ^cfg_data_i[CoeffWidth-1:PrimeWidth];

  always_ff @(posedge clk_i) begin
    if (cfg_valid_i) begin
      unique case (cfg_addr_i)
        8'd0:    plain_modulus_o <= data;
        8'd1:    gamma_o         <= data;
        8'd2:    negated_q_o     <= data;
        8'd3:    inverse_gamma_o <= data;
        default: ;
      endcase
    end
  end

  for (genvar j = 0; j < DataLayers; j++) begin : gen_layer
    always_ff @(posedge clk_i) begin
      if (cfg_valid_i & cfg_addr_i[3:0] == 4'(j)) begin
        unique case (cfg_addr_i[7:4])
          4'd1:    modulus_o[j]       <= data;
          4'd2:    inverse_plain_o[j] <= data;
          4'd3:    digit_factor_o[j]  <= data;
          4'd4:    plain_factor_o[j]  <= data;
          4'd5:    gamma_factor_o[j]  <= data;
          default: ;
        endcase
      end
    end
  end

endmodule
