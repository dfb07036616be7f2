// Negacyclic number theoretic transform, iterative and in place, both directions, in SEAL's order:
// forward takes natural order to bit-reversed order (Cooley-Tukey), inverse takes it back
// (Gentleman-Sande, with the factor 1/N), all values canonical.
//
// Butterflies  processing elements, 1, 2, 4, ... 32
// MaxLogN      log2 of the largest polynomial
//
// The buffer's word has Coeffs = max(8, 2 Butterflies) coefficients, one read and one write a cycle,
// so with 4 butterflies or more one word goes in and one comes out in every cycle; with fewer,
// a word takes 4 / Butterflies cycles (SlotCycles). A stage moves N / Coeffs words; the next begins
// when all of them are written. Cycles: log2 N (N / (2 Butterflies) + about 13).
//
// Data path: words read (taco_ntt_word) -> taco_ntt_feed arranges operands -> Butterflies x
// taco_butterfly -> taco_ntt_collect puts words together -> written in the order they were read.

module taco_ntt
  import taco_pkg::*;
#(
  parameter int unsigned Butterflies = 4,
  parameter int unsigned MaxLogN = 13,
  localparam int unsigned Coeffs = Butterflies > 4 ? 2 * Butterflies : WordCoeffs,
  localparam int unsigned Twiddles = Coeffs / 2 > WordCoeffs ? Coeffs / 2 : WordCoeffs,
  localparam int unsigned AddrWidth = MaxLogN - $clog2(Coeffs),
  localparam int unsigned TwiddleAddrWidth = MaxLogN - $clog2(Twiddles)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 start_i,
  output logic                 busy_o,
  input  logic                 inverse_i,  // these three hold while busy
  input  logic [LogNWidth-1:0] log_n_i,
  input  prime_t               modulus_i,

  output logic                              read_o,
  output logic [AddrWidth-1:0]              read_addr_o,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] read_data_i,
  output logic                              write_o,
  output logic [AddrWidth-1:0]              write_addr_o,
  output logic [Coeffs-1:0][CoeffWidth-1:0] write_data_o,

  output logic                                twiddle_read_o,
  output logic [TwiddleAddrWidth-1:0]         twiddle_addr_o,
  input  logic [Twiddles-1:0][CoeffWidth-1:0] twiddle_data_i
);
  localparam int unsigned LogCoeffs = $clog2(Coeffs);
  localparam int unsigned LogTwiddles = $clog2(Twiddles);
  localparam int unsigned GapWidth = $clog2(LogCoeffs);
  localparam int unsigned SlotCycles = Butterflies < 4 ? 4 / Butterflies : 1;
  localparam int unsigned SlotWidth = SlotCycles > 1 ? $clog2(SlotCycles) : 1;

  logic                 busy_q, reading_q;
  logic [LogNWidth-1:0] stage_q;
  logic [AddrWidth-1:0] read_step_q, write_step_q, last_step;
  logic [SlotWidth-1:0] slot_q;
  logic                 slot_last, stage_done, last_stage;

  // Sequence ---------------------------------------------------------------------------------
  assign last_step = AddrWidth'((32'd1 << (log_n_i - LogNWidth'(LogCoeffs))) - 1);
  assign slot_last = slot_q == SlotWidth'(SlotCycles - 1);
  assign stage_done = write_o && write_step_q == last_step;
  assign last_stage = inverse_i ? stage_q == '0 : stage_q == log_n_i - LogNWidth'(1);
  assign busy_o = busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q       <= 1'b0;
      reading_q    <= 1'b0;
      stage_q      <= '0;
      read_step_q  <= '0;
      write_step_q <= '0;
      slot_q       <= '0;
    end else if (!busy_q) begin
      busy_q    <= start_i;
      reading_q <= start_i;
      if (start_i) stage_q <= inverse_i ? log_n_i - LogNWidth'(1) : '0;
    end else begin
      if (reading_q) begin
        slot_q <= slot_last ? '0 : slot_q + 1'b1;
        if (slot_last) begin
          read_step_q <= read_step_q == last_step ? '0 : read_step_q + 1'b1;
          if (read_step_q == last_step) reading_q <= 1'b0;
        end
      end
      if (write_o) write_step_q <= stage_done ? '0 : write_step_q + 1'b1;
      if (stage_done) begin
        busy_q    <= !last_stage;
        reading_q <= !last_stage;
        if (!last_stage) stage_q <= inverse_i ? stage_q - 1'b1 : stage_q + 1'b1;
      end
    end
  end

  // Addresses --------------------------------------------------------------------------------
  logic                   outer;
  logic [LogNWidth-1:0]   log_gap;
  logic [GapWidth-1:0]    gap_index;  // log2 gap within a word, inner stages
  logic [LogTwiddles-1:0] lane;

  assign log_gap   = log_n_i - LogNWidth'(1) - stage_q;
  assign outer     = log_gap >= LogNWidth'(LogCoeffs);
  assign gap_index = log_gap[GapWidth-1:0];

  taco_ntt_word #(.LogCoeffs(LogCoeffs), .AddrWidth(AddrWidth)) u_read_word (
    .log_gap_i(log_gap), .step_i(read_step_q), .word_o(read_addr_o)
  );
  taco_ntt_word #(.LogCoeffs(LogCoeffs), .AddrWidth(AddrWidth)) u_write_word (
    .log_gap_i(log_gap), .step_i(write_step_q), .word_o(write_addr_o)
  );
  taco_ntt_twiddle #(.MaxLogN(MaxLogN), .LogCoeffs(LogCoeffs), .LogTwiddles(LogTwiddles)) u_twiddle (
    .stage_i(stage_q), .log_gap_i(log_gap), .inverse_i, .step_i(read_step_q),
    .word_o(twiddle_addr_o), .lane_o(lane)
  );

  assign read_o = reading_q && slot_q == '0;

  // The twiddle memory is read only where the word changes; its port holds the last one.
  logic                        twiddle_known_q;
  logic [TwiddleAddrWidth-1:0] twiddle_addr_q;
  assign twiddle_read_o = read_o && !(twiddle_known_q && twiddle_addr_q == twiddle_addr_o);

  // What is known about the word that arrives from the buffer.
  logic                   word_valid_q, word_second_q;
  logic [LogTwiddles-1:0] word_lane_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_valid_q    <= 1'b0;
      twiddle_known_q <= 1'b0;
    end else begin
      word_valid_q    <= read_o;
      twiddle_known_q <= busy_q && (twiddle_known_q || read_o);
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_o) begin
      word_second_q  <= read_step_q[0];
      word_lane_q    <= lane;
      twiddle_addr_q <= twiddle_addr_o;
    end
  end

  // Operands, butterflies, results -----------------------------------------------------------
  logic                                    feed_valid;
  logic [Butterflies-1:0][PrimeWidth-1:0]  u, v, twiddle, x, y;
  logic [Butterflies-1:0]                  result_valid;

  taco_ntt_feed #(.Butterflies(Butterflies), .Coeffs(Coeffs), .Twiddles(Twiddles)) u_feed (
    .clk_i, .rst_ni,
    .outer_i(outer), .gap_index_i(gap_index),
    .word_valid_i(word_valid_q), .word_second_i(word_second_q), .word_i(read_data_i),
    .twiddle_lane_i(word_lane_q), .twiddle_word_i(twiddle_data_i),
    .valid_o(feed_valid), .u_o(u), .v_o(v), .twiddle_o(twiddle)
  );

  for (genvar b = 0; b < Butterflies; b++) begin : gen_butterfly
    taco_butterfly u_butterfly (
      .clk_i, .rst_ni, .modulus_i, .inverse_i,
      .valid_i(feed_valid), .u_i(u[b]), .v_i(v[b]), .twiddle_i(twiddle[b]),
      .valid_o(result_valid[b]), .x_o(x[b]), .y_o(y[b])
    );
  end

  taco_ntt_collect #(.Butterflies(Butterflies), .Coeffs(Coeffs)) u_collect (
    .clk_i, .rst_ni,
    .outer_i(outer), .gap_index_i(gap_index),
    .valid_i(&result_valid), .x_i(x), .y_i(y),
    .word_valid_o(write_o), .word_o(write_data_o)
  );
endmodule
