// Message memory, in slot order, and the way between it and the transformed plaintext polynomial,
// eight slots a cycle.
//
// Parameters
//   Coeffs   lanes of the polynomial buffer, a multiple of 8.
//   MaxLogN  log2 of the largest polynomial.
//
// gather_i = 0: the slots are written to their places, gather_i = 1: read from their places, both in
// N / 8 + 2 cycles. gather_i holds while busy. The host reads and writes words of eight slots while
// the unit is idle; a word read is there in the next cycle.
//
// A word of places has the slots i + j N / 16 of a row, j = 0..7 (taco_slot_map): one slot from each
// of eight words of the memory, all at the same position i mod 8 of their word. So that one access
// to eight lanes reaches them all, slot s is kept in lane (s + floor(s / (N / 16))) mod 8 of address
// floor(s / 8): slot j of the eight is in lane i + j, and a word of the host's, within which the
// second term is constant, is a whole entry, rotated. Between lanes and places there is one 8x8
// switch for both directions.

module taco_message_slots
  import taco_pkg::*;
#(
  parameter int unsigned Coeffs  = WordCoeffs,
  parameter int unsigned MaxLogN = 13,
  localparam int unsigned Banks         = Coeffs / WordCoeffs,
  localparam int unsigned LogBanks      = $clog2(Banks),
  localparam int unsigned BankWidth     = Banks > 1 ? LogBanks : 1,
  localparam int unsigned AddrWidth     = MaxLogN - $clog2(Coeffs),
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     start_i,
  input  logic                     gather_i,
  input  logic [LogNWidth-1:0]     log_n_i,
  output logic                     busy_o,

  input  logic                     host_write_i,
  input  logic                     host_read_i,
  input  logic [WordAddrWidth-1:0] host_addr_i,
  input  word_t                    host_data_i,
  output word_t                    host_data_o,

  output logic                     read_o,
  output logic [AddrWidth-1:0]     read_addr_o,
  input  coeff_t [Coeffs-1:0]      read_data_i,
  output logic [Banks-1:0]         write_bank_o,
  output logic [AddrWidth-1:0]     write_addr_o,
  output coeff_t [Coeffs-1:0]      write_data_o
);

  typedef logic [WordAddrWidth-1:0] word_addr_t;

  // First cycle: a word of places and its eight slots are read, from the buffer or the memory.
  logic                 active_q, moved_q, row, last;
  logic [MaxLogN-5:0]   slot;
  word_addr_t           word, word_q;
  logic [7:0][2:0]      lane_of, slot_in, select, select_q;
  word_addr_t [7:0]     slot_addr, slot_addr_q;

  taco_slot_map #(
    .MaxLogN(MaxLogN)
  ) u_map (
    .clk_i,
    .rst_ni,
    .log_n_i,
    .clear_i  (start_i),
    .next_i   (active_q),
    .row_o    (row),
    .slot_o   (slot),
    .word_o   (word),
    .lane_of_o(lane_of),
    .slot_in_o(slot_in),
    .last_o   (last)
  );

  // Memory lane b has slot j = b - i. The switch has lanes of the memory at its output when it
  // gathers, places when not.
  for (genvar b = 0; b < 8; b++) begin : gen_select
    logic [2:0] j;
    assign j            = 3'(b) - slot[2:0];
    assign slot_addr[b] = word_addr_t'(slot[MaxLogN-5:3])
                        | word_addr_t'(j) << (log_n_i - LogNWidth'(7))
                        | word_addr_t'(row) << (log_n_i - LogNWidth'(4));
    assign select[b]    = gather_i ? lane_of[j] : slot[2:0] + slot_in[b];
  end

  assign read_o      = active_q & gather_i;
  assign read_addr_o = word[WordAddrWidth-1:LogBanks];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      moved_q  <= 1'b0;
    end else begin
      active_q <= start_i | (active_q & ~last);
      moved_q  <= active_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (active_q) begin
      word_q      <= word;
      select_q    <= select;
      slot_addr_q <= slot_addr;
    end
  end
  assign busy_o = active_q | moved_q;

  // Second cycle: through the switch, and written.
  logic [BankWidth-1:0] bank;
  coeff_t [7:0]         memory_data, memory_in, places, switched;

  assign bank   = Banks > 1 ? word_q[BankWidth-1:0] : '0;
  assign places = read_data_i[8*bank+:8];

  for (genvar b = 0; b < 8; b++) begin : gen_switch
    assign switched[b] = gather_i ? places[select_q[b]] : memory_data[select_q[b]];
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    assign write_bank_o[b] = moved_q & ~gather_i & (bank == BankWidth'(b));
  end
  assign write_addr_o = word_q[WordAddrWidth-1:LogBanks];
  assign write_data_o = {Banks{switched}};

  // The host's words, rotated by floor(s / (N / 16)) mod 8 of their first slot.
  logic [2:0]       turn, turn_q;
  word_addr_t [7:0] host_addr;
  coeff_t [7:0]     host_data, host_word;

  assign host_data = host_data_i;
  assign host_addr = {8{host_addr_i}};
  assign turn      = 3'(host_addr_i >> (log_n_i - LogNWidth'(7)));

  always_ff @(posedge clk_i) begin
    if (host_read_i) turn_q <= turn;
  end

  for (genvar b = 0; b < 8; b++) begin : gen_host
    assign memory_in[b] = moved_q ? switched[b] : host_data[3'(b)-turn];
    assign host_word[b] = memory_data[3'(b)+turn_q];
  end
  assign host_data_o = host_word;

  taco_lane_buffer #(
    .Depth(1 << WordAddrWidth)
  ) u_memory (
    .clk_i,
    .read_i      ((active_q & ~gather_i) | host_read_i),
    .read_addr_i (active_q ? slot_addr : host_addr),
    .read_data_o (memory_data),
    .write_i     ((moved_q & gather_i) | host_write_i),
    .write_addr_i(moved_q ? slot_addr_q : host_addr),
    .write_data_i(memory_in)
  );

endmodule
