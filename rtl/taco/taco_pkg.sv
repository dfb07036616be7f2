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
  localparam int unsigned RadixDigits = 6;
  localparam int unsigned MontgomeryWidth = RadixWidth * RadixDigits;  // 66

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
endpackage
