// Certificates about a stage of next-token prediction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certify/certificates/margin.hpp"
#include "numerics/next_token/attention_training.hpp"

namespace attest {

// As write_certificate of facts without an instance: `stage` is the grammar's word, `sha256` that of the
// sentences.
Certificate write_stage_certificate(const CertifiedFacts& facts, const std::string& stage,
                                    const std::string& sha256);

// A sentence that was not trained on, by ids: what it ends in, and from which step on that is predicted.
struct ShiftedContext {
  std::vector<TokenId> context;
  TokenId next = 0;
  std::optional<std::uint64_t> from;
};

// What is known of both stages' training with one-hot embeddings.
struct TrainingFacts {
  std::string sha256;  // of the sentences
  struct FeedForward {
    const Selection* selection = nullptr;
    Rational squared_norm;  // ||W*||^2
    std::size_t outputs = 0;
    Rational step;
    std::uint64_t steps = 0;
  };
  std::optional<FeedForward> feed_forward;  // where it is trained
  struct Attention {
    const Selection* selection = nullptr;
    const ExactOptimum* optimum = nullptr;        // with constraints
    const AttentionTraining* training = nullptr;  // may be null
    Rational step;
    long bits = 0;  // for a checker that encloses every number by itself
    std::vector<ShiftedContext> shifted;
  };
  std::optional<Attention> attention;  // where W* is known
};

// Claims of the kinds token-ray, token-run, token-forever and token-shift of proofs/statements/GRAMMAR.md.
Certificate write_training_certificate(const TrainingFacts& facts);

}  // namespace attest
