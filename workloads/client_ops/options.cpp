#include "options.h"

#include <functional>
#include <limits>
#include <map>

namespace client_ops {

const char *const usage =
    "usage: client_ops --scheme bfv|ckks --poly-modulus-degree N --coeff-modulus-bits B,B,...\n"
    "                  --plain-modulus-bits B (bfv) | --scale-bits B (ckks)\n"
    "                  [--encryption public|secret] [--message random|periodic]\n"
    "                  [--generator default|blake2xb|shake256]\n"
    "                  [--repetitions R] [--seed S] [--markers none|gem5]\n"
    "       client_ops --help | --version (of SEAL)\n"
    "Runs encode, encrypt, decrypt and decode through SEAL and checks the message.\n"
    "A message fills all slots: random, or slot i holds i mod 16 (its plaintext has few nonzero\n"
    "coefficients, which some versions of SEAL encrypt faster).\n"
    "Prints operation,repetition,time_ns. Exit: 0 done, 1 SEAL refuses the parameters,\n"
    "2 wrong arguments, 3 the decrypted message is wrong (noise).\n";

namespace {

std::uint64_t number(const std::string &name, const std::string &text, std::uint64_t low,
                     std::uint64_t high) {
    const std::string allowed =
        name + ": '" + text + "' is not an integer from " + std::to_string(low) + " to " +
        std::to_string(high);
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos ||
        text.size() > 20) {
        throw UsageError(allowed);
    }
    std::uint64_t value = 0;
    for (const char digit : text) {
        const auto next = static_cast<std::uint64_t>(digit - '0');
        if (value > (std::numeric_limits<std::uint64_t>::max() - next) / 10) {
            throw UsageError(allowed);
        }
        value = value * 10 + next;
    }
    if (value < low || value > high) {
        throw UsageError(allowed);
    }
    return value;
}

template <typename Value>
Value choice(const std::string &name, const std::string &text,
             const std::map<std::string, Value> &choices) {
    const auto found = choices.find(text);
    if (found == choices.end()) {
        std::string allowed;
        for (const auto &[known, value] : choices) {
            allowed += (allowed.empty() ? "" : ", ") + known;
        }
        throw UsageError(name + ": '" + text + "' is not one of " + allowed);
    }
    return found->second;
}

std::vector<int> bits_list(const std::string &name, const std::string &text) {
    std::vector<int> bits;
    std::size_t start = 0;
    while (true) {
        const auto comma = text.find(',', start);
        const auto part = text.substr(start, comma - start);
        bits.push_back(static_cast<int>(number(name, part, 2, 60)));
        if (comma == std::string::npos) {
            return bits;
        }
        start = comma + 1;
    }
}

}  // namespace

Options parse(const std::vector<std::string> &arguments) {
    Options options;
    const std::map<std::string, std::function<void(const std::string &, const std::string &)>>
        setters = {
            {"--scheme",
             [&](auto &name, auto &text) {
                 options.scheme = choice<Scheme>(
                     name, text, {{"bfv", Scheme::bfv}, {"ckks", Scheme::ckks}});
             }},
            {"--poly-modulus-degree",
             [&](auto &name, auto &text) {
                 options.poly_modulus_degree = number(name, text, 2, 131072);
             }},
            {"--coeff-modulus-bits",
             [&](auto &name, auto &text) { options.coeff_modulus_bits = bits_list(name, text); }},
            {"--plain-modulus-bits",
             [&](auto &name, auto &text) {
                 options.plain_modulus_bits = static_cast<int>(number(name, text, 2, 60));
             }},
            {"--scale-bits",
             [&](auto &name, auto &text) {
                 options.scale_bits = static_cast<int>(number(name, text, 1, 60));
             }},
            {"--encryption",
             [&](auto &name, auto &text) {
                 options.encryption = choice<Encryption>(
                     name, text,
                     {{"public", Encryption::public_key}, {"secret", Encryption::secret_key}});
             }},
            {"--message",
             [&](auto &name, auto &text) {
                 options.message = choice<Message>(
                     name, text, {{"random", Message::random}, {"periodic", Message::periodic}});
             }},
            {"--generator",
             [&](auto &name, auto &text) {
                 options.generator =
                     choice<Generator>(name, text,
                                       {{"default", Generator::library_default},
                                        {"blake2xb", Generator::blake2xb},
                                        {"shake256", Generator::shake256}});
             }},
            {"--repetitions",
             [&](auto &name, auto &text) {
                 options.repetitions = static_cast<unsigned>(number(name, text, 1, 1000000));
             }},
            {"--seed",
             [&](auto &name, auto &text) {
                 options.seed = number(name, text, 0, std::numeric_limits<std::uint64_t>::max());
             }},
            {"--markers",
             [&](auto &name, auto &text) {
                 options.gem5_markers = choice<bool>(name, text, {{"none", false}, {"gem5", true}});
             }},
        };
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const auto setter = setters.find(arguments[i]);
        if (setter == setters.end()) {
            throw UsageError("'" + arguments[i] + "' is no option; --help lists them");
        }
        if (i + 1 == arguments.size()) {
            throw UsageError(arguments[i] + " needs a value");
        }
        setter->second(arguments[i], arguments[i + 1]);
    }
    if (options.poly_modulus_degree == 0) {
        throw UsageError("--poly-modulus-degree is missing");
    }
    if (options.coeff_modulus_bits.empty()) {
        throw UsageError("--coeff-modulus-bits is missing");
    }
    if (options.scheme == Scheme::bfv && options.plain_modulus_bits == 0) {
        throw UsageError("--plain-modulus-bits is missing; bfv needs it");
    }
    if (options.scheme == Scheme::ckks && options.scale_bits == 0) {
        throw UsageError("--scale-bits is missing; ckks needs it");
    }
    return options;
}

}  // namespace client_ops
