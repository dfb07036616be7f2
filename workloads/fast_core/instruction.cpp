#include "instruction.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace fast_core {

void MicroOp::reads(unsigned reg) {
    if (sources < source.size() && reg < register_count) {
        source[sources++] = static_cast<std::uint8_t>(reg);
    }
}

void MicroOp::writes(unsigned reg) {
    if (destinations < destination.size() && reg < register_count) {
        destination[destinations++] = static_cast<std::uint8_t>(reg);
    }
}

namespace {

using Words = std::vector<std::string>;

const std::set<std::string> conditions = {"eq", "ne", "hs", "lo", "cs", "cc", "mi", "pl",
                                          "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"};

struct Name {
    std::string base;       // "add", "vadd", "b"
    std::string condition;  // empty: always
    bool sets_flags = false;
    bool floating = false;  // a scalar or vector floating-point type follows
};

// What a mnemonic may be before its condition; the longest that leaves a condition is taken.
const std::set<std::string> &bases() {
    static const std::set<std::string> known = {
        "adc",   "add",   "addw",  "adr",   "and",   "asr",   "b",      "bfc",    "bfi",   "bic",
        "bl",    "blx",   "bx",    "cbnz",  "cbz",   "clz",   "cmn",    "cmp",    "dmb",   "dsb",
        "eor",   "isb",   "ldm",   "ldmdb", "ldmda", "ldmib", "ldr",    "ldrb",   "ldrd",  "ldrex",
        "ldrexb", "ldrexd", "ldrexh", "ldrh", "ldrsb", "ldrsh", "lsl",  "lsr",    "mla",   "mls",
        "mov",   "movt",  "movw",  "mrc",   "mcr",   "mrs",   "msr",    "mul",    "mvn",   "nop",
        "orn",   "orr",   "pld",   "pldw",  "pop",   "push",  "rbit",   "rev",    "rev16", "revsh",
        "ror",   "rrx",   "rsb",   "rsc",   "sbc",   "sbfx",  "sdiv",   "smlabb", "smlal", "smlabt",
        "smlatb", "smlatt", "smmul", "smulbb", "smulbt", "smultb", "smultt", "smull", "stm",
        "stmda", "stmdb", "stmib", "str",   "strb",  "strd",  "strex",  "strexb", "strexd",
        "strexh", "strh", "sub",   "subw",  "svc",   "sxtb",  "sxth",   "sxtab",  "sxtah", "tbb",
        "tbh",   "teq",   "tst",   "ubfx",  "udf",   "udiv",  "umaal",  "umlal",  "umull", "uxtab",
        "uxtah", "uxtb",  "uxth",  "vabs",  "vadd",  "vcmp",  "vcmpe",  "vcvt",   "vdiv",  "vfma",
        "vfms",  "vfnma", "vfnms", "vldm",  "vldmdb", "vldmia", "vldr", "vmla",   "vmls",  "vmov",
        "vmrs",  "vmsr",  "vmul",  "vneg",  "vnmla", "vnmls", "vnmul",  "vpop",   "vpush", "vsqrt",
        "vstm",  "vstmdb", "vstmia", "vstr", "vsub", "bfc",   "uadd8",  "sel",    "usub8", "bkpt",
        "clrex", "yield", "wfe",   "wfi",   "sev",   "swp",   "vcvtr",  "ssat",   "usat",  "pkhbt",
        "pkhtb", "uqsub8", "usad8", "vrintz", "ldrt", "strt", "ldrbt",  "strbt",  "vdup"};
    return known;
}

std::optional<Name> split_name(const std::string &mnemonic) {
    const auto dot = mnemonic.find('.');
    const std::string head = mnemonic.substr(0, dot);
    Name name;
    const auto type = dot == std::string::npos ? std::string() : mnemonic.substr(dot + 1);
    name.floating = !type.empty() && type[0] == 'f';
    for (std::size_t length = head.size(); length > 0; --length) {
        std::string rest = head.substr(length);
        const std::string base = head.substr(0, length);
        if (bases().count(base) == 0) {
            continue;
        }
        bool flags = false;
        if (!rest.empty() && rest[0] == 's' && conditions.count(rest) == 0 && base[0] != 'v' &&
            base != "b" && base != "bl") {
            flags = true;
            rest = rest.substr(1);
        }
        if (rest.empty() || conditions.count(rest) != 0) {
            name.base = base;
            name.condition = rest;
            name.sets_flags = flags;
            return name;
        }
    }
    if (head[0] == 'v') {  // Advanced SIMD: unconditional, so the whole word is its name
        name.base = head;
        return name;
    }
    if (head[0] == 'i' && head.find_first_not_of("it", 0) == std::string::npos) {
        name.base = "it";
        return name;
    }
    if (head.size() >= 2 && head[0] == 'i' && head[1] == 't') {
        name.base = "it";
        return name;
    }
    return std::nullopt;
}

// Splits operands at commas outside brackets: "r0, [r1, #4]!, {r2, r3}" gives three words.
Words split_operands(const std::string &text) {
    Words words;
    std::string word;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        if (c == ',' && depth == 0) {
            words.push_back(word);
            word.clear();
        } else if (c != ' ' || !word.empty()) {
            word += c;
        }
    }
    if (!word.empty()) {
        words.push_back(word);
    }
    return words;
}

