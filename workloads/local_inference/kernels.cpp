#include "kernels.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <xnnpack.h>

#include "data.h"

namespace local_inference {

float kernel_scale(std::uint32_t channel, Operation operation) {
    const auto step = operation == Operation::convolution ? channel % 4 : 0;
    return (1.0f + static_cast<float>(step) / 4) / 128;
}

float output_scale(std::uint32_t terms) { return std::sqrt(static_cast<float>(terms)) / 64; }

namespace {

void require(xnn_status status, const char *what) {
    if (status != xnn_status_success) {
        throw std::runtime_error(std::string("XNNPACK refuses: ") + what + ", status " +
                                 std::to_string(status));
    }
}

// Kernels may read a little beyond the end of their input.
template <typename Entry>
constexpr std::size_t room = XNN_EXTRA_BYTES / sizeof(Entry);

template <typename Entry>
std::vector<Entry> tensor(Tensor which, std::size_t count);

template <>
std::vector<float> tensor(Tensor which, std::size_t count) {
    return reals(which, count, room<float>);
}

template <>
std::vector<std::int8_t> tensor(Tensor which, std::size_t count) {
    return bytes(which, count, room<std::int8_t>);
}

// Input, output and operator of one layer.
template <typename Entry>
class Kernel : public Layer {
public:
    ~Kernel() override { xnn_delete_operator(operator_); }
    void run() override { require(xnn_run_operator(operator_, nullptr), "run"); }
    const void *output() const override { return output_.data(); }
    std::size_t output_bytes() const override { return output_.size() * sizeof(Entry); }

protected:
    Kernel(std::size_t inputs, std::size_t outputs)
        : input_(tensor<Entry>(Tensor::input, inputs)), output_(outputs) {}

