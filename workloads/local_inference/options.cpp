#include "options.h"

#include <algorithm>

namespace local_inference {

const char *const usage =
    "usage: local_inference [--relu] [--markers none|gem5] [--output] LAYER NUMBERS... TYPE\n"
    "\n"
    "Runs one layer twice, first to warm up; the second run is what is measured.\n"
    "\n"
    "  convolution HEIGHT WIDTH CHANNELS OUT_CHANNELS KERNEL STRIDE PADDING   float32, int8\n"
    "  fully_connected IN_FEATURES OUT_FEATURES                               float32, int8\n"
    "  max_pool HEIGHT WIDTH CHANNELS KERNEL STRIDE PADDING                   float32, int8, int32\n"
    "  average_pool HEIGHT WIDTH CHANNELS (over the whole plane)              float32, int8, int32\n"
    "  concatenate PIXELS CHANNELS MORE_CHANNELS                              float32, int8\n"
    "  relu ELEMENTS                                                          int32\n"
    "  requantize ELEMENTS MULTIPLIER SHIFT BITS                              int32\n"
    "  pack SLOTS, unpack SLOTS (32-bit values into 64-bit slots, and back)   int32\n"
    "\n"
    "float32 and int8 are local inference (XNNPACK, planes interleaved); int32 is what the client\n"
    "of an encrypted inference computes in the clear (plane after plane).\n"
    "\n"
    "  --relu      convolution, fully_connected: with the activation, as TensorFlow Lite fuses it\n"
    "  --markers   gem5: m5 work_begin and work_end around the region\n"
    "  --output    write the result to standard output, as it lies in memory, instead of the time\n";

namespace {

using Number = std::uint32_t Options::*;

struct Layer {
    const char *name;
    Operation operation;
    std::vector<Number> numbers;
    std::vector<Type> types;
};

const std::vector<Layer> &layers() {
    using O = Options;
    const std::vector<Type> local{Type::float32, Type::int8};
    const std::vector<Type> all{Type::float32, Type::int8, Type::int32};
    const std::vector<Type> plain{Type::int32};
    static const std::vector<Layer> known{
        {"convolution",
         Operation::convolution,
         {&O::height, &O::width, &O::channels, &O::out_channels, &O::kernel, &O::stride,
          &O::padding},
         local},
        {"fully_connected", Operation::fully_connected, {&O::channels, &O::out_channels}, local},
        {"max_pool",
         Operation::max_pool,
         {&O::height, &O::width, &O::channels, &O::kernel, &O::stride, &O::padding},
         all},
        {"average_pool", Operation::average_pool, {&O::height, &O::width, &O::channels}, all},
        {"concatenate", Operation::concatenate, {&O::height, &O::channels, &O::out_channels}, local},
        {"relu", Operation::relu, {&O::channels}, plain},
        {"requantize",
         Operation::requantize,
         {&O::channels, &O::multiplier, &O::shift, &O::bits},
         plain},
        {"pack", Operation::pack, {&O::channels}, plain},
        {"unpack", Operation::unpack, {&O::channels}, plain},
    };
    return known;
}

std::uint32_t number(const std::string &text) {
    const bool digits =
        !text.empty() && text.size() <= 7 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) {
        throw UsageError("'" + text + "' is not a number from 0 to 9999999");
    }
    return static_cast<std::uint32_t>(std::stoul(text));
}

Type type(const std::string &text) {
    if (text == "float32") {
        return Type::float32;
    }
    if (text == "int8") {
        return Type::int8;
    }
    if (text == "int32") {
        return Type::int32;
    }
    throw UsageError("'" + text + "' is no type; types are float32, int8, int32");
}

void check(const Options &o, const Layer &layer) {
    const std::string name = layer.name;
    for (const auto given : layer.numbers) {
        if (o.*given == 0 && given != &Options::padding && given != &Options::shift) {
            throw UsageError(name + ": only PADDING and SHIFT may be 0");
        }
    }
    const bool linear =
        o.operation == Operation::convolution || o.operation == Operation::fully_connected;
    if (o.relu && !linear) {
        throw UsageError("--relu: " + name + " has no activation; convolution and "
                         "fully_connected have");
    }
    if (o.kernel > 0) {
        if (std::min(o.height, o.width) + 2 * o.padding < o.kernel) {
            throw UsageError(name + ": KERNEL is larger than the padded plane");
        }
        if (o.operation == Operation::max_pool && 2 * o.padding > o.kernel) {
            throw UsageError(name + ": PADDING is more than half of KERNEL");
        }
    }
    if (o.operation == Operation::requantize &&
        (o.multiplier > 1u << 15 || o.shift > 30 || o.bits > 16)) {
        throw UsageError(name + ": MULTIPLIER is at most 32768, SHIFT 30 and BITS 16");
    }
}

}  // namespace

Options parse(const std::vector<std::string> &arguments) {
    Options options;
    auto next = arguments.begin();
    for (; next != arguments.end() && next->rfind("--", 0) == 0; ++next) {
        if (*next == "--relu") {
            options.relu = true;
        } else if (*next == "--output") {
            options.write_output = true;
        } else if (*next == "--markers" && next + 1 != arguments.end()) {
            ++next;
            if (*next != "none" && *next != "gem5") {
                throw UsageError("--markers: none or gem5, not '" + *next + "'");
            }
            options.gem5_markers = *next == "gem5";
        } else {
            throw UsageError("'" + *next + "' is no option, or lacks its value; --help lists them");
        }
    }
    if (next == arguments.end()) {
        throw UsageError("a layer is missing; --help lists them");
    }
    for (const auto &layer : layers()) {
        if (*next != layer.name) {
            continue;
        }
        if (static_cast<std::size_t>(arguments.end() - next) != layer.numbers.size() + 2) {
            throw UsageError(*next + " takes " + std::to_string(layer.numbers.size()) +
                             " numbers and a type; --help names them");
        }
        options.operation = layer.operation;
        for (const auto given : layer.numbers) {
            options.*given = number(*++next);
        }
        options.type = type(*++next);
        if (std::find(layer.types.begin(), layer.types.end(), options.type) == layer.types.end()) {
            throw UsageError(std::string(layer.name) + " does not run on " + *next +
                             "; --help lists its types");
        }
        check(options, layer);
        return options;
    }
    throw UsageError("'" + *next + "' is no layer; --help lists them");
}

}  // namespace local_inference
