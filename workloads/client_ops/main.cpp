// The client's operations of BFV and CKKS through SEAL, one region of interest each.
#include <cmath>
#include <string>
#include <unistd.h>
#include <vector>

#include "compatibility.h"
#include "options.h"
#include "regions.h"

namespace {

using namespace client_ops;

enum Exit { done = 0, refused = 1, wrong_arguments = 2, wrong_message = 3 };

seal::EncryptionParameters parameters(const Options &options) {
    const bool bfv = options.scheme == Scheme::bfv;
    seal::EncryptionParameters result(bfv ? scheme_bfv : scheme_ckks);
    const auto n = options.poly_modulus_degree;
    result.set_poly_modulus_degree(n);
    result.set_coeff_modulus(seal::CoeffModulus::Create(n, options.coeff_modulus_bits));
    if (bfv) {
        result.set_plain_modulus(seal::PlainModulus::Batching(n, options.plain_modulus_bits));
    }
    Seed seed{};
    seed[0] = options.seed;
    result.set_random_generator(std::make_shared<SeededFactory>(seed, options.generator));
    return result;
}

// A message that fills every slot; the same on every machine.
class Values {
public:
    explicit Values(const Options &options)
        : periodic_(options.message == Message::periodic), state_(options.seed * 2 + 1) {}
    // The next slot's value, below the bound.
    std::uint64_t below(std::uint64_t bound) {
        if (periodic_) {
            return next_++ % 16;
        }
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 20) % bound;
    }
    double real() {
        const auto value = static_cast<double>(below(1u << 20));
        return periodic_ ? value : value / (1u << 19) - 1.0;
    }

private:
    bool periodic_;
    std::uint64_t next_ = 0;
    std::uint64_t state_;
};

// encode and decode of one scheme, with the message they carry.
class BatchMessage {
public:
    BatchMessage(const Context &context, const Options &options)
        : encoder_(context), message_(encoder_.slot_count()) {
        const auto modulus = value(context).first_context_data()->parms().plain_modulus().value();
        Values values(options);
        for (auto &entry : message_) {
            entry = values.below(modulus);
        }
    }
    void encode(seal::Plaintext &plain) { encoder_.encode(message_, plain); }
    void decode(const seal::Plaintext &plain) { encoder_.decode(plain, decoded_); }
    bool correct() const { return decoded_ == message_; }

private:
    seal::BatchEncoder encoder_;
    std::vector<std::uint64_t> message_, decoded_;
};

class ApproximateMessage {
public:
    ApproximateMessage(const Context &context, const Options &options)
        : encoder_(context), scale_(std::pow(2.0, options.scale_bits)),
          message_(encoder_.slot_count()) {
        Values values(options);
        for (auto &entry : message_) {
            entry = values.real();
        }
    }
    void encode(seal::Plaintext &plain) { encoder_.encode(message_, scale_, plain); }
    void decode(const seal::Plaintext &plain) { encoder_.decode(plain, decoded_); }
    bool correct() const {
        for (std::size_t i = 0; i < message_.size(); ++i) {
            if (!(std::abs(decoded_[i] - message_[i]) < 0.01)) {
                return false;
            }
        }
        return true;
    }

private:
    seal::CKKSEncoder encoder_;
    double scale_;
    std::vector<double> message_, decoded_;
};

template <typename SchemeMessage>
Exit run(const Options &options, const Context &context) {
    seal::KeyGenerator generator(context);
    const auto secret = generator.secret_key();
    seal::Encryptor encryptor(context, public_key(generator));
    encryptor.set_secret_key(secret);
    seal::Decryptor decryptor(context, secret);
    SchemeMessage message(context, options);
    write_text(STDOUT_FILENO, "operation,repetition,time_ns\n");
    for (unsigned repetition = 0; repetition < options.repetitions; ++repetition) {
        seal::Plaintext plain, decrypted;
        seal::Ciphertext ciphertext;
        SeededCiphertext seeded;
        const auto region = [&](Operation operation, auto &&work) {
            const Region marked(operation, repetition, options.gem5_markers);
            work();
        };
        region(Operation::encode, [&] { message.encode(plain); });
        if (options.encryption == Encryption::public_key) {
            region(Operation::encrypt, [&] { encryptor.encrypt(plain, ciphertext); });
        } else {
            region(Operation::encrypt, [&] { seeded.encrypt(encryptor, plain); });
            seeded.load(context, ciphertext);
        }
        region(Operation::decrypt, [&] { decryptor.decrypt(ciphertext, decrypted); });
        region(Operation::decode, [&] { message.decode(decrypted); });
        if (!message.correct()) {
            write_text(STDERR_FILENO,
                       "error: the decrypted message is wrong: noise exceeds the budget of these "
                       "parameters; take more coeff_modulus bits or fewer plain_modulus or scale "
                       "bits\n");
            return wrong_message;
        }
    }
    return done;
}

std::string seal_version() {
    return std::to_string(SEAL_VERSION_MAJOR) + "." + std::to_string(SEAL_VERSION_MINOR) + "." +
           std::to_string(SEAL_VERSION_PATCH);
}

}  // namespace

int main(int count, char **arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    if (given.size() == 1 && given[0] == "--help") {
        write_text(STDOUT_FILENO, usage);
        return done;
    }
    if (given.size() == 1 && given[0] == "--version") {
        write_text(STDOUT_FILENO, ("SEAL " + seal_version() + "\n").c_str());
        return done;
    }
    try {
        const auto options = parse(given);
#if !defined(__arm__)
        if (options.gem5_markers) {
            throw UsageError("--markers gem5: this is no 32-bit Arm build");
        }
#endif
        const auto context = make_context(parameters(options));
        if (!value(context).parameters_set()) {
            throw std::invalid_argument(
                "these parameters are not valid, or less than 128 bits secure");
        }
        return options.scheme == Scheme::bfv ? run<BatchMessage>(options, context)
                                             : run<ApproximateMessage>(options, context);
    } catch (const UsageError &error) {
        write_text(STDERR_FILENO, (std::string("error: ") + error.what() + "\n").c_str());
        return wrong_arguments;
    } catch (const std::exception &error) {
        write_text(STDERR_FILENO,
                   (std::string("error: SEAL refuses: ") + error.what() + "\n").c_str());
        return refused;
    }
}
