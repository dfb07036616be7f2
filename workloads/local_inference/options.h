// What one run of the program does: one layer, once warm and once measured.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace local_inference {

enum class Operation {
    convolution,
    fully_connected,
    max_pool,
    average_pool,
    concatenate,
    relu,
    requantize,
    pack,
    unpack,
};

enum class Type { float32, int8, int32 };

struct Options {
    Operation operation{};
    Type type{};
    // Numbers of the layer, in the order of the usage text; those that it has not are 0.
    std::uint32_t height = 0, width = 0, channels = 0, out_channels = 0;
    std::uint32_t kernel = 0, stride = 1, padding = 0;
    std::uint32_t multiplier = 0, shift = 0, bits = 0;
    bool relu = false;
    bool gem5_markers = false;
    bool write_output = false;

    std::uint32_t out_height() const { return (height + 2 * padding - kernel) / stride + 1; }
    std::uint32_t out_width() const { return (width + 2 * padding - kernel) / stride + 1; }
};

class UsageError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

extern const char *const usage;

// Throws UsageError: one line that says what is wrong and what is allowed.
Options parse(const std::vector<std::string> &arguments);

}  // namespace local_inference
