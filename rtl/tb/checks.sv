// Assertions on streams and memory ports, bound to the design's modules in every simulation.

// A stream keeps its offer: where valid is high and ready is not, the next cycle has valid and the
// same data, unless the unit is cleared.
module stream_check #(
  parameter int unsigned Streams = 1,
  parameter int unsigned Width   = 64
) (
  input logic                          clk_i,
  input logic                          rst_ni,
  input logic                          clear_i,
  input logic [Streams-1:0]            valid_i,
  input logic [Streams-1:0]            ready_i,
  input logic [Streams-1:0][Width-1:0] data_i
);
  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
        valid_i[i] && !ready_i[i] |=> valid_i[i])
    else $fatal(1, "%m: valid fell before ready");
    assert property (@(posedge clk_i) disable iff (!rst_ni || clear_i)
        valid_i[i] && !ready_i[i] |=> $stable(data_i[i]))
    else $fatal(1, "%m: data changed before ready");
  end
endmodule

// One access a port and cycle, inside the memory; never a read of what is being written, which
// memory macros answer differently.
module memory_check #(
  parameter int unsigned Depth     = 1024,
  parameter int unsigned AddrWidth = 10
) (
  input logic                 clk_i,
  input logic                 read_i,
  input logic [AddrWidth-1:0] read_addr_i,
  input logic                 write_i,
  input logic [AddrWidth-1:0] write_addr_i
);
  assert property (@(posedge clk_i) read_i |-> 32'(read_addr_i) < Depth)
  else $fatal(1, "%m: read outside the memory");
  assert property (@(posedge clk_i) write_i |-> 32'(write_addr_i) < Depth)
  else $fatal(1, "%m: write outside the memory");
  assert property (@(posedge clk_i) read_i && write_i |-> read_addr_i != write_addr_i)
  else $fatal(1, "%m: read and write of one address");
endmodule

bind taco_sram_1r1w memory_check #(.Depth(Depth), .AddrWidth(AddrWidth)) u_check (
  .clk_i, .read_i, .read_addr_i, .write_i, .write_addr_i);

bind taco_fifo stream_check #(.Width(Width)) u_check (
  .clk_i, .rst_ni, .clear_i,
  .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_data_o));
bind taco_blake3_compress stream_check #(.Width(512)) u_check (
  .clk_i, .rst_ni, .clear_i(abort_i),
  .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_data_o));
bind taco_sampler stream_check #(.Width($bits(sample_data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0),
  .valid_i(sample_valid_o), .ready_i(sample_ready_i), .data_i(sample_data_o));
bind taco_rns_expand stream_check #(.Width($bits(out_data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0),
  .valid_i(out_valid_o), .ready_i(out_ready_i), .data_i(out_data_o));
bind taco_buffer_reader stream_check #(.Width($bits(data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(start_i), .valid_i(valid_o), .ready_i, .data_i(data_o));
bind taco_dyadic stream_check #(.Width($bits(data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(valid_o), .ready_i, .data_i(data_o));
bind taco_poly_add stream_check #(.Width($bits(data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(valid_o), .ready_i, .data_i(data_o));
bind taco_mod_switch stream_check #(
  .Streams(DataLayers), .Width(Lanes * taco_pkg::CoeffWidth)
) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(valid_o), .ready_i, .data_i(data_o));
bind taco_word_pack stream_check #(.Width(taco_pkg::WordWidth)) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0),
  .valid_i(word_valid_o), .ready_i(word_ready_i), .data_i(word_o));
bind taco_word_unpack stream_check #(.Width($bits(data_o))) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(valid_o), .ready_i, .data_i(data_o));
bind taco_message stream_check #(
  .Streams(DataLayers), .Width(Lanes * taco_pkg::CoeffWidth)
) u_check (
  .clk_i, .rst_ni, .clear_i(1'b0),
  .valid_i(scaled_valid_o), .ready_i(scaled_ready_i), .data_i(scaled_data_o));
