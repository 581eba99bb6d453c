// Next-token instances: sentences of token ids, one-hot or with embeddings (certify/INSTANCES.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/instance/raw.hpp"
#include "numerics/next_token/sentences.hpp"

namespace attest {

// Ids are at most this, so that no small file makes a large problem.
inline constexpr TokenId largest_token_id = (TokenId{1} << 24) - 1;

struct SentenceData {
  Sentences sentences;
  ExactArray embeddings;  // vocabulary x dimension; empty: one-hot

  std::size_t dimension() const {
    return embeddings.empty() ? sentences.vocabulary : embeddings.size() / sentences.vocabulary;
  }
};

// An instance is one of these where it has `sentences` or `ids`.
bool has_sentences(const RawInstance& raw);

// Throws InputFailure, as assemble_instance does. Checked are ids, lengths, a collocation that is injective,
// and in each context of two tokens or more the one that has the sentence's last token next.
SentenceData assemble_sentences(RawInstance raw);

// SHA-256 of the canonical text of the sentences (proofs/statements/GRAMMAR.md section 5).
std::string canonical_sha256(const SentenceData& data);

// The collocation that the sentences of two tokens say. Throws InputFailure naming the sentence.
Collocation said_collocation(const Sentences& sentences);

// Its files, {KEY.npy, bytes}: ids, lengths and the embeddings. Throws InputFailure where they are not
// binary64.
std::vector<std::pair<std::string, std::string>> sentence_members(const SentenceData& data);

}  // namespace attest
