// Layers of local inference: XNNPACK's operators, as TensorFlow Lite's delegate uses them.
#pragma once

#include <memory>

#include "options.h"

namespace local_inference {

// A layer with its weights packed and its input there, ready to run any number of times.
class Layer {
public:
    virtual ~Layer() = default;
    virtual void run() = 0;
    virtual const void *output() const = 0;
    virtual std::size_t output_bytes() const = 0;
};

// Quantization of int8 layers. Weights of a convolution have a scale for each output channel, as
// TensorFlow Lite quantizes them; those of a fully connected layer have one.
constexpr int input_zero_point = -5, output_zero_point = 7;
constexpr float input_scale = 1.0f / 128;
float kernel_scale(std::uint32_t channel, Operation operation);
// Such that sums of `terms` products fill the range.
float output_scale(std::uint32_t terms);

// For float32 and int8. Throws std::runtime_error: XNNPACK does not take the layer.
std::unique_ptr<Layer> make_kernel(const Options &options);

}  // namespace local_inference
