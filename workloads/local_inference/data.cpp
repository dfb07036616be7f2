#include "data.h"

namespace local_inference {

std::uint32_t hashed(Tensor tensor, std::uint32_t index) {
    auto x = index + static_cast<std::uint32_t>(tensor) * 0x9E3779B9u;
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

std::vector<float> reals(Tensor tensor, std::size_t count, std::size_t room) {
    std::vector<float> result(count + room);
    for (std::size_t i = 0; i < count; ++i) {
        const auto signed_part = static_cast<std::int32_t>(hashed(tensor, i) >> 8) - (1 << 23);
        result[i] = static_cast<float>(signed_part) / (1 << 23);
    }
    return result;
}

std::vector<std::int8_t> bytes(Tensor tensor, std::size_t count, std::size_t room) {
    std::vector<std::int8_t> result(count + room);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<std::int32_t>(hashed(tensor, i) >> 24) - 128;
        result[i] = static_cast<std::int8_t>(value == -128 ? 0 : value);
    }
    return result;
}

std::vector<std::int32_t> integers(Tensor tensor, std::size_t count, unsigned bits) {
    std::vector<std::int32_t> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] =
            static_cast<std::int32_t>(hashed(tensor, i) >> (32 - bits)) - (1 << (bits - 1));
    }
    return result;
}

}  // namespace local_inference
