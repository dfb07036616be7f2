// QEMU plugin: runs an Arm program in user mode and times its regions of interest.
//
//   qemu-arm -plugin libfast_core.so,core=PARAMETERS,out=RESULT PROGRAM ...
//
// The program calls choco_region_begin and choco_region_end around what is to be timed. Writes,
// for every region in order and every function in it: region, function, instructions, cycles; and
// one line of counts for each region, with "=" in place of the function.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "parameters.h"
#include "pipeline.h"
#include "qemu_plugin.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version;
int qemu_plugin_version = 1;

namespace {

using namespace fast_core;

struct Cost {
    std::uint64_t instructions = 0;
    Cycle cycles = 0;
};

// A run of instructions with one entry, as QEMU translates them.
struct Block {
    std::vector<Instruction> instructions;
    std::uint32_t function = 0;
};

struct Access {
    std::uint32_t instruction;
    std::uint32_t address;
};

class Recorder {
public:
    Recorder(const std::string &core, std::string out)
        : parameters_(read_parameters(core)), out_(std::move(out)), pipeline_(parameters_) {}

    void begin() {
        running_ = true;
        ++region_;
        block_ = nullptr;
        accesses_.clear();
        costs_.assign(names_.size(), {});
        start_cycle_ = pipeline_.now();
        start_operations_ = pipeline_.operations;
        start_counts_ = pipeline_.memory.counts;
        start_branches_ = pipeline_.predictor.branches;
        start_mispredicted_ = pipeline_.predictor.mispredicted;
        instructions_ = 0;
    }

    void end(std::uint32_t address) {
        if (!running_) {
            return;
        }
        finish(address);
        running_ = false;
        report();
    }

    // A block begins: the one before is complete, with all its accesses and what came next.
    void enter(const Block *block) {
        if (!running_) {
            return;
        }
        finish(block->instructions.front().address);
        block_ = block;
    }

    // An instruction of the current block accesses memory; several accesses count as their first,
    // which has the lowest address.
    void access(std::uint32_t instruction, std::uint32_t address) {
        if (running_ && (accesses_.empty() || accesses_.back().instruction != instruction)) {
            accesses_.push_back({instruction, address});
        }
    }

    std::uint32_t function(const char *symbol) {
        const std::string name = symbol == nullptr ? "?" : symbol;
        const auto known = index_.find(name);
        if (known != index_.end()) {
            return known->second;
        }
        const auto number = static_cast<std::uint32_t>(names_.size());
        index_[name] = number;
        names_.push_back(name);
        costs_.emplace_back();
        return number;
    }

    void unknown(const std::string &text) {
        if (unknown_.emplace(text, true).second) {
            std::fprintf(stderr, "fast core: no timing of its own for `%s`\n", text.c_str());
        }
    }

private:
    void finish(std::uint32_t next) {
        if (block_ == nullptr) {
            accesses_.clear();
            return;
        }
        const auto &instructions = block_->instructions;
        std::size_t access = 0;
        const Cycle before = pipeline_.now();
        for (std::uint32_t i = 0; i < instructions.size(); ++i) {
            const auto &instruction = instructions[i];
            const bool accessed =
                access < accesses_.size() && accesses_[access].instruction == i;
            const std::uint32_t data = accessed ? accesses_[access++].address : 0;
            pipeline_.run(instruction, accessed, data,
                          i + 1 < instructions.size() ? instructions[i + 1].address : next);
        }
        auto &cost = costs_[block_->function];
        cost.instructions += instructions.size();
        cost.cycles += pipeline_.now() - before;
        instructions_ += instructions.size();
        accesses_.clear();
        block_ = nullptr;
    }

    void report() {
        std::FILE *const file = std::fopen(out_.c_str(), region_ == 0 ? "w" : "a");
        if (file == nullptr) {
            std::fprintf(stderr, "error: %s: cannot be written\n", out_.c_str());
            return;
        }
        const auto &now = pipeline_.memory.counts;
        const auto &then = start_counts_;
        using Count = unsigned long long;
        std::fprintf(
            file, "%d\t=\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\n", region_,
            Count(instructions_), Count(pipeline_.now() - start_cycle_),
            Count(pipeline_.operations - start_operations_),
            Count(now.instruction_accesses - then.instruction_accesses),
            Count(now.instruction_misses - then.instruction_misses),
            Count(now.data_accesses - then.data_accesses),
            Count(now.data_misses - then.data_misses), Count(now.l2_misses - then.l2_misses),
            Count(pipeline_.predictor.branches - start_branches_),
            Count(pipeline_.predictor.mispredicted - start_mispredicted_));
        for (std::size_t i = 0; i < costs_.size(); ++i) {
            if (costs_[i].instructions != 0) {
                std::fprintf(file, "%d\t%s\t%llu\t%llu\n", region_, names_[i].c_str(),
                             Count(costs_[i].instructions), Count(costs_[i].cycles));
            }
        }
        std::fclose(file);
    }

