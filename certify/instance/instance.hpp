// A dataset instance as read from a file: exact numbers, the setting they describe, and where they came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "numerics/numbers/exact_array.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

enum class Setting { prompt, cross_attention, self_attention };

// The query as canonical text, JSON and messages write it: "last", an index, or one from the end ("-2").
std::string query_name(long query);

// "prompt", "cross-attention", "self-attention": the words of the certificate language and of JSON output.
const char* name(Setting setting);

// The last layer of a head of several outputs (theory.md section 9), as given: the outputs of token t are
// rows of `weights` times x_it, plus a constant each.
struct OutputLayer {
  OutputHead kind = OutputHead::classifier;
  ExactArray weights;                // U (V x d) or A (m x d)
  ExactArray bias, r;                // relu: m each; its labels are the instance's Y
  std::vector<std::size_t> classes;  // classifier: n, below V
};

struct Instance {
  Setting setting = Setting::self_attention;
  long query = 0;  // self-attention: the query token of each sequence; -1 is its last, -2 the one before
  std::vector<std::size_t> first_row;  // n + 1 entries: rows of sequence i are [first_row[i], first_row[i+1])
  std::size_t dimension = 0;           // d, of tokens
  std::size_t factor_dimension = 0;    // e of z (cross-attention), m of K (prompt); 0 for self-attention
  ExactArray X;                        // total tokens x d
  std::optional<ExactArray> scores;    // total tokens; when given, Y and v are not
  std::vector<int> Y;                  // n labels, +1 or -1
  ExactArray v;                        // d
  Selection y;                         // n: the head is cross-entropy on these tokens; no scores, Y, v
  std::optional<OutputLayer> outputs;  // the head is a classifier or has ReLU units; no scores, v, y
  ExactArray z;                        // cross-attention: n x e
  ExactArray K;                        // prompt: total tokens x m
  std::vector<std::uint64_t> counts;   // total tokens: how often each stands in its sequence; empty: once
  ExactArray offsets;                  // total tokens, added to the logits; empty: none
  std::string made_of;                 // "causal, 20 sequences": what queries.hpp made it of; not canonical
  std::optional<Selection> alpha;      // not part of the canonical instance
  std::optional<SelectedSets> sets;    // given as alpha instead: lists of tokens, in the order given
  std::optional<ExactArray> W0;        // d x e (prompt: m), not part of the canonical instance

  std::size_t sequences() const { return first_row.empty() ? 0 : first_row.size() - 1; }
  std::size_t tokens(std::size_t i) const { return first_row[i + 1] - first_row[i]; }
  // Self-attention: the row of X that is the query of sequence i.
  std::size_t query_row(std::size_t i) const {
    return first_row[i + (query < 0 ? 1 : 0)] + static_cast<std::size_t>(query);
  }
};

// Its setting, and what it was made of, for people.
std::string setting_words(const Instance& instance);

// The selection problem of the instance: features by setting (theory.md section 0), g_it = Y_i v'x_it or as
// given, exactly; equal tokens are merged (T18).
TokenData token_data(const Instance& instance);

// The first row, if any, that has an equal token before it with another offset while scores of the two's
// class differ: their mean by multiplicity is not rational. token_data() is for instances without such a row.
std::optional<std::size_t> row_without_score(const Instance& instance);

// The canonical text of the instance (proofs/statements/GRAMMAR.md, "Canonical instance").
std::string canonical_text(const Instance& instance);

// SHA-256 of the canonical text, 64 lower-case hexadecimal digits; streamed, never holds the whole text.
std::string canonical_sha256(const Instance& instance);

}  // namespace attest
