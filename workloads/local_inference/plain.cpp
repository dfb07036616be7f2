#include "plain.h"

#include <algorithm>
#include <limits>

#include "data.h"

namespace local_inference {

namespace {

constexpr unsigned accumulator_bits = 20;

class Plain : public Layer {
public:
    Plain(const Options &options, std::size_t inputs, std::size_t outputs)
        : o_(options), input_(integers(Tensor::input, inputs, accumulator_bits)),
          output_(outputs) {}
    const void *output() const override { return output_.data(); }
    std::size_t output_bytes() const override { return output_.size() * sizeof(std::int32_t); }

protected:
    Options o_;
    std::vector<std::int32_t> input_, output_;
};

class Relu : public Plain {
public:
    explicit Relu(const Options &o) : Plain(o, o.channels, o.channels) {}
    void run() override {
        std::transform(input_.begin(), input_.end(), output_.begin(),
                       [](std::int32_t x) { return std::max(x, 0); });
    }
};

class MaxPool : public Plain {
public:
    explicit MaxPool(const Options &o)
        : Plain(o, std::size_t{o.channels} * o.height * o.width,
                std::size_t{o.channels} * o.out_height() * o.out_width()) {}
    void run() override {
        auto *to = output_.data();
        const auto height = static_cast<int>(o_.height), width = static_cast<int>(o_.width);
        const auto kernel = static_cast<int>(o_.kernel), padding = static_cast<int>(o_.padding);
        const auto stride = static_cast<int>(o_.stride);
        for (std::uint32_t channel = 0; channel < o_.channels; ++channel) {
            const auto *plane = &input_[std::size_t{channel} * height * width];
            for (int y = -padding; y + kernel <= height + padding; y += stride) {
                const int top = std::max(y, 0), bottom = std::min(y + kernel, height);
                for (int x = -padding; x + kernel <= width + padding; x += stride) {
                    const int left = std::max(x, 0), right = std::min(x + kernel, width);
                    auto largest = std::numeric_limits<std::int32_t>::min();
                    for (int row = top; row < bottom; ++row) {
                        for (int column = left; column < right; ++column) {
                            largest = std::max(largest, plane[row * width + column]);
                        }
                    }
                    *to++ = largest;
                }
            }
        }
    }
};

// To nearest, halves away from zero.
std::int32_t divide_rounded(std::int64_t value, std::int32_t divisor) {
    const auto half = divisor / 2;
    return static_cast<std::int32_t>((value < 0 ? value - half : value + half) / divisor);
}

class AveragePool : public Plain {
public:
    explicit AveragePool(const Options &o)
        : Plain(o, std::size_t{o.channels} * o.height * o.width, o.channels) {}
    void run() override {
        const auto pixels = static_cast<std::int32_t>(o_.height * o_.width);
        for (std::uint32_t channel = 0; channel < o_.channels; ++channel) {
            const auto *plane = &input_[std::size_t{channel} * pixels];
            std::int64_t sum = 0;
            for (std::int32_t i = 0; i < pixels; ++i) {
                sum += plane[i];
            }
            output_[channel] = divide_rounded(sum, pixels);
        }
    }
};

class Requantize : public Plain {
public:
    explicit Requantize(const Options &o) : Plain(o, o.channels, o.channels) {}
    void run() override {
        const auto multiplier = static_cast<std::int64_t>(o_.multiplier);
        const auto half = (std::int64_t{1} << o_.shift) >> 1;
        const std::int64_t largest = (1 << o_.bits) - 1;
        for (std::size_t i = 0; i < input_.size(); ++i) {
            // What would round to a negative number becomes 0, so only this side must be right.
            const auto scaled = (input_[i] * multiplier + half) >> o_.shift;
            output_[i] =
                static_cast<std::int32_t>(std::min(std::max<std::int64_t>(scaled, 0), largest));
        }
    }
};

// Between the 64-bit slots of SEAL's encoder and the values of a layer.
class Pack : public Layer {
public:
    explicit Pack(const Options &o)
        : input_(integers(Tensor::input, o.channels, accumulator_bits)), output_(o.channels) {}
    void run() override { std::copy(input_.begin(), input_.end(), output_.begin()); }
    const void *output() const override { return output_.data(); }
    std::size_t output_bytes() const override { return output_.size() * sizeof(std::int64_t); }

private:
    std::vector<std::int32_t> input_;
    std::vector<std::int64_t> output_;
};

class Unpack : public Plain {
public:
    explicit Unpack(const Options &o)
        : Plain(o, o.channels, o.channels), slots_(input_.begin(), input_.end()) {}
    void run() override {
        std::transform(slots_.begin(), slots_.end(), output_.begin(),
                       [](std::int64_t slot) { return static_cast<std::int32_t>(slot); });
    }

private:
    std::vector<std::int64_t> slots_;
};

}  // namespace

std::unique_ptr<Layer> make_plain(const Options &options) {
    switch (options.operation) {
    case Operation::relu:
        return std::make_unique<Relu>(options);
    case Operation::max_pool:
        return std::make_unique<MaxPool>(options);
    case Operation::average_pool:
        return std::make_unique<AveragePool>(options);
    case Operation::requantize:
        return std::make_unique<Requantize>(options);
    case Operation::pack:
        return std::make_unique<Pack>(options);
    case Operation::unpack:
        return std::make_unique<Unpack>(options);
    default:
        throw std::logic_error("no plain operation");
    }
}

}  // namespace local_inference
