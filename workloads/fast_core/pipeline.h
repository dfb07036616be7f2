// Timing of a dual-issue in-order core, instruction by instruction.
#pragma once

#include <array>
#include <cstdint>

#include "instruction.h"
#include "memory.h"
#include "parameters.h"
#include "predictor.h"

namespace fast_core {

using Cycle = std::uint64_t;

// The stages and queues of gem5's MinorCPU, kept as the cycles at which each becomes free rather
// than stepped cycle by cycle: every micro-operation gets the earliest cycle of its fetch, issue
// and commit that its predecessors allow. Wrong paths are not simulated.
class Pipeline {
public:
    explicit Pipeline(const Parameters &parameters);

    // Runs one instruction of the program. `data` is the lowest address that it accessed (with
    // accessed false: its condition failed), `next` is the instruction that came after it.
    void run(const Instruction &instruction, bool accessed, std::uint32_t data,
             std::uint32_t next);

    Cycle now() const { return commit_; }

    std::uint64_t operations = 0;
    Hierarchy memory;
    Predictor predictor;

private:
    // A functional unit: a pipeline that stands still while the operation at its end waits.
    struct Unit {
        struct Slot {
            Cycle exit = 0, commit = 0;
        };
        Cycle accepts(Cycle cycle) const;
        Cycle standstill(Cycle cycle) const;
        void push(Cycle exit, Cycle commit);

        std::array<Slot, 8> slots{};  // the last operations
        unsigned next = 0;
        Cycle free = 0;
    };

    struct Line {
        std::uint32_t address = 0;
        Cycle arrived = 0;  // its instructions can be taken, and the next line asked for
    };

    struct Store {
        std::uint32_t address = 0, end = 0;
        Cycle ready = 0;  // may leave the store buffer
        Cycle done = 0;   // answered by the cache; 0: still waits
    };

    Cycle fetch(const Instruction &instruction);
    void follow_prediction(std::uint32_t line);
    void request_line(std::uint32_t line, Cycle cycle);
    Cycle issue(const MicroOp &operation, Cycle earliest, Unit *&unit, Cycle &exit);
    Cycle access(const MicroOp &operation, std::uint32_t address, bool accessed, Cycle exit);
    Cycle send(std::uint32_t address, unsigned size, bool store, Cycle earliest);
    void drain_stores(Cycle until);
    void send_oldest_store();
    void retire(const MicroOp &operation, Cycle ready);

    const Parameters &p_;
    unsigned line_shift_;

    // front end
    Line line_;                 // the line that instructions are taken from
    Cycle fetched_ = 0;         // cycle of the last instruction
    unsigned fetched_in_ = 0;   // instructions taken in that cycle
    Cycle line_left_ = 0;       // cycle at which the line before was used up
    Cycle decoded_ = 0;         // cycle in which the last micro-operation can issue
    unsigned decoded_in_ = 0;
    std::array<Cycle, 64> issued_at_{};  // of the last micro-operations
    unsigned issue_count_ = 0;

    // issue and commit
    Cycle issue_ = 0;
    unsigned issued_in_ = 0;
    bool issue_closed_ = false;  // a memory operation ends a cycle's issue
    std::array<Cycle, register_count> result_{};     // cycle of a register's value
    std::array<Cycle, register_count> committed_{};  // cycle in which its writer commits
    std::array<std::array<Unit, 2>, unit_count> units_{};
    Cycle commit_ = 0;
    unsigned committed_in_ = 0;
    Cycle memory_commit_ = 0;

    // loads and stores
    Cycle pushed_ = 0;                          // the last access entered the request queue
    Cycle left_requests_ = 0;                   // and left it
    std::array<Cycle, 8> transfer_commits_{};   // of the last accesses
    unsigned transfer_ = 0;
    Cycle store_commit_ = 0;                    // of the last store
    std::array<Cycle, 8> slots_{};              // accesses in memory, by when they end
    std::array<Store, 16> stores_{};            // the last stores
    unsigned first_store_ = 0, last_store_ = 0;  // from first to last: not sent
    Cycle last_send_ = 0;
};

}  // namespace fast_core
