// Message memory, in slot order, and the way between it and the transformed plaintext polynomial,
// whose places taco_slot_map gives, one slot a cycle.
//
// Parameters
//   Coeffs   lanes of the polynomial buffer.
//   MaxLogN  log2 of the largest polynomial.
//
// gather_i = 0: every slot is written to its lane of the buffer, N + 1 cycles.
// gather_i = 1: every slot is read from its lane, N + 2 cycles.
// Only the lane that a slot is in is touched. gather_i holds while busy. The host reads and writes
// words of eight slots while the unit is idle; a word read is there in the next cycle.

module taco_message_slots
  import taco_pkg::*;
#(
  parameter int unsigned Coeffs  = WordCoeffs,
  parameter int unsigned MaxLogN = 13,
  localparam int unsigned LogCoeffs     = $clog2(Coeffs),
  localparam int unsigned AddrWidth     = MaxLogN - LogCoeffs,
  localparam int unsigned WordAddrWidth = MaxLogN - $clog2(WordCoeffs)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              start_i,
  input  logic                              gather_i,
  input  logic [LogNWidth-1:0]              log_n_i,
  output logic                              busy_o,

  input  logic                              host_write_i,
  input  logic                              host_read_i,
  input  logic [WordAddrWidth-1:0]          host_addr_i,
  input  word_t                             host_data_i,
  output word_t                             host_data_o,

  output logic [Coeffs-1:0]                 lane_o,  // of the read or the write
  output logic [AddrWidth-1:0]              addr_o,
  output logic                              read_o,
  input  logic [Coeffs-1:0][CoeffWidth-1:0] read_data_i,
  output logic                              write_o,
  output coeff_t                            write_data_o
);

  logic [MaxLogN-1:0] place;
  logic               last;

  taco_slot_map #(
    .MaxLogN(MaxLogN)
  ) u_map (
    .clk_i,
    .rst_ni,
    .log_n_i,
    .clear_i(start_i),
    .next_i (read_o | write_o),
    .place_o(place),
    .last_o (last)
  );

  assign lane_o = Coeffs'(1) << place[LogCoeffs-1:0];
  assign addr_o = place[MaxLogN-1:LogCoeffs];

  logic                     reader_read, reader_busy, writer_write, writer_busy;
  logic [WordAddrWidth-1:0] reader_addr, writer_addr;
  word_t                    memory_data, writer_data;
  logic [WordAddrWidth-1:0] unused_read_word, unused_write_word;
  logic                     unused_ready;

  taco_sram_1r1w #(
    .Width    (WordWidth),
    .Depth    (1 << WordAddrWidth),
    .AddrWidth(WordAddrWidth)
  ) u_memory (
    .clk_i,
    .read_i      (reader_read | host_read_i),
    .read_addr_i (reader_read ? reader_addr : host_addr_i),
    .read_data_o (memory_data),
    .write_i     (writer_write | host_write_i),
    .write_addr_i(writer_write ? writer_addr : host_addr_i),
    .write_data_i(writer_write ? writer_data : host_data_i)
  );
  assign host_data_o = memory_data;

  // Memory to places: the buffer takes a slot in every cycle.
  taco_buffer_reader #(
    .Lanes  (1),
    .MaxLogN(MaxLogN)
  ) u_reader (
    .clk_i,
    .rst_ni,
    .start_i    (start_i & ~gather_i),
    .log_n_i,
    .busy_o     (reader_busy),
    .word_o     (unused_read_word),
    .read_o     (reader_read),
    .read_addr_o(reader_addr),
    .read_data_i(memory_data),
    .valid_o    (write_o),
    .ready_i    (1'b1),
    .data_o     (write_data_o)
  );

  // Places to memory: what is read now arrives in the next cycle.
  logic                 gathering_q, arrives_q;
  logic [LogCoeffs-1:0] lane_q;

  assign read_o = gathering_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gathering_q <= 1'b0;
      arrives_q   <= 1'b0;
    end else begin
      gathering_q <= start_i ? gather_i : gathering_q & ~last;
      arrives_q   <= read_o;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read_o) lane_q <= place[LogCoeffs-1:0];
  end

  taco_buffer_writer #(
    .Lanes  (1),
    .MaxLogN(MaxLogN)
  ) u_writer (
    .clk_i,
    .rst_ni,
    .start_i     (start_i & gather_i),
    .log_n_i,
    .busy_o      (writer_busy),
    .word_o      (unused_write_word),
    .hold_i      (1'b0),
    .valid_i     (arrives_q),
    .ready_o     (unused_ready),  // always high while busy
    .data_i      (read_data_i[lane_q]),
    .write_o     (writer_write),
    .write_addr_o(writer_addr),
    .write_data_o(writer_data)
  );

  assign busy_o = reader_busy | writer_busy;

endmodule
