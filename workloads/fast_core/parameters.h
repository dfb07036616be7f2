// The core's parameters, as models/client/core.py writes them: one `name value` a line.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "instruction.h"

namespace fast_core {

struct FunctionalUnit {
    unsigned count = 1;
    unsigned latency = 1;        // cycles from issue to commit
    unsigned forwarding = 0;     // cycles before a source's result in which it may issue
    unsigned interval = 1;       // cycles between two issues
    unsigned extra_latency = 0;  // cycles after the unit in which a result is expected (loads)
};

struct Cache {
    std::uint32_t size_bytes = 0;
    unsigned ways = 1;
    bool random_replacement = false;
};

struct Parameters {
    unsigned fetch_width = 2;
    unsigned issue_width = 2;
    unsigned commit_width = 2;
    unsigned memory_issue_width = 1;
    unsigned decode_latency = 2;      // cycles from an instruction's fetch to its first issue
    unsigned front_end_buffer = 20;   // micro-operations between fetch and issue
    unsigned accesses_in_memory = 2;  // outstanding accesses of the data port
    unsigned transfers = 2;           // accesses between issue and commit
    unsigned store_buffer = 5;
    std::array<FunctionalUnit, unit_count> units;
    unsigned line_bytes = 64;
    Cache l1i, l1d, l2;
    unsigned l1_latency = 2;    // cycles from an access to its data
    unsigned l2_latency = 15;
    unsigned dram_latency = 60;
    unsigned predictor_local = 2048, predictor_global = 8192, target_buffer = 4096;
    unsigned return_stack = 16;
};

// Reads the file, or throws std::runtime_error that names the line.
Parameters read_parameters(const std::string &path);

}  // namespace fast_core
