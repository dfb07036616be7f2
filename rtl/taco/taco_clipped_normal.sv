// Four error samples of the clipped normal distribution that SEAL 3.4 uses.
//
// SEAL 3.4 draws a normal v (mean 0, standard deviation 3.2) until |v| <= 19.2 and casts it from
// double to int64, which cuts towards zero: n = sign(v) floor(|v|). With F(x) = P(|v| < x) =
// erf(x / (3.2 sqrt 2)) the magnitude after clipping has
//   P(floor(|v|) >= m) = 1 - F(m) / F(19.2),   m = 1..19.
// Here the magnitude of a sample is the number of thresholds T(m) = round(2^63 F(m) / F(19.2))
// that a uniform 63-bit word reaches, and the sign is one more bit: 64 bits a sample, and the same
// time for every value. Each threshold is off by at most 2^-64, so the statistical distance from
// SEAL's distribution is below 19 * 2^-64 (the rarest magnitude, 19, has probability 9 * 10^-10).
//
// Samples are signed, sample 0 from the lowest 64 bits; bit 63 of its word is the sign.

module taco_clipped_normal (
  input  logic [255:0]    draw_i,
  output logic [3:0][5:0] samples_o
);

  localparam int unsigned Largest = 19;

  // T(1) is the lowest entry.
  localparam logic [Largest-1:0][62:0] Threshold = {
    63'h7ffffffe05c3f8ad, 63'h7fffffdc665b1647, 63'h7fffff1c06e24ca0, 63'h7ffffb3514070e96,
    63'h7fffe8d1193b747a, 63'h7fff9a26cfa9533c, 63'h7ffe68c004b14a14, 63'h7ffa349ee365e990,
    63'h7fecc2f990af385d, 63'h7fc5bca5a5143daa, 63'h7f5eeb470d61094a, 63'h7e690b1eb101159a,
    63'h7c535c45b5071617, 63'h7837f1b047d3fde0, 63'h70dfcc250f890b9b, 63'h64f422f09cf1bed6,
    63'h53644e2dedd216e6, 63'h3be85f558281040d, 63'h1f67485e1414e40b
  };

  function automatic logic [5:0] magnitude(logic [62:0] uniform);
    logic [5:0] sum;
    sum = '0;
    for (int unsigned m = 0; m < Largest; m++) sum += 6'(uniform >= Threshold[m]);
    return sum;
  endfunction

  for (genvar i = 0; i < 4; i++) begin : gen_sample
    logic [5:0] size;
    assign size         = magnitude(draw_i[64*i+:63]);
    assign samples_o[i] = draw_i[64*i+63] ? -size : size;
  end

endmodule
