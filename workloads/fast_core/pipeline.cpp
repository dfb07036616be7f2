#include "pipeline.h"

#include <algorithm>

namespace fast_core {

// The earliest cycle from `cycle` on in which an operation can enter.
Cycle Pipeline::Unit::accepts(Cycle cycle) const {
    if (free > cycle) {
        return free;
    }
    for (unsigned back = 1; back <= slots.size(); ++back) {
        const auto &slot = slots[(next - back) % slots.size()];
        if (slot.commit <= cycle) {
            break;  // and so are those before it
        }
        if (slot.exit <= cycle) {
            return slot.commit;
        }
    }
    return cycle;
}

// Cycles that what enters in `cycle` will stand still because its predecessors wait at the end.
Cycle Pipeline::Unit::standstill(Cycle cycle) const {
    Cycle total = 0;
    for (unsigned back = 1; back <= slots.size(); ++back) {
        const auto &slot = slots[(next - back) % slots.size()];
        if (slot.exit <= cycle) {
            break;
        }
        total += slot.commit - slot.exit;
    }
    return total;
}

void Pipeline::Unit::push(Cycle exit, Cycle commit) {
    slots[next++ % slots.size()] = {exit, commit};
}

Pipeline::Pipeline(const Parameters &parameters)
    : memory(parameters), predictor(parameters), p_(parameters), line_shift_(0) {
    while (1u << line_shift_ < p_.line_bytes) {
        ++line_shift_;
    }
}

void Pipeline::run(const Instruction &instruction, bool accessed, std::uint32_t data,
                   std::uint32_t next) {
    const Cycle taken_from = fetch(instruction);
    for (const auto &operation : instruction.operations) {
        ++operations;
        // decode: two micro-operations a cycle
        const Cycle decoded = taken_from + p_.decode_latency;
        if (decoded > decoded_) {
            decoded_ = decoded;
            decoded_in_ = 0;
        }
        if (decoded_in_ == p_.issue_width) {
            ++decoded_;
            decoded_in_ = 0;
        }
        ++decoded_in_;

        Unit *unit = nullptr;
        Cycle exit = 0;
        issue(operation, decoded_, unit, exit);
        Cycle ready = exit;
        if (operation.load || operation.store) {
            ready = access(operation, data + operation.offset, accessed, exit);
        }
        retire(operation, ready);
        // A memory operation leaves its unit when the request queue takes it.
        unit->push(exit, operation.load || operation.store ? pushed_ : commit_);
        if (operation.store && accessed) {
            const auto address = data + operation.offset;
            stores_[last_store_++ % stores_.size()] = {address, address + operation.size,
                                                       commit_ + 1, 0};
        }

        const Cycle result = issue_ + p_.units[static_cast<std::size_t>(operation.unit)].latency +
                             p_.units[static_cast<std::size_t>(operation.unit)].extra_latency;
        for (unsigned i = 0; i < operation.destinations; ++i) {
            result_[operation.destination[i]] = result;
            // The last commit of a cycle leaves no time for an access that waits for it.
            committed_[operation.destination[i]] =
                commit_ + (committed_in_ == p_.commit_width ? 1 : 0);
        }
        if (operation.branch != Branch::none) {
            const auto after = instruction.address + instruction.bytes;
            const bool taken = next != after;
            if (!predictor.right(instruction.address, operation.branch, next, after)) {
                request_line(next >> line_shift_, commit_ + 1);
            } else if (taken) {
                follow_prediction(next >> line_shift_);
            }
        }
    }
}

// Fetches from where a branch that was predicted goes on. The line after the current one is asked
// for as soon as the current one is there, and when the branch empties the buffer of lines, another
// one is, before the front end hears of the branch; the branch's line waits for it.
void Pipeline::follow_prediction(std::uint32_t line) {
    const Cycle next_request = std::max(line_.arrived, line_left_ + 1);
    Cycle asked = std::min(next_request, fetched_);
    unsigned latency = memory.fetch(line_.address + 1);
    if (fetched_ > asked + latency) {
        latency = memory.fetch(line_.address + 2);
        asked = fetched_;
    }
    request_line(line, std::max(fetched_ + 1, asked + latency + 1));
}

void Pipeline::request_line(std::uint32_t line, Cycle cycle) {
    const unsigned latency = memory.fetch(line);
    line_ = {line, cycle + latency + 1};
    line_left_ = 0;
    fetched_ = std::max(fetched_, line_.arrived);
    fetched_in_ = 0;
}

Cycle Pipeline::fetch(const Instruction &instruction) {
    const std::uint32_t line = instruction.address >> line_shift_;
    if (line != line_.address) {
        if (line == line_.address + 1) {
            const Cycle requested = std::max(line_.arrived, line_left_ + 1);
            const unsigned latency = memory.fetch(line);
            line_left_ = fetched_;
            line_ = {line, requested + latency + 1};
            if (line_.arrived > fetched_) {
                fetched_ = line_.arrived;
                fetched_in_ = 0;
            }
        } else {  // the start, or a jump that no branch made
            request_line(line, fetched_ + 1);
        }
    }
    const Cycle room = issued_at_[(issue_count_ + 64 - p_.front_end_buffer) % 64];
    if (room > fetched_) {
        fetched_ = room;
        fetched_in_ = 0;
    }
    if (fetched_in_ == p_.fetch_width) {
        ++fetched_;
        fetched_in_ = 0;
    }
    ++fetched_in_;
    return fetched_;
}

Cycle Pipeline::issue(const MicroOp &operation, Cycle earliest, Unit *&unit, Cycle &exit) {
    const auto kind = static_cast<std::size_t>(operation.unit);
    const auto &timing = p_.units[kind];
    Cycle cycle = std::max(earliest, issue_);
    if (cycle == issue_ && (issue_closed_ || issued_in_ == p_.issue_width)) {
        ++cycle;
    }
    for (unsigned i = 0; i < operation.sources; ++i) {
        const Cycle result = result_[operation.source[i]];
        if (result > cycle + timing.forwarding) {
            cycle = result - timing.forwarding;
        }
    }
    // The first unit that can take it: not pushed to in this cycle, and nothing waits at its end.
    for (;;) {
        Cycle soonest = ~Cycle{0};
        for (unsigned copy = 0; copy < timing.count; ++copy) {
            auto &candidate = units_[kind][copy];
            const Cycle possible = candidate.accepts(cycle);
            if (possible == cycle) {
                unit = &candidate;
                break;
            }
            soonest = std::min(soonest, possible);
        }
        if (unit != nullptr) {
            break;
        }
        cycle = soonest;
    }
    exit = cycle + timing.latency + unit->standstill(cycle);
    unit->free = cycle + timing.interval;
    if (cycle > issue_) {
        issued_in_ = 0;
        issue_closed_ = false;
    }
    issue_ = cycle;
    ++issued_in_;
    issue_closed_ |= operation.load || operation.store;
    issued_at_[issue_count_++ % 64] = cycle;
    return cycle;
}

// From the memory unit through the queues to the cache; returns when it can commit.
Cycle Pipeline::access(const MicroOp &operation, std::uint32_t address, bool accessed,
                       Cycle exit) {
    Cycle pushed = std::max(exit, left_requests_);
    for (unsigned i = 0; i < operation.sources; ++i) {
        pushed = std::max(pushed, committed_[operation.source[i]]);
    }
    pushed_ = pushed;
    // room between the request queue and commit; who waits for it is looked at in the next cycle
    const Cycle room = transfer_commits_[(transfer_ + 8 - p_.transfers) % 8];
    Cycle moved = room > pushed ? room + 1 : pushed;
    drain_stores(moved);
    Cycle answered = moved;
    if (accessed && operation.load) {
        if (store_commit_ >= moved) {  // behind a store that has not committed
            moved = store_commit_ + 1;
        }
        drain_stores(moved);
        const std::uint32_t end = address + operation.size;
        bool forwarded = false;
        for (unsigned i = 1; i <= p_.store_buffer && !forwarded; ++i) {
            const auto &store = stores_[(last_store_ - i) % stores_.size()];
            const bool held = store.done == 0 || store.done > moved;
            if (!held || store.end <= address || end <= store.address) {
                continue;
            }
            if (store.address <= address && end <= store.end) {
                forwarded = true;
            } else {  // partly: wait until the store is done
                while (store.done == 0) {
                    send_oldest_store();
                }
                moved = std::max(moved, store.done);
                break;
            }
        }
        if (forwarded) {
            answered = moved;
        } else {
            answered = send(address, operation.size, false, moved);
            moved = last_send_;
        }
    } else if (accessed && operation.store) {
        // The store buffer must have room for it before it commits.
        const auto &oldest = stores_[(last_store_ - p_.store_buffer) % stores_.size()];
        if (last_store_ - first_store_ >= p_.store_buffer) {
            send_oldest_store();
        }
        answered = std::max(answered, oldest.done);
    }
    left_requests_ = moved;
    return answered;
}

// Sends an access when one of the data port's places is free; returns when it is answered.
Cycle Pipeline::send(std::uint32_t address, unsigned size, bool store, Cycle earliest) {
    auto *slot = &slots_[0];
    for (unsigned i = 1; i < p_.accesses_in_memory; ++i) {
        if (slots_[i] < *slot) {
            slot = &slots_[i];
        }
    }
    const Cycle sent = std::max(earliest, *slot);
    const std::uint32_t line = address >> line_shift_;
    unsigned latency = memory.data(line, store);
    if ((address + size - 1) >> line_shift_ != line) {  // crosses into the next line
        latency = std::max(latency, memory.data(line + 1, store)) + 1;
    }
    *slot = sent + latency;
    last_send_ = sent;
    return *slot;
}

void Pipeline::drain_stores(Cycle until) {
    while (first_store_ != last_store_) {
        auto &store = stores_[first_store_ % stores_.size()];
        if (store.ready > until) {
            return;
        }
        const Cycle free = *std::min_element(slots_.begin(), slots_.begin() + p_.accesses_in_memory);
        if (std::max(store.ready, free) > until) {
            return;
        }
        send_oldest_store();
    }
}

void Pipeline::send_oldest_store() {
    auto &store = stores_[first_store_++ % stores_.size()];
    store.done = send(store.address, store.end - store.address, true, store.ready);
}

// Commits in order, `commit_width` in a cycle and one of them from memory.
void Pipeline::retire(const MicroOp &operation, Cycle ready) {
    const bool from_memory = operation.load || operation.store;
    Cycle cycle = std::max(commit_, ready);
    if (from_memory) {
        cycle = std::max(cycle, memory_commit_ + 1);
    }
    if (cycle == commit_ && committed_in_ == p_.commit_width) {
        ++cycle;
    }
    if (cycle > commit_) {
        commit_ = cycle;
        committed_in_ = 0;
    }
    ++committed_in_;
    if (from_memory) {
        memory_commit_ = cycle;
        transfer_commits_[transfer_++ % 8] = cycle;
    }
    if (operation.store) {
        store_commit_ = cycle;
    }
}

}  // namespace fast_core
