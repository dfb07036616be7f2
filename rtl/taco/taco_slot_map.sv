// Where message slots stand in the transformed plaintext polynomial, in SEAL's batching order, eight
// slots at a time.
//
// Parameters
//   MaxLogN  log2 of the largest polynomial.
//
// The transform modulo t leaves at place brv(e) the value at the (2 e + 1)-th power of the root.
// SEAL arranges the N slots in two rows; slot i of row 0 is the value at the power 3^i mod 2N, slot
// i of row 1 that at -3^i. With the odd number p = 3^i mod 2N,
//   row 0  e = (p - 1) / 2 = floor(p / 2)
//   row 1  e = (2N - p - 1) / 2 = N - 1 - floor(p / 2), the complement of the bits of row 0's e.
//
// The eight slots i + j N / 16, j = 0..7, of a row stand in one word of eight places, because
// 3^(N / 16) = 1 + 5 N / 4 modulo 2N (N >= 64), so that from j to j + 1 only the upper three bits of
// p change, by 5 p modulo 8; and the upper three bits of e are the lower three of its place. With T
// those three bits of e at j = 0,
//   slot j is in lane brv3(T + 5 p j), complemented in row 1;
//   lane l has slot j = 5 p (brv3(l) - T)  modulo 8, since 5 p is its own inverse modulo 8.
//
// clear_i goes to slot 0 of row 0, next_i to the next i, through both rows; clear_i wins.

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
  output logic                 row_o,
  output logic [MaxLogN-5:0]   slot_o,     // i
  output logic [MaxLogN-4:0]   word_o,     // the word of places
  output logic [7:0][2:0]      lane_of_o,  // lane of slot j
  output logic [7:0][2:0]      slot_in_o,  // j in a lane
  output logic                 last_o
);

  logic               row_q, row_end;
  logic [MaxLogN-5:0] slot_q;
  logic [MaxLogN:0]   power_q;  // 3^i modulo 2^(MaxLogN+1), a multiple of 2N
  logic [MaxLogN-1:0] reversed, place;
  logic [2:0]         factor, upper;

  for (genvar i = 0; i < MaxLogN; i++) begin : gen_reverse
    assign reversed[i] = power_q[MaxLogN-i];
  end

  // Bits of e from log_n_i up stand at the low end after the reversal and fall out.
  assign place  = reversed >> (LogNWidth'(MaxLogN) - log_n_i);
  assign factor = 3'd5 * power_q[2:0];
  assign upper  = {place[0], place[1], place[2]};

  for (genvar i = 0; i < 8; i++) begin : gen_lane
    logic [2:0] bits, lane;
    assign bits         = upper + factor * 3'(i);
    assign lane         = {i[0], i[1], i[2]};
    assign lane_of_o[i] = {bits[0], bits[1], bits[2]} ^ {3{row_q}};
    assign slot_in_o[i] = factor * ((lane ^ {3{row_q}}) - upper);
  end

  assign row_o   = row_q;
  assign slot_o  = slot_q;
  assign word_o  = (row_q ? ~place[MaxLogN-1:3] : place[MaxLogN-1:3])
                 & ~({(MaxLogN - 3){1'b1}} << (log_n_i - LogNWidth'(3)));
  assign row_end = slot_q == ~({(MaxLogN - 4){1'b1}} << (log_n_i - LogNWidth'(4)));
  assign last_o  = row_q & row_end;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q   <= 1'b0;
      slot_q  <= '0;
      power_q <= (MaxLogN + 1)'(1);
    end else if (clear_i) begin
      row_q   <= 1'b0;
      slot_q  <= '0;
      power_q <= (MaxLogN + 1)'(1);
    end else if (next_i) begin
      row_q   <= row_q ^ row_end;
      slot_q  <= row_end ? '0 : slot_q + 1'b1;
      power_q <= row_end ? (MaxLogN + 1)'(1) : power_q + (power_q << 1);
    end
  end

endmodule
