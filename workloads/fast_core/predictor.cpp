#include "predictor.h"

namespace fast_core {

namespace {

constexpr unsigned instruction_shift = 2;  // as gem5's instShiftAmt; Thumb shares entries

void count(std::uint8_t &counter, bool up) {
    if (up && counter < 3) {
        ++counter;
    } else if (!up && counter > 0) {
        --counter;
    }
}

}  // namespace

Predictor::Predictor(const Parameters &p)
    : local_counters_(p.predictor_local), global_counters_(p.predictor_global),
      choice_counters_(p.predictor_global), local_histories_(p.predictor_local),
      targets_(p.target_buffer), indirect_targets_(512), returns_(p.return_stack) {}

bool Predictor::right(std::uint32_t address, Branch branch, std::uint32_t next,
                      std::uint32_t after) {
    ++branches;
    const bool taken = next != after;
    bool right = true;
    if (branch == Branch::call || branch == Branch::indirect_call) {
        top_ = (top_ + 1) % returns_.size();
        returns_[top_] = after;
    }
    switch (branch) {
    case Branch::conditional: {
        const bool guess = direction(address, taken);
        // A branch guessed taken whose target is not known goes on in line.
        const bool known = target(address, next, taken);
        right = taken ? guess && known : !guess || !known;
        break;
    }
    case Branch::direct:
    case Branch::call:
        right = target(address, next, true);
        break;
    case Branch::ret:
        right = !taken || returns_[top_] == next;
        if (taken) {
            top_ = (top_ + returns_.size() - 1) % returns_.size();
        }
        break;
    case Branch::indirect:
    case Branch::indirect_call:
        right = !taken || indirect_target(address, next);
        break;
    case Branch::none:
        break;
    }
    mispredicted += !right;
    return right;
}

bool Predictor::direction(std::uint32_t address, bool taken) {
    // All tables have a power of two of entries.
    const auto local_mask = static_cast<std::uint32_t>(local_counters_.size() - 1);
    const auto global_mask = static_cast<std::uint32_t>(global_counters_.size() - 1);
    auto &history = local_histories_[(address >> instruction_shift) & local_mask];
    auto &local = local_counters_[history];
    auto &global = global_counters_[global_history_];
    auto &choice = choice_counters_[global_history_];
    const bool local_guess = local > 1;
    const bool global_guess = global > 1;
    const bool guess = choice > 1 ? global_guess : local_guess;
    if (local_guess != global_guess) {
        count(choice, global_guess == taken);
    }
    count(local, taken);
    count(global, taken);
    history = static_cast<std::uint16_t>((history << 1 | (taken ? 1 : 0)) & local_mask);
    global_history_ = (global_history_ << 1 | (taken ? 1u : 0u)) & global_mask;
    return guess;
}

bool Predictor::target(std::uint32_t address, std::uint32_t next, bool learn) {
    auto &entry = targets_[(address >> instruction_shift) & (targets_.size() - 1)];
    const bool known = entry.first == address && (!learn || entry.second == next);
    if (learn) {
        entry = {address, next};
    }
    return known;
}

bool Predictor::indirect_target(std::uint32_t address, std::uint32_t next) {
    auto &entry = indirect_targets_[((address >> instruction_shift) ^ path_) &
                                    (indirect_targets_.size() - 1)];
    const bool known = entry == std::pair(address, next);
    entry = {address, next};
    path_ = path_ << 3 ^ next >> instruction_shift;
    // SimpleBTB keeps the last target where the indirect predictor knows none.
    return target(address, next, true) || known;
}

}  // namespace fast_core
