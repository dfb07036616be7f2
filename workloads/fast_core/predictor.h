// Branch predictor: tournament of local and global history, target buffer, return stack.
// After gem5's TournamentBP, SimpleBTB, ReturnAddrStack and SimpleIndirectPredictor, with
// histories updated by the outcome at once, since wrong paths are not simulated.
#pragma once

#include <cstdint>
#include <vector>

#include "parameters.h"

namespace fast_core {

class Predictor {
public:
    explicit Predictor(const Parameters &parameters);

    // Tells whether the front end follows the branch without being corrected, and learns.
    // `next` is where the program went; `after` is the instruction that follows in memory.
    bool right(std::uint32_t address, Branch branch, std::uint32_t next, std::uint32_t after);

    std::uint64_t branches = 0;
    std::uint64_t mispredicted = 0;

private:
    bool direction(std::uint32_t address, bool taken);
    bool target(std::uint32_t address, std::uint32_t next, bool learn);
    bool indirect_target(std::uint32_t address, std::uint32_t next);

    std::vector<std::uint8_t> local_counters_, global_counters_, choice_counters_;
    std::vector<std::uint16_t> local_histories_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> targets_, indirect_targets_;
    std::vector<std::uint32_t> returns_;
    std::size_t top_ = 0;
    std::uint32_t global_history_ = 0;
    std::uint32_t path_ = 0;
};

}  // namespace fast_core