// The registers in a word, in their order; a quadword register counts as its two doublewords.
std::vector<unsigned> registers_in(const std::string &word) {
    static const std::vector<std::pair<std::string, unsigned>> named = {
        {"sb", 9}, {"sl", 10}, {"fp", 11}, {"ip", 12}, {"sp", 13}, {"lr", 14}, {"pc", 15}};
    std::vector<unsigned> found;
    for (std::size_t i = 0; i < word.size();) {
        if (std::isalnum(static_cast<unsigned char>(word[i])) == 0) {
            i += word[i] == '#' || word[i] == '_' ? 1 : 0;
            if (i < word.size() && i > 0 && word[i - 1] == '#') {
                while (i < word.size() && word[i] != ',' && word[i] != ']' && word[i] != '}') {
                    ++i;  // an immediate
                }
                continue;
            }
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < word.size() && (std::isalnum(static_cast<unsigned char>(word[end])) != 0 ||
                                     word[end] == '_')) {
            ++end;
        }
        const std::string token = word.substr(i, end - i);
        i = end;
        const auto known = std::find_if(named.begin(), named.end(),
                                        [&](const auto &entry) { return entry.first == token; });
        if (known != named.end()) {
            found.push_back(known->second);
            continue;
        }
        const bool numbered = token.size() >= 2 && token.find_first_not_of("0123456789", 1) ==
                                                       std::string::npos;
        if (!numbered) {
            continue;
        }
        const unsigned number = static_cast<unsigned>(std::stoul(token.substr(1)));
        switch (token[0]) {
        case 'r':
            found.push_back(number);
            break;
        case 's':
            found.push_back(vector_base + number / 2);
            break;
        case 'd':
            found.push_back(vector_base + number);
            break;
        case 'q':
            found.push_back(vector_base + 2 * number);
            found.push_back(vector_base + 2 * number + 1);
            break;
        default:
            break;
        }
    }
    return found;
}

