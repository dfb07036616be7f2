// Replays recorded inputs on a mapped netlist, one value a net and cycle, and counts transitions.
//
//   replay NETLIST TRACE RESULT
//
// NETLIST, 32-bit numbers: nets, gates, flip-flops, inputs, outputs;
//   gates in topological order: output net, inputs n, truth table (2 words), n nets
//   flip-flops: data net, clear net, preset net, output net, complement net (0: none)
//   input nets; output nets.
// Net 0 is constantly zero and stands for nothing, net 1 is constantly one.
// TRACE: a row of bytes a cycle: one of idle (1) or not (0), then inputs and expected outputs, a bit
//   each, the lowest first.
// RESULT, 64-bit numbers: cycles, idle cycles, mismatching output bits, first cycle with one; then
//   for each net: transitions, transitions in idle cycles, cycles high, idle cycles high.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

struct Gate {
    uint32_t output;
    uint32_t first;
    uint32_t count;
    uint64_t table;
};

struct FlipFlop {
    uint32_t data, clear, preset, output, complement;
};

template <typename T>
std::vector<T> read(const char *path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const T *begin = reinterpret_cast<const T *>(bytes.data());
    return std::vector<T>(begin, begin + bytes.size() / sizeof(T));
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const auto words = read<uint32_t>(argv[1]);
    const auto trace = read<uint8_t>(argv[2]);
    if (words.size() < 5) return 3;
    const uint32_t nets = words[0], gates = words[1], flops = words[2];
    const uint32_t inputs = words[3], outputs = words[4];
    size_t at = 5;
    std::vector<Gate> gate(gates);
    std::vector<uint32_t> pins;
    for (Gate &g : gate) {
        g.output = words[at];
        g.count = words[at + 1];
        g.table = words[at + 2] | uint64_t(words[at + 3]) << 32;
        g.first = pins.size();
        at += 4;
        for (uint32_t i = 0; i < g.count; i++) pins.push_back(words[at++]);
    }
    std::vector<FlipFlop> flop(flops);
    for (FlipFlop &f : flop) {
        f = {words[at], words[at + 1], words[at + 2], words[at + 3], words[at + 4]};
        at += 5;
    }
    const uint32_t *input = &words[at], *output = &words[at + inputs];
    if (at + inputs + outputs != words.size()) return 3;

    std::vector<uint8_t> value(nets, 0), before(nets, 0), state(flops, 0);
    std::vector<uint32_t> moved(nets, 0), moved_idle(nets, 0), high(nets, 0), high_idle(nets, 0);
    const size_t row = 1 + (inputs + outputs + 7) / 8;
    const size_t cycles = trace.size() / row;
    uint64_t counted = 0, counted_idle = 0, mismatches = 0, first = ~uint64_t(0);
    uint32_t held = 0, held_idle = 0;  // cycles since something changed

    auto evaluate = [&] {
        // Clear and preset act at once: where one does, evaluate again with what it made.
        for (bool changed = true; changed;) {
            for (uint32_t i = 0; i < flops; i++) {
                if (flop[i].output) value[flop[i].output] = state[i];
                if (flop[i].complement) value[flop[i].complement] = !state[i];
            }
            value[0] = 0;
            value[1] = 1;
            for (const Gate &g : gate) {
                uint32_t index = 0;
                for (uint32_t i = 0; i < g.count; i++) {
                    index |= uint32_t(value[pins[g.first + i]]) << i;
                }
                value[g.output] = g.table >> index & 1;
            }
            changed = false;
            for (uint32_t i = 0; i < flops; i++) {
                const FlipFlop &f = flop[i];
                const uint8_t now = value[f.clear] ? 0 : value[f.preset] ? 1 : state[i];
                changed |= now != state[i];
                state[i] = now;
            }
        }
    };
    auto count_held = [&] {
        for (uint32_t n = 0; n < nets; n++) {
            high[n] += before[n] * held;
            high_idle[n] += before[n] * held_idle;
        }
        held = held_idle = 0;
    };

    bool changed = true;
    for (size_t cycle = 0; cycle < cycles; cycle++) {
        const uint8_t *bits = &trace[cycle * row] + 1;
        const bool idle = trace[cycle * row];
        auto bit = [bits](uint32_t i) { return uint8_t(bits[i / 8] >> (i % 8) & 1); };
        for (uint32_t i = 0; i < inputs; i++) {
            changed |= value[input[i]] != bit(i);
            value[input[i]] = bit(i);
        }
        if (changed) {
            count_held();
            evaluate();
            if (cycle > 0) {
                for (uint32_t n = 0; n < nets; n++) moved[n] += value[n] ^ before[n];
                if (idle) {
                    for (uint32_t n = 0; n < nets; n++) moved_idle[n] += value[n] ^ before[n];
                }
            }
            before = value;
        }
        if (cycle > 0) {
            counted++;
            counted_idle += idle;
            held++;
            held_idle += idle;
        }
        for (uint32_t i = 0; i < outputs; i++) {
            if (value[output[i]] != bit(inputs + i)) {
                if (mismatches++ == 0) first = cycle;
            }
        }
        // Same inputs and same state as before: the next state is this one, too.
        if (!changed) continue;
        changed = false;
        for (uint32_t i = 0; i < flops; i++) {
            const FlipFlop &f = flop[i];
            const uint8_t next = value[f.clear] ? 0 : value[f.preset] ? 1 : value[f.data];
            changed |= next != state[i];
            state[i] = next;
        }
    }
    count_held();
    std::vector<uint64_t> result = {counted, counted_idle, mismatches, first};
    for (uint32_t n = 0; n < nets; n++) {
        result.insert(result.end(), {moved[n], moved_idle[n], high[n], high_idle[n]});
    }
    std::ofstream file(argv[3], std::ios::binary);
    file.write(reinterpret_cast<const char *>(result.data()), result.size() * sizeof(uint64_t));
    return file.good() ? 0 : 4;
}
