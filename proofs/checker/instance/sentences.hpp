// Next-token instances (GRAMMAR.md section 5): sentences of token ids, whose two stages are selection
// problems.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/instance/named_arrays.hpp"

namespace attest_check {

// Sentence k is ids[first[k]] .. ids[first[k + 1] - 1], two tokens or more; ids are below the vocabulary.
struct Sentences {
  std::size_t vocabulary = 0;
  std::size_t dimension = 0;  // of the embeddings; the vocabulary where they are one-hot
  std::vector<std::size_t> first = {0};
  std::vector<std::uint32_t> ids;
  NumberArray embeddings;  // vocabulary x dimension; empty: one-hot

  std::size_t count() const { return first.size() - 1; }
};

// The groups of one stage. Sentences of two tokens x, y say n(x) = y; malformed unless n is injective and
// every other sentence has a token x before its last one y with n(x) = y. `path` is for messages.
Instance next_token_stage(std::shared_ptr<const Sentences> sentences, Stage stage, const std::string& path);

// The attention stage of the key `sentences`, or of `ids` in sentences of the given `lengths`.
Instance read_sentences(NamedArrays& arrays);

}  // namespace attest_check
