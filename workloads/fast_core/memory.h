// Caches of the core: what is in them, and how long an access takes.
#pragma once

#include <cstdint>
#include <vector>

#include "parameters.h"

namespace fast_core {

struct MemoryCounts {
    std::uint64_t instruction_accesses = 0, instruction_misses = 0;
    std::uint64_t data_accesses = 0, data_misses = 0;
    std::uint64_t l2_misses = 0, l2_writebacks = 0;
};

// One set-associative array of line addresses.
class TagArray {
public:
    struct Line {
        std::uint32_t address = invalid;
        bool dirty = false;
    };
    static constexpr std::uint32_t invalid = 0xFFFFFFFF;

    TagArray(const Cache &cache, unsigned line_bytes);
    // Finds a line (its address divided by the line's size) and makes it the most recent.
    Line *find(std::uint32_t line);
    // Puts a line in and returns the one that it replaces (address invalid: none).
    Line insert(std::uint32_t line, bool dirty);
    void remove(std::uint32_t line);

private:
    Line *set(std::uint32_t line) { return &lines_[(line & mask_) * ways_]; }

    unsigned ways_;
    std::uint32_t mask_;
    bool random_;
    std::uint32_t random_state_ = 12345;
    std::vector<Line> lines_;  // each set ordered from most to least recent
};

// Two first-level caches over an exclusive second level, which holds what they evict, clean or
// dirty (gem5's writeback_clean and mostly_excl).
class Hierarchy {
public:
    explicit Hierarchy(const Parameters &parameters);

    // Cycles until the data of an access are there.
    unsigned fetch(std::uint32_t line);
    unsigned data(std::uint32_t line, bool store);

    MemoryCounts counts;

private:
    unsigned fill(TagArray &level, std::uint32_t line, bool dirty);

    const Parameters &parameters_;
    TagArray l1i_, l1d_, l2_;
};

}  // namespace fast_core
