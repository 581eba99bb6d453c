// A dataset instance: read from npz, a folder of npy files, safetensors, or JSON (plain or gzip), checked,
// and hashed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proofs/checker/base/numbers.hpp"
#include "proofs/checker/instance/output_layer.hpp"

namespace attest_check {

enum class Setting { prompt, cross_attention, self_attention, next_token };
enum class Stage { feed_forward, attention };  // of next-token instances

// The words of the certificate language.
const char* name(Setting setting);
const char* name(Stage stage);

// An array of an instance has fewer numbers, so that the product of two sizes (rows, columns, groups, tokens)
// is less than 2^62.
inline constexpr long max_entries = 1L << 31;
// So a sequence's counts together are less than 2^62.
inline constexpr long max_count = (1L << 31) - 1;

// Token ids of sentences are smaller, and a stage has no more tokens.
inline constexpr std::size_t max_stage_tokens = 1UL << 24;

struct Sentences;

struct Instance {
  Setting setting = Setting::self_attention;
  long query = 0;  // self-attention: this token, or from each sequence's end: -1 is the last
  std::vector<std::size_t> first_row;  // n + 1 entries: rows of sequence i are [first_row[i], first_row[i+1])
  std::size_t dimension = 0;           // d
  std::size_t factor_dimension = 0;    // e of z, m of K, 0 for self-attention
  NumberArray X;                       // token rows x d
  std::optional<NumberArray> scores;   // token rows; without them Y and v give the scores
  std::vector<int> Y;                  // +1 or -1
  NumberArray v;                       // d
  std::vector<std::size_t> y;          // n: the token each sequence is to select; then there are no scores
  std::optional<OutputLayer> outputs;  // then there are no scores, and Y where they are units'
  NumberArray z;                       // cross-attention: n x e
  NumberArray K;                       // prompt: token rows x m
  NumberArray offsets;                 // token rows: added to the logits; empty: none
  NumberArray counts;                  // token rows: how often each stands in its sequence; empty: once
  // next-token: one stage of the sentences. X and z are empty: tokens and queries are rows of a table, the
  // unit matrix or, but for the outputs of the feed-forward stage, the embeddings.
  std::shared_ptr<const Sentences> sentences;
  Stage stage = Stage::attention;
  std::vector<std::uint32_t> token_row;  // of each token
  std::vector<std::uint32_t> query_of;   // of each group

  std::size_t groups() const { return first_row.size() - 1; }
  // Is the head selection cross-entropy, not the scalar one?
  bool cross_entropy() const { return !y.empty(); }
  std::size_t tokens(std::size_t group) const { return first_row[group + 1] - first_row[group]; }
  // Self-attention: the row of the group's query token.
  std::size_t query_row(std::size_t group) const {
    return first_row[group + (query < 0 ? 1 : 0)] + static_cast<std::size_t>(query);
  }
  // The row of the features' table that a token row has.
  std::size_t feature_row(std::size_t row) const { return token_row.empty() ? row : token_row[row]; }
  Rational offset(std::size_t row) const { return offsets.size() == 0 ? Rational(0) : offsets.exact(row); }
  std::uint64_t count(std::size_t row) const {
    return counts.size() == 0 ? 1 : static_cast<std::uint64_t>(*counts.integer(row));
  }
};

// Reads and checks the instance at `path`; the kind of file is told by its first bytes. Malformed (exit 2)
// names file, key and index; a predicted size out of bounds is exit 5. Of sentences, the attention stage.
Instance read_instance(const std::string& path);

// SHA-256 of the canonical text (GRAMMAR.md section 5), streamed.
std::string canonical_sha256(const Instance& instance);

}  // namespace attest_check
