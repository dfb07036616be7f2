// A repeatable source of entropy for Microsoft SEAL.
//
// SEAL seeds its generators from std::random_device, and its Python binding has no way to set
// them. This library, loaded with global visibility before the binding, takes the place of
// std::random_device::operator(): until it is seeded it returns the operating system's entropy,
// afterwards a splitmix64 sequence (Steele, Lea, Flood, OOPSLA 2014, DOI 10.1145/2660193.2660195).
// Seeded runs are for experiments that must repeat; keys made in them are not secret.

#include <sys/random.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace {
bool seeded = false;
std::uint64_t state = 0;
}  // namespace

extern "C" void choco_seed(std::uint64_t seed) {
    seeded = true;
    state = seed;
}

extern "C" void choco_unseed() { seeded = false; }

std::random_device::result_type std::random_device::_M_getval() {
    if (!seeded) {
        result_type value;
        if (getrandom(&value, sizeof value, 0) != sizeof value) {
            std::abort();
        }
        return value;
    }
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<result_type>((z ^ (z >> 31)) >> 32);
}
