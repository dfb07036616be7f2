// Regions of interest: which part of a run belongs to which client operation.
#pragma once

#include <cstdint>

namespace client_ops {

// The order is that of a run and of the statistics of a simulator.
enum class Operation : std::uint32_t { encode, encrypt, decrypt, decode };

const char *name(Operation operation);

// Begins a region when made and ends it when destroyed; prints its host time.
class Region {
public:
    Region(Operation operation, unsigned repetition, bool gem5_markers);
    ~Region();
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

private:
    Operation operation_;
    unsigned repetition_;
    bool gem5_markers_;
    std::uint64_t start_ns_;
};

// Writes to a file descriptor with write(2) only: C streams make system calls on their first use
// that gem5's system call emulation does not know.
void write_text(int descriptor, const char *text);

}  // namespace client_ops

// A simulator that sees every instruction finds the regions by the addresses of these functions.
extern "C" {
void choco_region_begin(std::uint32_t operation, bool gem5_markers);
void choco_region_end(std::uint32_t operation, bool gem5_markers);
}
