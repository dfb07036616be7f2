// Cuts $fa cells into single bits, and into plain gates where an input is constant: only full
// adders that are needed reach the library's cell. Applied until nothing changes.
(* techmap_celltype = "$fa" *)
module _split_full_adder (A, B, C, X, Y);
  parameter WIDTH = 1;
  parameter _TECHMAP_CONSTMSK_A_ = 0;
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  parameter _TECHMAP_CONSTMSK_C_ = 0;
  input [WIDTH-1:0] A, B, C;
  output [WIDTH-1:0] X, Y;
  localparam [WIDTH-1:0] Constant =
      _TECHMAP_CONSTMSK_A_ | _TECHMAP_CONSTMSK_B_ | _TECHMAP_CONSTMSK_C_;
  wire _TECHMAP_FAIL_ = WIDTH == 1 && Constant == 0;
  genvar i;
  generate
    for (i = 0; i < WIDTH; i = i + 1) begin : bit
      if (Constant[i]) begin
        assign Y[i] = A[i] ^ B[i] ^ C[i];
        assign X[i] = (A[i] & B[i]) | (A[i] & C[i]) | (B[i] & C[i]);
      end else begin
        \$fa #(.WIDTH(1)) fa (.A(A[i]), .B(B[i]), .C(C[i]), .X(X[i]), .Y(Y[i]));
      end
    end
  endgenerate
endmodule
