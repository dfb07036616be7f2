// Four error samples of the centered binomial distribution that SEAL 4 uses.
//
// A sample is the number of ones among 21 random bits less the number among 21 others: mean 0,
// variance 21 / 2 = 10.5 (standard deviation 3.24), range -21..21. SEAL takes 42 bits out of six
// bytes; here the 42-bit fields lie side by side, so that a 512-bit block makes twelve samples.
// The bits are random, so the distribution is the same.
//
// Samples are signed, sample 0 from the lowest 42 bits.

module taco_centered_binomial (
  input  logic [167:0]    draw_i,
  output logic [3:0][5:0] samples_o
);

  function automatic logic [5:0] ones(logic [20:0] bits);
    logic [5:0] sum;
    sum = '0;
    for (int unsigned i = 0; i < 21; i++) sum += 6'(bits[i]);
    return sum;
  endfunction

  for (genvar i = 0; i < 4; i++) begin : gen_sample
    assign samples_o[i] = ones(draw_i[42*i+:21]) - ones(draw_i[42*i+21+:21]);
  end

endmodule