bool starts_with(const std::string &text, std::string_view prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

void read_condition(MicroOp &operation, const std::string &condition) {
    if (condition.empty()) {
        return;
    }
    static const std::set<std::string> nz = {"eq", "ne", "mi", "pl", "hi",
                                             "ls", "ge", "lt", "gt", "le"};
    static const std::set<std::string> c = {"hs", "lo", "cs", "cc", "hi", "ls"};
    static const std::set<std::string> v = {"vs", "vc", "ge", "lt", "gt", "le"};
    if (nz.count(condition) != 0) {
        operation.reads(flag_nz);
    }
    if (c.count(condition) != 0) {
        operation.reads(flag_c);
    }
    if (v.count(condition) != 0) {
        operation.reads(flag_v);
    }
    // An instruction that may not happen keeps what it does not write, so it reads it.
    const auto written = operation.destinations;
    for (unsigned i = 0; i < written; ++i) {
        operation.reads(operation.destination[i]);
    }
}

class Decoder {
public:
    Decoder(std::uint32_t address, unsigned bytes, const std::string &text) {
        result_.address = address;
        result_.bytes = static_cast<std::uint8_t>(bytes);
        const auto space = text.find_first_of(" \t");
        const auto mnemonic = text.substr(0, space);
        if (space != std::string::npos) {
            operands_ = split_operands(text.substr(space + 1));
        }
        const auto name = split_name(mnemonic);
        if (!name) {
            result_.known = false;
            result_.operations.emplace_back();
            return;
        }
        name_ = *name;
        if (name_.base[0] == 'v') {
            vector_or_float();
        } else if (!branch() && !multiple() && !single_memory()) {
            data_processing();
        }
        for (auto &operation : result_.operations) {
            result_.accesses_memory |= operation.load || operation.store;
            if (!name_.condition.empty()) {
                read_condition(operation, name_.condition);
            }
        }
    }

    Instruction result() && { return std::move(result_); }

private:
    bool is(std::initializer_list<std::string_view> names) const {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view name) { return name_.base == name; });
    }

    std::vector<unsigned> operand(std::size_t index) const {
        return index < operands_.size() ? registers_in(operands_[index])
                                        : std::vector<unsigned>();
    }

    // A copy: adding an operation would make a reference dangle.
    void add(const MicroOp &operation) { result_.operations.push_back(operation); }

    bool branch() {
        MicroOp operation;
        const bool conditional = !name_.condition.empty();
        if (is({"b", "cbz", "cbnz"})) {
            operation.branch =
                conditional || name_.base != "b" ? Branch::conditional : Branch::direct;
            if (name_.base != "b") {
                for (const auto reg : operand(0)) {
                    operation.reads(reg);
                }
            }
        } else if (is({"bl", "blx"})) {
            const auto target = operand(0);
            operation.branch = target.empty() ? Branch::call : Branch::indirect_call;
            operation.writes(14);
            for (const auto reg : target) {
                operation.reads(reg);
            }
        } else if (is({"bx"})) {
            const auto target = operand(0);
            operation.branch = !target.empty() && target[0] == 14 ? Branch::ret : Branch::indirect;
            for (const auto reg : target) {
                operation.reads(reg);
            }
        } else if (is({"tbb", "tbh"})) {
            operation.unit = Unit::memory;
            operation.load = true;
            operation.size = 2;
            operation.branch = Branch::indirect;
            for (const auto reg : operand(0)) {
                operation.reads(reg);
            }
        } else {
            return false;
        }
        add(operation);
        return true;
    }

    // ldm, stm, push, pop: loads in pairs, stores one by one, then the base, then the branch.
    bool multiple() {
        const bool load = starts_with(name_.base, "ldm") || name_.base == "pop";
        const bool stack = is({"push", "pop"});
        if (!load && !starts_with(name_.base, "stm") && !stack) {
            return false;
        }
        const auto list = operand(stack ? 0 : 1);
        const unsigned base = stack ? 13u : operand(0).empty() ? 13u : operand(0)[0];
        const bool writeback = stack || operands_[0].back() == '!';
        const bool has_pc = std::find(list.begin(), list.end(), reg_pc) != list.end();
        const bool copy = load && std::find(list.begin(), list.end(), base) != list.end();
        if (copy) {
            MicroOp move;
            move.reads(base);
            move.writes(temporary_base);
            add(move);
        }
        const std::size_t step = load ? 2 : 1;
        for (std::size_t i = 0; i < list.size(); i += step) {
            MicroOp access;
            access.unit = Unit::memory;
            access.load = load;
            access.store = !load;
            access.offset = static_cast<std::uint8_t>(4 * i);
            access.reads(copy ? static_cast<unsigned>(temporary_base) : base);
            for (std::size_t j = i; j < std::min(i + step, list.size()); ++j) {
                access.size += 4;
                if (!load) {
                    access.reads(list[j]);
                } else if (list[j] != reg_pc) {
                    access.writes(list[j]);
                } else if (writeback) {
                    access.writes(temporary_pc);
                } else {
                    access.branch = Branch::indirect;
                }
            }
            add(access);
        }
        if (writeback) {
            MicroOp update;
            update.reads(base);
            update.writes(base);
            add(update);
            if (load && has_pc) {
                MicroOp jump;
                jump.reads(temporary_pc);
                jump.branch = base == 13 ? Branch::ret : Branch::indirect;
                add(jump);
            }
        }
        return true;
    }

    // The address in operand `index`, and the update of its base where there is one.
    void address(MicroOp &access, std::size_t index) {
        for (const auto reg : operand(index)) {
            access.reads(reg);
        }
        for (std::size_t after = index + 1; after < operands_.size(); ++after) {
            for (const auto reg : operand(after)) {
                access.reads(reg);
            }
        }
    }

    void update_base(std::size_t index) {
        const auto registers = operand(index);
        const bool post = index + 1 < operands_.size();
        if (registers.empty() || (operands_[index].back() != '!' && !post)) {
            return;
        }
        MicroOp update;
        update.reads(registers[0]);
        update.writes(registers[0]);
        for (std::size_t i = 1; i < registers.size(); ++i) {
            update.reads(registers[i]);
        }
        add(update);
    }

    bool single_memory() {
        const bool load = starts_with(name_.base, "ldr");
        const bool store = starts_with(name_.base, "str");
        if (is({"pld", "pldw"})) {
            MicroOp access;
            access.unit = Unit::memory;
            access.load = true;
            access.size = 1;
            address(access, 0);
            add(access);
            return true;
        }
        if (!load && !store) {
            return false;
        }
        const auto bracket =
            std::find_if(operands_.begin(), operands_.end(),
                         [](const auto &word) { return word.find('[') != std::string::npos; });
        const auto index = static_cast<std::size_t>(bracket - operands_.begin());
        MicroOp access;
        access.unit = Unit::memory;
        access.load = load;
        access.store = store;
        const bool exclusive = starts_with(name_.base.substr(3), "ex");
        const auto suffix = name_.base.substr(exclusive ? 5 : 3);
        access.size = suffix == "d" ? 8 : suffix == "b" || suffix == "sb" ? 1
                                      : suffix == "h" || suffix == "sh"   ? 2
                                                                          : 4;
        bool to_pc = false;
        for (std::size_t i = 0; i < index && i < operands_.size(); ++i) {
            for (const auto reg : operand(i)) {
                if (load && reg == reg_pc) {
                    to_pc = true;
                } else if (load || (exclusive && i == 0)) {
                    access.writes(reg);
                } else {
                    access.reads(reg);
                }
            }
        }
        if (index == operands_.size()) {  // a label: relative to pc
            add(access);
            return true;
        }
        address(access, index);
        const bool updates = operands_[index].back() == '!' || index + 1 < operands_.size();
        if (to_pc && !updates) {
            access.branch = Branch::indirect;
        } else if (to_pc) {
            access.writes(temporary_pc);
        }
        add(access);
        update_base(index);
        if (to_pc && updates) {
            MicroOp jump;
            jump.reads(temporary_pc);
            jump.branch = operand(index)[0] == 13 ? Branch::ret : Branch::indirect;
            add(jump);
        }
        return true;
    }

    void data_processing() {
        MicroOp operation;
        if (is({"mul", "mla", "mls", "umull", "umlal", "umaal", "smull", "smlal", "smmul",
                "smulbb", "smulbt", "smultb", "smultt", "smlabb", "smlabt", "smlatb", "smlatt"})) {
            operation.unit = Unit::multiply;
        } else if (is({"udiv", "sdiv"})) {
            operation.unit = Unit::divide;
        } else if (is({"mrc", "mcr", "mrs", "msr", "dmb", "dsb", "isb", "svc"})) {
            operation.unit = Unit::misc;
        }
        const bool compares = is({"cmp", "cmn", "tst", "teq"});
        const bool two_results = is({"umull", "umlal", "umaal", "smull", "smlal"});
        const bool accumulates = is({"umlal", "umaal", "smlal", "movt", "bfi", "bfc"});
        bool to_pc = false;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const bool destination = (i == 0 || (i == 1 && two_results)) && !compares;
            for (const auto reg : operand(i)) {
                if (destination) {
                    to_pc |= reg == reg_pc;
                    operation.writes(reg);
                    if (accumulates) {
                        operation.reads(reg);
                    }
                } else {
                    operation.reads(reg);
                }
            }
        }
        const bool arithmetic = is({"add", "sub", "rsb", "rsc", "adc", "sbc", "addw", "subw"});
        if (!compares && operands_.size() == 2 && (arithmetic || is({"and", "orr", "eor", "bic"}))) {
            for (const auto reg : operand(0)) {  // two operands: the first is read as well
                operation.reads(reg);
            }
        }
        if (is({"adc", "sbc", "rsc", "rrx"})) {
            operation.reads(flag_c);
        }
        if (name_.sets_flags || compares) {
            operation.writes(flag_nz);
            if (arithmetic || is({"cmp", "cmn"})) {
                operation.writes(flag_c);
                operation.writes(flag_v);
            } else if (is({"lsl", "lsr", "asr", "ror", "rrx"}) || operands_.size() > 3) {
                operation.writes(flag_c);
            }
        }
        if (to_pc) {
            operation.branch = is({"mov"}) && operand(1) == std::vector<unsigned>{14}
                                   ? Branch::ret
                                   : Branch::indirect;
        }
        add(operation);
    }

    void vector_or_float() {
        if (vector_memory()) {
            return;
        }
        MicroOp operation;
        operation.unit = Unit::floating;
        if (is({"vmrs"})) {
            operation.reads(flag_float);
            operation.writes(flag_nz);
            operation.writes(flag_c);
            operation.writes(flag_v);
        } else if (is({"vcmp", "vcmpe"})) {
            for (std::size_t i = 0; i < operands_.size(); ++i) {
                for (const auto reg : operand(i)) {
                    operation.reads(reg);
                }
            }
            operation.writes(flag_float);
        } else {
            const bool accumulates = is({"vmla", "vmls", "vfma", "vfms", "vfnma", "vfnms", "vnmla",
                                         "vnmls", "vmlal", "vmlsl", "vbsl", "vbit", "vbif", "vsri",
                                         "vsli", "vpadal", "vaba", "vabal", "vsra", "vrsra"});
            // vmov of two core registers from or to a doubleword has two results, or two sources
            const bool to_core = is({"vmov"}) && !operand(0).empty() && operand(0)[0] < 16;
            const std::size_t results = to_core && operands_.size() == 3 ? 2 : 1;
            for (std::size_t i = 0; i < operands_.size(); ++i) {
                for (const auto reg : operand(i)) {
                    if (i < results) {
                        operation.writes(reg);
                        if (accumulates) {
                            operation.reads(reg);
                        }
                    } else {
                        operation.reads(reg);
                    }
                }
            }
        }
        add(operation);
    }

    bool vector_memory() {
        if (is({"vldr", "vstr"})) {
            MicroOp access;
            access.unit = Unit::memory;
            access.load = name_.base == "vldr";
            access.store = !access.load;
            access.size = operands_[0][0] == 's' ? 4 : 8;
            for (const auto reg : operand(0)) {
                access.load ? access.writes(reg) : access.reads(reg);
            }
            address(access, 1);
            add(access);
            return true;
        }
        const bool stack = is({"vpush", "vpop"});
        const bool several = starts_with(name_.base, "vldm") || starts_with(name_.base, "vstm");
        if (stack || several) {
            const bool load = name_.base[1] == 'l' || name_.base == "vpop";
            const auto list = operand(stack ? 0 : 1);
            const unsigned base = stack ? 13u : operand(0)[0];
            const bool doubles = operands_[stack ? 0 : 1].find('d') != std::string::npos;
            for (std::size_t i = 0; i < list.size() * (doubles ? 2 : 1); ++i) {
                MicroOp access;  // gem5 moves the halves of a doubleword one by one
                access.unit = Unit::memory;
                access.load = load;
                access.store = !load;
                access.size = 4;
                access.offset = static_cast<std::uint8_t>(4 * i);
                access.reads(base);
                const auto reg = list[doubles ? i / 2 : i];
                load ? access.writes(reg) : access.reads(reg);
                add(access);
            }
            if (stack || operands_[0].back() == '!') {
                MicroOp update;
                update.reads(base);
                update.writes(base);
                add(update);
            }
            return true;
        }
        const bool load = starts_with(name_.base, "vld");
        if (!load && !starts_with(name_.base, "vst")) {
            return false;
        }
        const auto list = operand(0);
        for (std::size_t i = 0; i < list.size(); i += 2) {
            MicroOp access;
            access.unit = Unit::memory;
            access.load = load;
            access.store = !load;
            access.offset = static_cast<std::uint8_t>(8 * i);
            access.size = static_cast<std::uint8_t>(8 * std::min<std::size_t>(2, list.size() - i));
            for (const auto reg : operand(1)) {
                access.reads(reg);
            }
            for (std::size_t j = i; j < std::min(i + 2, list.size()); ++j) {
                load ? access.writes(list[j]) : access.reads(list[j]);
            }
            add(access);
        }
        update_base(1);
        return true;
    }

    Instruction result_;
    Name name_;
    Words operands_;
};

}  // namespace

Instruction decode(std::uint32_t address, unsigned bytes, const std::string &text) {
    return Decoder(address, bytes, text).result();
}

}  // namespace fast_core
