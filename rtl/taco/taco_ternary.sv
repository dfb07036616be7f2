// Eight uniform samples of {-1, 0, 1} from one 64-bit draw, or none.
//
// Each byte r of the draw makes one sample, as the paper's "N bytes from the PRNG" for u. Byte 0 is
// refused; the other 255 = 3 * 85 values fall into three equal classes:
//   1..85 -> -1,   86..170 -> 0,   171..255 -> +1,
// that is floor(3 r / 256) - 1 with the one value refused whose fraction is zero, the rule by which
// uniform_int_distribution(0, 2) of SEAL's host library turns 32-bit words into exact thirds, here
// with 8-bit words.
// A draw that holds a refused byte is refused as a whole (probability 1 - (255/256)^8 = 3.1 %):
// given that none is refused the eight samples are independent and each is exactly uniform.
//
// Samples are signed, sample 0 from the lowest byte.

module taco_ternary (
  input  logic [63:0]     draw_i,
  output logic            accept_o,
  output logic [7:0][5:0] samples_o
);

  logic [7:0] refused;

  for (genvar i = 0; i < 8; i++) begin : gen_sample
    logic [7:0] r;
    assign r          = draw_i[8*i+:8];
    assign refused[i] = r == 8'd0;
    always_comb begin
      if (r <= 8'd85)       samples_o[i] = 6'h3f;
      else if (r <= 8'd170) samples_o[i] = 6'h00;
      else                  samples_o[i] = 6'h01;
    end
  end

  assign accept_o = ~|refused;

endmodule
