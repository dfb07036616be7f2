#include "memory.h"

#include <algorithm>

namespace fast_core {

TagArray::TagArray(const Cache &cache, unsigned line_bytes)
    : ways_(cache.ways), mask_(cache.size_bytes / line_bytes / cache.ways - 1),
      random_(cache.random_replacement), lines_(std::size_t{mask_ + 1} * ways_) {}

TagArray::Line *TagArray::find(std::uint32_t line) {
    Line *const first = set(line);
    if (first->address == line) {
        return first;
    }
    for (unsigned way = 1; way < ways_; ++way) {
        if (first[way].address == line) {
            std::rotate(first, first + way, first + way + 1);
            return first;
        }
    }
    return nullptr;
}

TagArray::Line TagArray::insert(std::uint32_t line, bool dirty) {
    Line *const first = set(line);
    unsigned victim = ways_ - 1;
    for (unsigned way = 0; way < ways_; ++way) {
        if (first[way].address == invalid) {
            victim = way;
            break;
        }
        if (way == ways_ - 1 && random_) {
            random_state_ = random_state_ * 1664525u + 1013904223u;
            victim = (random_state_ >> 16) % ways_;
        }
    }
    const Line replaced = first[victim];
    std::rotate(first, first + victim, first + victim + 1);
    *first = {line, dirty};
    return replaced;
}

void TagArray::remove(std::uint32_t line) {
    if (Line *const found = find(line)) {
        *found = {};
    }
}

Hierarchy::Hierarchy(const Parameters &parameters)
    : parameters_(parameters), l1i_(parameters.l1i, parameters.line_bytes),
      l1d_(parameters.l1d, parameters.line_bytes), l2_(parameters.l2, parameters.line_bytes) {}

unsigned Hierarchy::fetch(std::uint32_t line) {
    ++counts.instruction_accesses;
    if (l1i_.find(line) != nullptr) {
        return parameters_.l1_latency;
    }
    ++counts.instruction_misses;
    return fill(l1i_, line, false);
}

unsigned Hierarchy::data(std::uint32_t line, bool store) {
    ++counts.data_accesses;
    if (auto *const found = l1d_.find(line)) {
        found->dirty |= store;
        return parameters_.l1_latency;
    }
    ++counts.data_misses;
    return fill(l1d_, line, store);
}

unsigned Hierarchy::fill(TagArray &level, std::uint32_t line, bool dirty) {
    unsigned latency = parameters_.l2_latency;
    if (auto *const held = l2_.find(line)) {
        dirty |= held->dirty;
        *held = {};
    } else {
        ++counts.l2_misses;
        latency = parameters_.dram_latency;
    }
    const auto evicted = level.insert(line, dirty);
    if (evicted.address != TagArray::invalid) {
        const auto dropped = l2_.insert(evicted.address, evicted.dirty);
        counts.l2_writebacks += dropped.address != TagArray::invalid && dropped.dirty;
    }
    return latency;
}

}  // namespace fast_core
