// What the pipeline needs to know of an instruction: micro-operations with their registers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fast_core {

// Functional units, in the order of Parameters::units.
enum class Unit : std::uint8_t { integer, multiply, divide, floating, memory, misc };
constexpr std::size_t unit_count = 6;

enum class Branch : std::uint8_t { none, conditional, direct, indirect, call, indirect_call, ret };

// Registers of the scoreboard: r0 to r15, the flags by what instructions write together, the
// doubleword view of the vector registers, and temporaries of instructions that gem5 splits.
enum Register : std::uint8_t {
    reg_pc = 15,
    flag_nz = 16,
    flag_c = 17,
    flag_v = 18,
    flag_float = 19,
    temporary_base = 20,
    temporary_pc = 21,
    vector_base = 22,
    register_count = vector_base + 32,
};

struct MicroOp {
    Unit unit = Unit::integer;
    bool load = false;
    bool store = false;
    Branch branch = Branch::none;
    std::uint8_t sources = 0;
    std::uint8_t destinations = 0;
    std::uint8_t size = 0;    // bytes that a load or store moves
    std::uint8_t offset = 0;  // from the lowest address that its instruction accesses
    std::array<std::uint8_t, 10> source{};
    std::array<std::uint8_t, 10> destination{};

    void reads(unsigned reg);
    void writes(unsigned reg);
};

struct Instruction {
    std::uint32_t address = 0;
    std::uint8_t bytes = 4;
    bool accesses_memory = false;
    bool known = true;  // false: an instruction of unknown name, timed as an integer operation
    std::vector<MicroOp> operations;
};

// Decodes one A32 or T32 instruction from its disassembly (as LLVM and capstone write it), split
// into micro-operations as gem5 splits it. Sources: gem5's src/arch/arm (macromem.cc, isa/).
Instruction decode(std::uint32_t address, unsigned bytes, const std::string &text);

}  // namespace fast_core
