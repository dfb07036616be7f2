// What SEAL 3.4 and SEAL 4 call differently.
#pragma once

#include <memory>
#include <mutex>  // SEAL 3.4 uses it without including it
#include <sstream>

#include "options.h"
#include "seal/seal.h"

namespace client_ops {

#if SEAL_VERSION_MAJOR >= 4
using Context = seal::SEALContext;
using Seed = seal::prng_seed_type;
constexpr auto scheme_bfv = seal::scheme_type::bfv;
constexpr auto scheme_ckks = seal::scheme_type::ckks;

inline Context make_context(const seal::EncryptionParameters &parameters) {
    return Context(parameters);
}
inline const seal::SEALContext &value(const Context &context) { return context; }
inline seal::PublicKey public_key(seal::KeyGenerator &generator) {
    seal::PublicKey key;
    generator.create_public_key(key);
    return key;
}
// A seeded ciphertext, as it leaves the encryptor; load() expands its seed.
class SeededCiphertext {
public:
    void encrypt(const seal::Encryptor &encryptor, const seal::Plaintext &plain) {
        ciphertext_ = std::make_unique<seal::Serializable<seal::Ciphertext>>(
            encryptor.encrypt_symmetric(plain));
    }
    void load(const Context &context, seal::Ciphertext &destination) {
        std::stringstream stream;
        ciphertext_->save(stream, seal::compr_mode_type::none);
        destination.load(context, stream);
    }

private:
    std::unique_ptr<seal::Serializable<seal::Ciphertext>> ciphertext_;
};
#elif SEAL_VERSION_MAJOR == 3 && SEAL_VERSION_MINOR == 4
using Context = std::shared_ptr<seal::SEALContext>;
using Seed = seal::random_seed_type;
constexpr auto scheme_bfv = seal::scheme_type::BFV;
constexpr auto scheme_ckks = seal::scheme_type::CKKS;

inline Context make_context(const seal::EncryptionParameters &parameters) {
    return seal::SEALContext::Create(parameters);
}
inline const seal::SEALContext &value(const Context &context) { return *context; }
inline seal::PublicKey public_key(seal::KeyGenerator &generator) {
    return generator.public_key();
}
// SEAL 3.4 makes a seeded ciphertext only together with its serialized form.
class SeededCiphertext {
public:
    void encrypt(const seal::Encryptor &encryptor, const seal::Plaintext &plain) {
        encryptor.encrypt_symmetric_save(plain, stream_, seal::compr_mode_type::none);
    }
    void load(const Context &context, seal::Ciphertext &destination) {
        destination.load(context, stream_);
        stream_.str("");
    }

private:
    std::stringstream stream_;
};
#else
#error "client_ops knows the interfaces of SEAL 3.4 and of SEAL 4"
#endif

// Makes the generators of SEAL that the user chose. What a seeded ciphertext's public polynomial is
// expanded with is not the user's choice: SEAL takes its default.
inline std::shared_ptr<seal::UniformRandomGeneratorFactory> generators(Generator chosen) {
#if SEAL_VERSION_MAJOR >= 4
    if (chosen == Generator::shake256) {
        return std::make_shared<seal::Shake256PRNGFactory>();
    }
    if (chosen == Generator::blake2xb) {
        return std::make_shared<seal::Blake2xbPRNGFactory>();
    }
#else
    if (chosen == Generator::shake256) {
        throw UsageError("--generator: SEAL 3.4 has no shake256");
    }
#endif
    return seal::UniformRandomGeneratorFactory::DefaultFactory();
}

// A generator from a fixed seed: runs repeat instruction for instruction. Every generator without
// a seed of its own gets another one.
class SeededFactory : public seal::UniformRandomGeneratorFactory {
public:
    SeededFactory(Seed seed, Generator chosen)
        : UniformRandomGeneratorFactory(seed), seed_(seed), generators_(generators(chosen)) {}

private:
    std::shared_ptr<seal::UniformRandomGenerator> create_impl(Seed seed) override {
        if (seed == seed_) {
            seed[1] = ++made_;
        }
        return generators_->create(seed);
    }

    Seed seed_;
    std::shared_ptr<seal::UniformRandomGeneratorFactory> generators_;
    std::uint64_t made_ = 0;
};

}  // namespace client_ops
