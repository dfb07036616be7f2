// Types and derived parameters that every module shares.
//
// Number formats
//   coefficient  64 bits on streams and in memories; the value is below a prime of at most 61 bits
//   sample       8 bits signed: ternary (-1..1), centered binomial (-21..21), clipped normal
//                (-19..19); the same small integer stands for itself in every residue
//   word         512 bits = 8 coefficients = what one SRAM port moves in one cycle;
//                coefficient 8w of a polynomial is in bits 63:0 of word w
//
// Montgomery form
//   Every prime here supports a negacyclic transform of at least 1024 points, so q = 1 mod 2048 and
//   -1/q = -1 mod 2^11: reduction by radix 2^11 needs no multiplication to find its quotient digit.
//   Six digits reduce any product a * b with a < 2^64, b < q to a * b / 2^66 mod q.
//   Constants (twiddles, keys, scaling factors) are therefore stored as c * 2^66 mod q, and then
//   the product with a plain number is the plain product.

package taco_pkg;
  localparam int unsigned CoeffWidth = 64;
  localparam int unsigned PrimeWidth = 61;
  localparam int unsigned SampleWidth = 8;
  localparam int unsigned WordCoeffs = 8;
  localparam int unsigned WordWidth = WordCoeffs * CoeffWidth;

  localparam int unsigned RadixWidth = 11;  // q = 1 mod 2^RadixWidth

  // Polynomial degrees: 2^LogNMin to 2^LogNMax; a built machine takes those up to its MaxLogN.
  localparam int unsigned LogNMin = 10;
  localparam int unsigned LogNMax = 15;
  localparam int unsigned LogNWidth = 4;

  // Cycles from operands to product in taco_mod_mul.
  localparam int unsigned MulLatency = 5;

  typedef logic [CoeffWidth-1:0] coeff_t;
  typedef logic [PrimeWidth-1:0] prime_t;
  typedef logic signed [SampleWidth-1:0] sample_t;
  typedef logic [WordWidth-1:0] word_t;

  // What a layer does in one step of a command (taco_layer, taco_sequence).
  typedef enum logic [1:0] {KeyPublic0 = 2'd0, KeyPublic1 = 2'd1, KeySecret = 2'd2} key_e;
  typedef enum logic [1:0] {AddNothing = 2'd0, AddSample = 2'd1, AddExternal = 2'd2} addend_e;
  typedef struct packed {
    logic    load;
    logic    load_external;
    logic    ntt;
    logic    ntt_b;
    logic    ntt_inverse;
    logic    product;
    key_e    key;
    logic    drain;
    addend_e addend;
    logic    back;
  } layer_step_t;

  // Commands of the host and their errors (taco_registers).
  typedef enum logic [3:0] {
    OpBfvEncrypt = 4'd1, OpBfvDecrypt = 4'd2, OpCkksEncrypt = 4'd3, OpCkksDecrypt = 4'd4
  } op_e;
  typedef enum logic [3:0] {
    ErrNone = 4'd0,
    ErrOpcode = 4'd1,    // no such command
    ErrDegree = 4'd2,    // log2 N not built in
    ErrResidues = 4'd3,  // more residues than layers, or none
    ErrKey = 4'd4,       // a key or a table that the command needs is not loaded
    ErrQueue = 4'd5,     // command queue full
    ErrBusy = 4'd6,      // written while commands run: parameters, keys, tables, message in use
    ErrAddress = 4'd7,   // nothing there
    ErrStream = 4'd8,    // ciphertext read or written while no command moves one
    ErrSeed = 4'd9       // encryption without a seed
  } error_e;
  typedef struct packed {
    logic [3:0] residues;  // of a ciphertext to decrypt; 0: all data layers
    logic [3:0] op;
  } command_t;

  // Where the residue streams go in a step.
  typedef enum logic [1:0] {
    RouteSwitched = 2'd0,  // modulus switching, message addition, host
    RouteBack = 2'd1,      // modulus switching, back to buffer B
    RouteDirect = 2'd2,    // host
    RouteDecode = 2'd3     // taco_message
  } route_e;
  typedef struct packed {
    layer_step_t layer;
    logic        key_layer;     // the key prime's layer takes part
    logic        sample;        // the sampler draws a polynomial
    logic        sample_error;  // errors, else ternary
    route_e      route;         // with layer.drain
  } step_t;

  // Cycles in which parts of a layer work or wait (taco_counters).
  typedef struct packed {
    logic load_busy;
    logic load_stall;
    logic ntt_busy;
    logic product_busy;
    logic product_stall;
    logic drain_busy;
    logic drain_stall;
  } layer_events_t;
endpackage