    std::vector<Entry> input_, output_;
    xnn_operator_t operator_ = nullptr;
};

std::size_t pixels(const Options &o) {
    return std::size_t{o.height} * o.width;
}

// Bounds of the output: what an activation fused into the layer comes to.
float lowest(const Options &o, float) {
    return o.relu ? 0.0f : -std::numeric_limits<float>::infinity();
}
std::int8_t lowest(const Options &o, std::int8_t) { return o.relu ? output_zero_point : -128; }

class FloatConvolution : public Kernel<float> {
public:
    explicit FloatConvolution(const Options &o)
        : Kernel(pixels(o) * o.channels,
                 std::size_t{o.out_height()} * o.out_width() * o.out_channels) {
        const auto kernel =
            reals(Tensor::weights, std::size_t{o.out_channels} * o.kernel * o.kernel * o.channels);
        const auto bias = reals(Tensor::bias, o.out_channels);
        require(xnn_create_convolution2d_nhwc_f32(
                    o.padding, o.padding, o.padding, o.padding, o.kernel, o.kernel, o.stride,
                    o.stride, 1, 1, 1, o.channels, o.out_channels, o.channels, o.out_channels,
                    kernel.data(), bias.data(), lowest(o, 0.0f),
                    std::numeric_limits<float>::infinity(), 0, &operator_),
                "convolution");
        require(xnn_setup_convolution2d_nhwc_f32(operator_, 1, o.height, o.width, input_.data(),
                                                 output_.data(), nullptr),
                "convolution");
    }
};

class ByteConvolution : public Kernel<std::int8_t> {
public:
    explicit ByteConvolution(const Options &o)
        : Kernel(pixels(o) * o.channels,
                 std::size_t{o.out_height()} * o.out_width() * o.out_channels) {
        const auto terms = o.kernel * o.kernel * o.channels;
        const auto kernel = bytes(Tensor::weights, std::size_t{o.out_channels} * terms);
        const auto bias = integers(Tensor::bias, o.out_channels, 12);
        std::vector<float> scales(o.out_channels);
        for (std::uint32_t i = 0; i < o.out_channels; ++i) {
            scales[i] = kernel_scale(i, o.operation);
        }
        require(xnn_create_convolution2d_nhwc_qc8(
                    o.padding, o.padding, o.padding, o.padding, o.kernel, o.kernel, o.stride,
                    o.stride, 1, 1, 1, o.channels, o.out_channels, o.channels, o.out_channels,
                    input_zero_point, input_scale, scales.data(), kernel.data(), bias.data(),
                    output_zero_point, output_scale(terms), lowest(o, std::int8_t{}), 127, 0,
                    &operator_),
                "convolution");
        require(xnn_setup_convolution2d_nhwc_qc8(operator_, 1, o.height, o.width, input_.data(),
                                                 output_.data(), nullptr),
                "convolution");
    }
};

class FloatFullyConnected : public Kernel<float> {
public:
    explicit FloatFullyConnected(const Options &o) : Kernel(o.channels, o.out_channels) {
        const auto kernel = reals(Tensor::weights, std::size_t{o.out_channels} * o.channels);
        const auto bias = reals(Tensor::bias, o.out_channels);
        require(xnn_create_fully_connected_nc_f32(
                    o.channels, o.out_channels, o.channels, o.out_channels, kernel.data(),
                    bias.data(), lowest(o, 0.0f), std::numeric_limits<float>::infinity(), 0,
                    &operator_),
                "fully_connected");
        require(xnn_setup_fully_connected_nc_f32(operator_, 1, input_.data(), output_.data(),
                                                 nullptr),
                "fully_connected");
    }
};

class ByteFullyConnected : public Kernel<std::int8_t> {
public:
    explicit ByteFullyConnected(const Options &o) : Kernel(o.channels, o.out_channels) {
        const auto kernel = bytes(Tensor::weights, std::size_t{o.out_channels} * o.channels);
        const auto bias = integers(Tensor::bias, o.out_channels, 12);
        require(xnn_create_fully_connected_nc_qs8(
                    o.channels, o.out_channels, o.channels, o.out_channels, input_zero_point,
                    input_scale, kernel_scale(0, o.operation), kernel.data(), bias.data(),
                    output_zero_point, output_scale(o.channels), lowest(o, std::int8_t{}), 127, 0,
                    &operator_),
                "fully_connected");
        require(xnn_setup_fully_connected_nc_qs8(operator_, 1, input_.data(), output_.data(),
                                                 nullptr),
                "fully_connected");
    }
};

template <typename Entry, auto create, auto setup>
class MaxPool : public Kernel<Entry> {
public:
    explicit MaxPool(const Options &o)
        : Kernel<Entry>(pixels(o) * o.channels,
                        std::size_t{o.out_height()} * o.out_width() * o.channels) {
        using Limits = std::numeric_limits<Entry>;
        const auto lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        const auto highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        require(create(o.padding, o.padding, o.padding, o.padding, o.kernel, o.kernel, o.stride,
                       o.stride, 1, 1, o.channels, o.channels, o.channels, lowest, highest, 0,
                       &this->operator_),
                "max_pool");
        require(setup(this->operator_, 1, o.height, o.width, this->input_.data(),
                      this->output_.data(), nullptr),
                "max_pool");
    }
};

class FloatAveragePool : public Kernel<float> {
public:
    explicit FloatAveragePool(const Options &o)
        : Kernel(pixels(o) * o.channels, o.channels) {
        const auto infinity = std::numeric_limits<float>::infinity();
        require(xnn_create_global_average_pooling_nwc_f32(o.channels, o.channels, o.channels,
                                                          -infinity, infinity, 0, &operator_),
                "average_pool");
        require(xnn_setup_global_average_pooling_nwc_f32(operator_, 1, pixels(o),
                                                         input_.data(), output_.data(), nullptr),
                "average_pool");
    }
};

class ByteAveragePool : public Kernel<std::int8_t> {
public:
    explicit ByteAveragePool(const Options &o)
        : Kernel(pixels(o) * o.channels, o.channels) {
        // The result has the quantization of the input, as in TensorFlow Lite.
        require(xnn_create_global_average_pooling_nwc_qs8(
                    o.channels, o.channels, o.channels, input_zero_point, input_scale,
                    input_zero_point, input_scale, -128, 127, 0, &operator_),
                "average_pool");
        require(xnn_setup_global_average_pooling_nwc_qs8(operator_, 1, pixels(o),
                                                         input_.data(), output_.data(), nullptr),
                "average_pool");
    }
};

// TensorFlow Lite concatenates by copying runs of channels, without XNNPACK.
template <typename Entry>
class Concatenate : public Layer {
public:
    explicit Concatenate(const Options &o)
        : pixels_(o.height), first_(o.channels), second_(o.out_channels),
          input_(tensor<Entry>(Tensor::input, std::size_t{pixels_} * first_)),
          more_(tensor<Entry>(Tensor::weights, std::size_t{pixels_} * second_)),
          output_(std::size_t{pixels_} * (first_ + second_)) {}
    void run() override {
        auto *to = output_.data();
        for (std::size_t pixel = 0; pixel < pixels_; ++pixel) {
            std::memcpy(to, &input_[pixel * first_], first_ * sizeof(Entry));
            std::memcpy(to + first_, &more_[pixel * second_], second_ * sizeof(Entry));
            to += first_ + second_;
        }
    }
    const void *output() const override { return output_.data(); }
    std::size_t output_bytes() const override { return output_.size() * sizeof(Entry); }

private:
    std::size_t pixels_, first_, second_;
    std::vector<Entry> input_, more_, output_;
};

using FloatMaxPool =
    MaxPool<float, xnn_create_max_pooling2d_nhwc_f32, xnn_setup_max_pooling2d_nhwc_f32>;
using ByteMaxPool =
    MaxPool<std::int8_t, xnn_create_max_pooling2d_nhwc_s8, xnn_setup_max_pooling2d_nhwc_s8>;

template <typename Float, typename Byte>
std::unique_ptr<Layer> of_type(const Options &options) {
    if (options.type == Type::float32) {
        return std::make_unique<Float>(options);
    }
    return std::make_unique<Byte>(options);
}

}  // namespace

std::unique_ptr<Layer> make_kernel(const Options &options) {
    require(xnn_initialize(nullptr), "initialize");
    switch (options.operation) {
    case Operation::convolution:
        return of_type<FloatConvolution, ByteConvolution>(options);
    case Operation::fully_connected:
        return of_type<FloatFullyConnected, ByteFullyConnected>(options);
    case Operation::max_pool:
        return of_type<FloatMaxPool, ByteMaxPool>(options);
    case Operation::average_pool:
        return of_type<FloatAveragePool, ByteAveragePool>(options);
    case Operation::concatenate:
        return of_type<Concatenate<float>, Concatenate<std::int8_t>>(options);
    default:
        throw std::logic_error("no kernel of local inference");
    }
}

}  // namespace local_inference
