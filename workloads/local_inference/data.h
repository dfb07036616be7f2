// Inputs and weights: the same on every machine, and easy to make again elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace local_inference {

// Which tensor an entry belongs to; tensors of one layer differ.
enum class Tensor : std::uint32_t { input = 1, weights = 2, bias = 3 };

// A hash of tensor and position (multiply and shift, twice).
std::uint32_t hashed(Tensor tensor, std::uint32_t index);

// Entries in [-1, 1), in -127 to 127, and in -2^(bits-1) to 2^(bits-1)-1.
std::vector<float> reals(Tensor tensor, std::size_t count, std::size_t room = 0);
std::vector<std::int8_t> bytes(Tensor tensor, std::size_t count, std::size_t room = 0);
std::vector<std::int32_t> integers(Tensor tensor, std::size_t count, unsigned bits);

}  // namespace local_inference
