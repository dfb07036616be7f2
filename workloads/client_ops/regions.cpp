#include "regions.h"

#include <cstring>
#include <string>
#include <time.h>
#include <unistd.h>

namespace {

// gem5's m5 operations work_begin and work_end: instructions of no real Arm processor, which gem5
// decodes by their function number (bits 16 to 23) with arguments in r0:r1 and r2:r3.
#if defined(__arm__)
template <std::uint32_t function>
void m5_operation(std::uint32_t work) {
    register std::uint32_t low asm("r0") = work;
    register std::uint32_t high asm("r1") = 0;
    register std::uint32_t thread_low asm("r2") = 0;
    register std::uint32_t thread_high asm("r3") = 0;
    asm volatile(".inst %c4"
                 : "+r"(low), "+r"(high)
                 : "r"(thread_low), "r"(thread_high), "i"(0xEE000110u | (function << 16))
                 : "memory");
}
#else
template <std::uint32_t function>
void m5_operation(std::uint32_t) {}
#endif

constexpr std::uint32_t work_begin = 0x5A;
constexpr std::uint32_t work_end = 0x5B;

std::uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

extern "C" {

__attribute__((noinline, used)) void choco_region_begin(std::uint32_t operation,
                                                         bool gem5_markers) {
    asm volatile("" ::: "memory");
    if (gem5_markers) {
        m5_operation<work_begin>(operation);
    }
}

__attribute__((noinline, used)) void choco_region_end(std::uint32_t operation, bool gem5_markers) {
    asm volatile("" ::: "memory");
    if (gem5_markers) {
        m5_operation<work_end>(operation);
    }
}
}

namespace client_ops {

const char *name(Operation operation) {
    constexpr const char *names[] = {"encode", "encrypt", "decrypt", "decode"};
    return names[static_cast<std::uint32_t>(operation)];
}

Region::Region(Operation operation, unsigned repetition, bool gem5_markers)
    : operation_(operation), repetition_(repetition), gem5_markers_(gem5_markers),
      start_ns_(now_ns()) {
    choco_region_begin(static_cast<std::uint32_t>(operation_), gem5_markers_);
}

Region::~Region() {
    choco_region_end(static_cast<std::uint32_t>(operation_), gem5_markers_);
    const auto time_ns = now_ns() - start_ns_;
    const auto line = std::string(name(operation_)) + "," + std::to_string(repetition_) + "," +
                      std::to_string(time_ns) + "\n";
    write_text(STDOUT_FILENO, line.c_str());
}

void write_text(int descriptor, const char *text) {
    auto left = std::strlen(text);
    while (left > 0) {
        const auto written = write(descriptor, text, left);
        if (written <= 0) {
            return;
        }
        text += written;
        left -= static_cast<std::size_t>(written);
    }
}

}  // namespace client_ops
