// Command line of client_ops.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace client_ops {

enum class Scheme { bfv, ckks };
enum class Encryption { public_key, secret_key };
enum class Message { random, periodic };
enum class Generator { library_default, blake2xb, shake256 };

struct Options {
    Scheme scheme = Scheme::bfv;
    std::size_t poly_modulus_degree = 0;
    std::vector<int> coeff_modulus_bits;
    int plain_modulus_bits = 0;  // BFV
    int scale_bits = 0;          // CKKS
    Encryption encryption = Encryption::public_key;
    Message message = Message::random;
    Generator generator = Generator::library_default;
    unsigned repetitions = 1;
    std::uint64_t seed = 1;
    bool gem5_markers = false;  // execute gem5's m5 operations around every operation
};

// What the user typed cannot be used; the message is one line.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

extern const char *const usage;

// Returns the options, or throws UsageError.
Options parse(const std::vector<std::string> &arguments);

}  // namespace client_ops
