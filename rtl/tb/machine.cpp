// The whole machine as a shared library: Python moves lists of bus requests, this turns the clock.

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace {

constexpr uint32_t kWrite = 1u << 31;

struct Machine {
    VerilatedContext context;
    Vtop top{&context};
    uint64_t cycles = 0;
    uint64_t trace_from = 0, trace_to = 0;
#if VM_TRACE
    VerilatedVcdC trace;
#endif

    void edge() {
        // Inputs were set since the clock fell: what is dumped here is what the edge samples.
        dump(0);
        top.clk_i = 1;
        top.eval();
        dump(5000);
        top.clk_i = 0;
        top.eval();
        cycles++;
    }

    void dump([[maybe_unused]] int picoseconds) {
#if VM_TRACE
        if (cycles < trace_from || cycles >= trace_to) return;
        trace.dump(10000 * (cycles - trace_from) + picoseconds);
#endif
    }
};

}  // namespace

extern "C" {

void *machine_new() {
    auto *machine = new Machine;
    machine->context.traceEverOn(VM_TRACE);
    Vtop &top = machine->top;
    top.clk_i = 0;
    top.rst_ni = 1;
    top.req_valid_i = 0;
    top.eval();
    top.rst_ni = 0;
    top.eval();
    machine->edge();
    machine->edge();
    top.rst_ni = 1;
    top.eval();
    machine->cycles = 0;
    return machine;
}

void machine_delete(void *handle) { delete static_cast<Machine *>(handle); }

uint64_t machine_cycles(void *handle) { return static_cast<Machine *>(handle)->cycles; }

void machine_idle(void *handle, uint64_t cycles) {
    auto *machine = static_cast<Machine *>(handle);
    machine->top.req_valid_i = 0;
    while (cycles-- > 0) machine->edge();
}

#if VM_TRACE
// Traces an instance, or with an empty path everything, into a VCD file, 10 ns a cycle: `cycles`
// cycles after `skipped` more.
void machine_trace(void *handle, const char *file, const char *scope, uint64_t skipped,
                   uint64_t cycles) {
    auto *machine = static_cast<Machine *>(handle);
    machine->top.trace(&machine->trace, 99);
    if (*scope) machine->trace.dumpvars(1, scope);
    machine->trace.open(file);
    machine->trace_from = machine->cycles + skipped;
    machine->trace_to = machine->trace_from + cycles;
}
#endif

// Sends `count` requests, one a cycle where the machine takes them, and collects the answers of
// the reads in order. addresses: bit 31 set for a write, else a read; written: 8 numbers for each
// write. Returns the number of requests taken; fewer than `count` if none was for `patience` cycles.
uint64_t machine_transact(void *handle, uint64_t count, const uint32_t *addresses,
                          const uint64_t *written, uint64_t *read, uint64_t patience) {
    auto *machine = static_cast<Machine *>(handle);
    Vtop &top = machine->top;
    uint64_t taken = 0, waited = 0, expected = 0;
    while ((taken < count || expected > 0) && waited < patience) {
        if (taken < count) {
            const bool write = addresses[taken] & kWrite;
            top.req_valid_i = 1;
            top.req_write_i = write;
            top.req_addr_i = addresses[taken] & 0xffffff;
            if (write) std::memcpy(top.req_data_i.data(), written, 64);
        } else {
            top.req_valid_i = 0;
        }
        top.eval();
        if (top.rsp_valid_o) {
            std::memcpy(read, top.rsp_data_o.data(), 64);
            read += 8;
            expected--;
        }
        if (top.req_valid_i && top.req_ready_o) {
            if (top.req_write_i) written += 8;
            else expected++;
            taken++;
            waited = 0;
        } else {
            waited++;
        }
        machine->edge();
    }
    top.req_valid_i = 0;
    top.eval();
    return taken;
}

}  // extern "C"
