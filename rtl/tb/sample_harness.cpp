// Draws many samples from taco_sampler and writes what it saw.
//
//   Vtop LOG_N REQUESTS ERROR SEED NONCE SAMPLES_FILE BLOCKS_FILE
//
// REQUESTS requests of 2^LOG_N samples, ternary (ERROR = 0) or errors (1), from a seed of 64
// hexadecimal digits. One byte a sample goes to the first file, the random blocks that were used to
// the second; the number of cycles to standard output.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vtop.h"
#include "Vtop___024root.h"
#include "verilated.h"

static void edge(Vtop &top) {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
}

int main(int argc, char **argv) {
    if (argc != 8) {
        std::fprintf(stderr, "usage: %s LOG_N REQUESTS ERROR SEED NONCE SAMPLES BLOCKS\n", argv[0]);
        return 2;
    }
    const int log_n = std::atoi(argv[1]);
    const int requests = std::atoi(argv[2]);
    const std::string seed = argv[4];
    std::FILE *samples = std::fopen(argv[6], "wb");
    std::FILE *blocks = std::fopen(argv[7], "wb");
    Vtop top;
    top.clk_i = 0;
    top.rst_ni = 0;
    top.start_i = 0;
    top.sample_ready_i = 1;
    top.eval();
    edge(top);
    top.rst_ni = 1;
    for (int word = 0; word < 8; word++) {
        uint32_t value = 0;
        for (int byte = 3; byte >= 0; byte--) {
            value = value << 8 | std::stoul(seed.substr(8 * word + 2 * byte, 2), nullptr, 16);
        }
        top.seed_i[word] = value;
    }
    top.nonce_i = std::strtoull(argv[5], nullptr, 10);
    top.seed_load_i = 1;
    edge(top);
    top.seed_load_i = 0;
    top.log_n_i = log_n;
    top.error_i = std::atoi(argv[3]);
    uint64_t cycles = 0;
    for (int request = 0; request < requests; request++) {
        top.start_i = 1;
        edge(top);
        cycles++;
        top.start_i = 0;
        for (uint64_t left = 1u << log_n; left > 0; cycles++) {
            top.eval();
            if (top.sample_valid_o) {
                std::fwrite(&top.sample_data_o, 1, 8, samples);
                left -= 8;
            }
            if (top.rootp->taco_sampler__DOT__block_ready &&
                top.rootp->taco_sampler__DOT__block_valid) {
                std::fwrite(top.rootp->taco_sampler__DOT__block.data(), 1, 64, blocks);
            }
            edge(top);
        }
    }
    std::fclose(samples);
    std::fclose(blocks);
    std::printf("%llu\n", static_cast<unsigned long long>(cycles));
    return 0;
}
