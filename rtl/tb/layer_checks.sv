// Assertions on the buffers of a residue layer, bound to it in whole-machine simulations.

// The ports of A and B belong to the transform or to the streams, never to both; keys and twiddles
// are not written while they are read; the writer of B stays behind its reader.
module layer_check (
  input logic clk_i,
  input logic rst_ni,
  input logic ntt_busy_i,
  input logic ntt_b_i,
  input logic a_stream_i,
  input logic b_stream_i,
  input logic table_write_i,
  input logic busy_i,
  input logic b_write_i,
  input logic b_ahead_i
);
  assert property (@(posedge clk_i) disable iff (!rst_ni) ntt_busy_i && !ntt_b_i |-> !a_stream_i)
  else $fatal(1, "%m: transform and stream both on A");
  assert property (@(posedge clk_i) disable iff (!rst_ni) ntt_busy_i && ntt_b_i |-> !b_stream_i)
  else $fatal(1, "%m: transform and stream both on B");
  assert property (@(posedge clk_i) disable iff (!rst_ni) table_write_i |-> !busy_i)
  else $fatal(1, "%m: table written while in use");
  assert property (@(posedge clk_i) disable iff (!rst_ni) b_write_i |-> !b_ahead_i)
  else $fatal(1, "%m: B overwritten before it was read");
endmodule

bind taco_layer layer_check u_check (
  .clk_i, .rst_ni, .ntt_busy_i(ntt_busy), .ntt_b_i(step_i.ntt_b),
  .a_stream_i(load_busy || a_busy), .b_stream_i(b_write_busy || b_busy),
  .table_write_i(key_write_i || twiddle_write_i), .busy_i(busy_o),
  .b_write_i(b_write), .b_ahead_i(b_busy && b_write_word > b_read_word));
