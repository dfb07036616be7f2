// Runs commands: a short list of steps each, everything in a step at the same time.
//
// BFV encryption (Sections 4.1, 4.3)          CKKS encryption
//   0 u -> A                                    0 u -> A
//   1 NTT(A)                                    1 NTT(A)
//   2 A x pk1 -> B                              2 A x pk1 -> B
//   3 INTT(B)                                   3 INTT(B)
//   4 B + e, drop p -> c1; A x pk0 -> B         4 B + e, drop p -> B
//   5 INTT(B)                                   5 NTT(B)
//   6 B + e, drop p, + round(q m / t) -> c0     6 B -> c1; A x pk0 -> B
//                                               7 to 9 as 3 to 5
//                                              10 B + m -> c0
// BFV decryption: c1 -> A; NTT(A); A x sk -> B; INTT(B); B + c0 -> message unit
// CKKS decryption: c1 -> A; A x sk -> B; B + c0 -> host
//
// CKKS ciphertexts are in NTT form. Dropping p is linear in everything but p's residue, which needs
// its coefficients: SEAL transforms that one back and its multiple forth; here all residues are
// dropped in coefficient form and transformed forth, which gives the same canonical residues.

module taco_sequence
  import taco_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,  // the command is finished
  input  logic [3:0] op_i,

  output logic       running_o,
  output logic       start_o,  // one cycle at the beginning of a step
  output step_t      step_o,   // holds during the step
  output route_e     route_o,  // of the last step that drained
  output logic       add_message_o,
  output logic [3:0] number_o,

  input  logic       layers_busy_i,
  input  logic       sampler_busy_i,
  input  logic       output_busy_i,
  input  logic       message_busy_i
);
  typedef struct packed {
    step_t step;
    logic  add_message;  // scaled message joins behind modulus switching
    logic  last;
  } plan_t;

  function automatic plan_t plan_of(logic [3:0] op, logic [3:0] number);
    plan_t p;
    step_t s;
    p = '0;
    s = '0;
    s.layer.key = KeyPublic1;
    s.layer.addend = AddNothing;
    s.route = RouteSwitched;
    s.key_layer = op == OpBfvEncrypt || op == OpCkksEncrypt;
    unique case ({op, number})
      {OpBfvEncrypt, 4'd0}, {OpCkksEncrypt, 4'd0}: begin  // u -> A
        s.layer.load = 1'b1;
        s.sample = 1'b1;
      end
      {OpBfvDecrypt, 4'd0}, {OpCkksDecrypt, 4'd0}: begin  // c1 -> A
        s.layer.load = 1'b1;
        s.layer.load_external = 1'b1;
      end
      {OpBfvEncrypt, 4'd1}, {OpCkksEncrypt, 4'd1}, {OpBfvDecrypt, 4'd1}: begin  // NTT(A)
        s.layer.ntt = 1'b1;
      end
      {OpBfvEncrypt, 4'd2}, {OpCkksEncrypt, 4'd2}: begin  // A x pk1 -> B
        s.layer.product = 1'b1;
      end
      {OpBfvDecrypt, 4'd2}, {OpCkksDecrypt, 4'd1}: begin  // A x sk -> B
        s.layer.product = 1'b1;
        s.layer.key = KeySecret;
      end
      {OpBfvEncrypt, 4'd3}, {OpBfvEncrypt, 4'd5}, {OpCkksEncrypt, 4'd3}, {OpCkksEncrypt, 4'd7},
      {OpBfvDecrypt, 4'd3}: begin  // INTT(B)
        s.layer.ntt = 1'b1;
        s.layer.ntt_b = 1'b1;
        s.layer.ntt_inverse = 1'b1;
      end
      {OpBfvEncrypt, 4'd4}, {OpBfvEncrypt, 4'd6}: begin  // B + e -> c; A x pk0 -> B
        s.layer.drain = 1'b1;
        s.layer.addend = AddSample;
        s.sample = 1'b1;
        s.sample_error = 1'b1;
        s.layer.product = number == 4'd4;
        s.layer.key = KeyPublic0;
        p.add_message = number == 4'd6;
        p.last = number == 4'd6;
      end
      {OpCkksEncrypt, 4'd4}, {OpCkksEncrypt, 4'd8}: begin  // B + e -> B
        s.layer.drain = 1'b1;
        s.layer.addend = AddSample;
        s.sample = 1'b1;
        s.sample_error = 1'b1;
        s.layer.back = 1'b1;
        s.route = RouteBack;
      end
      {OpCkksEncrypt, 4'd5}, {OpCkksEncrypt, 4'd9}: begin  // NTT(B)
        s.layer.ntt = 1'b1;
        s.layer.ntt_b = 1'b1;
        s.key_layer = 1'b0;
      end
      {OpCkksEncrypt, 4'd6}: begin  // B -> c1; A x pk0 -> B (the key prime's: product only)
        s.layer.drain = 1'b1;
        s.layer.product = 1'b1;
        s.layer.key = KeyPublic0;
        s.route = RouteDirect;
      end
      {OpCkksEncrypt, 4'd10}, {OpCkksDecrypt, 4'd2}: begin  // B + m -> c0; B + c0 -> m
        s.layer.drain = 1'b1;
        s.layer.addend = AddExternal;
        s.route = RouteDirect;
        s.key_layer = 1'b0;
        p.last = 1'b1;
      end
      {OpBfvDecrypt, 4'd4}: begin  // B + c0 -> message unit
        s.layer.drain = 1'b1;
        s.layer.addend = AddExternal;
        s.route = RouteDecode;
        p.last = 1'b1;
      end
      default: p.last = 1'b1;
    endcase
    p.step = s;
    return p;
  endfunction

  typedef enum logic [1:0] {Idle, Start, Wait, Finish} state_e;
  state_e     state_q, state_d;
  logic [3:0] number_q, number_d;
  route_e     route_q;
  logic       add_message_q, can_start;

  plan_t      plan;

  assign plan = plan_of(op_i, number_q);
  assign step_o = plan.step;
  // A stream of the step before may still be on its way: to the host, or out of the sampler.
  assign can_start = !(step_o.sample && sampler_busy_i) && !(step_o.layer.drain && output_busy_i);

  always_comb begin
    state_d = state_q;
    number_d = number_q;
    start_o = 1'b0;
    ready_o = 1'b0;
    unique case (state_q)
      Idle: begin
        number_d = '0;
        if (valid_i) state_d = Start;
      end
      Start: if (can_start) begin
        start_o = 1'b1;
        state_d = Wait;
      end
      Wait: if (!layers_busy_i) begin
        number_d = plan.last ? number_q : number_q + 1'b1;
        state_d = plan.last ? Finish : Start;
      end
      Finish: if (!output_busy_i && !message_busy_i && !sampler_busy_i) begin
        ready_o = 1'b1;
        state_d = Idle;
      end
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      number_q <= '0;
      route_q <= RouteSwitched;
      add_message_q <= 1'b0;
    end else begin
      state_q <= state_d;
      number_q <= number_d;
      if (start_o && step_o.layer.drain) begin
        route_q <= step_o.route;
        add_message_q <= plan.add_message;
      end
    end
  end
  assign route_o = route_q;
  assign add_message_o = add_message_q;
  assign running_o = state_q != Idle;
  assign number_o = number_q;
endmodule