    Parameters parameters_;
    std::string out_;
    Pipeline pipeline_;
    bool running_ = false;
    int region_ = -1;
    const Block *block_ = nullptr;
    std::vector<Access> accesses_;
    std::unordered_map<std::string, std::uint32_t> index_;
    std::vector<std::string> names_;
    std::vector<Cost> costs_;
    std::unordered_map<std::string, bool> unknown_;
    std::uint64_t instructions_ = 0;
    Cycle start_cycle_ = 0;
    std::uint64_t start_operations_ = 0, start_branches_ = 0, start_mispredicted_ = 0;
    MemoryCounts start_counts_;
};

std::unique_ptr<Recorder> recorder;
std::vector<std::unique_ptr<Block>> blocks;

qemu_plugin_id_t plugin;

void on_begin(unsigned, void *) { recorder->begin(); }

void on_end(unsigned, void *address) {
    recorder->end(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address)));
}

void on_block(unsigned, void *block) { recorder->enter(static_cast<const Block *>(block)); }

void on_access(unsigned, qemu_plugin_meminfo_t, std::uint64_t address, void *instruction) {
    recorder->access(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(instruction)),
                     static_cast<std::uint32_t>(address));
}

bool begins_with(qemu_plugin_tb *tb, const char *function) {
    const char *const symbol = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0));
    return symbol != nullptr && std::strcmp(symbol, function) == 0;
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb *tb) {
    if (begins_with(tb, "choco_region_begin")) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_begin, QEMU_PLUGIN_CB_NO_REGS, nullptr);
        return;
    }
    if (begins_with(tb, "choco_region_end")) {
        qemu_plugin_register_vcpu_tb_exec_cb(
            tb, on_end, QEMU_PLUGIN_CB_NO_REGS,
            reinterpret_cast<void *>(static_cast<std::uintptr_t>(qemu_plugin_tb_vaddr(tb))));
        return;
    }
    auto block = std::make_unique<Block>();
    block->function = recorder->function(qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(tb, 0)));
    const auto count = qemu_plugin_tb_n_insns(tb);
    for (std::size_t i = 0; i < count; ++i) {
        auto *const insn = qemu_plugin_tb_get_insn(tb, i);
        char *const text = qemu_plugin_insn_disas(insn);
        block->instructions.push_back(
            decode(static_cast<std::uint32_t>(qemu_plugin_insn_vaddr(insn)),
                   static_cast<unsigned>(qemu_plugin_insn_size(insn)), text ? text : ""));
        if (!block->instructions.back().known) {
            recorder->unknown(text ? text : "");
        }
        std::free(text);
        if (block->instructions.back().accesses_memory) {
            qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW,
                                             reinterpret_cast<void *>(std::uintptr_t{i}));
        }
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, block.get());
    blocks.push_back(std::move(block));
}

// Before the first region nothing is watched but its beginning, so that the program gets there at
// QEMU's own speed; then everything is translated again, with the callbacks in it.
void on_first_begin(unsigned, void *) {
    recorder->begin();
    qemu_plugin_reset(plugin, [](qemu_plugin_id_t id) {
        qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    });
}

void on_early_translation(qemu_plugin_id_t, qemu_plugin_tb *tb) {
    if (begins_with(tb, "choco_region_begin")) {
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_first_begin, QEMU_PLUGIN_CB_NO_REGS, nullptr);
    }
}

}  // namespace

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int count,
                                 char **arguments) {
    std::string core, out;
    for (int i = 0; i < count; ++i) {
        const std::string argument = arguments[i];
        const auto equals = argument.find('=');
        const auto key = argument.substr(0, equals);
        (key == "core" ? core : out) = argument.substr(equals + 1);
    }
    try {
        recorder = std::make_unique<Recorder>(core, out);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    plugin = id;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_early_translation);
    return 0;
}
