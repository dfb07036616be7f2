// What the client of an encrypted inference computes in the clear, on integers: workloads/dnn/plain
// in C++, on 32-bit values, plane after plane.
#pragma once

#include <memory>

#include "kernels.h"

namespace local_inference {

std::unique_ptr<Layer> make_plain(const Options &options);

}  // namespace local_inference
