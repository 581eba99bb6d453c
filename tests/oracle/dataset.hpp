// Datasets of the reference implementation: everything dense, every number a canonical gmpxx rational.
//
// The reference exists to judge the project, so it shares no code with numerics/, proofs/ or certify/: it is
// written from the mathematics alone, as plainly as possible, and is slow on purpose.
#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reference {

using Number = mpq_class;
using Row = std::vector<Number>;
using Pair = std::pair<std::size_t, std::size_t>;  // (group, token)

enum class Kind { prompt, cross, self };

// A head of several outputs: the classes' rows U and each group's class, or units A, bias and r.
struct Layer {
  bool classifier = true;
  std::vector<Row> weights;
  Row bias, r;
  std::vector<std::size_t> classes;
};

// Sentences of token ids, and the rows of the vocabulary; empty: unit vectors.
struct Text {
  std::vector<std::vector<std::size_t>> sentences;
  std::vector<Row> embeddings;
  std::size_t vocabulary = 0;
};

struct Dataset {
  Kind kind = Kind::self;
  long query = 0;  // self: the query token of each group; negative: from its end, -1 the last
  std::vector<std::vector<Row>> X;  // group, token: a row of d numbers
  std::vector<Row> scores;          // group: a score for each token; empty: Y and v give them
  std::vector<int> Y;               // one label a group
  Row v;                            // d numbers
  // A token a group: the loss is -log of the attention on its like; no scores.
  std::vector<std::size_t> y;
  std::vector<Row> z;                     // cross: one row of e numbers a group
  std::vector<std::vector<Row>> K;        // prompt: group, token: a row of m numbers
  std::vector<std::vector<long>> counts;  // group, token: how often it stands there; empty: once each
  std::optional<Layer> layer;             // no scores, labels where it is of units
  std::optional<Text> text;               // of which this is a stage (cross, with scores)
  std::string stage;                      // feed-forward or attention
  // Group: what is added to the logit of each token; empty: nothing. Equal tokens with different ones have
  // equal scores.
  std::vector<Row> offsets;

  std::size_t groups() const { return X.size(); }
  std::size_t dimension() const { return X.at(0).at(0).size(); }
};

using Choice = std::vector<std::size_t>;  // the selected token of each group

// "prompt", "cross-attention", "self-attention", or "next-token" and the stage.
std::string setting_words(const Dataset& data);

// The groups of a stage of these sentences (well-formed ones).
Dataset stage_of(const Text& text, const std::string& stage);

Number dot(const Row& a, const Row& b);

// Rows x columns of one feature seen as a matrix: d x e (cross), d x d (self), m x 1 (prompt).
Pair feature_shape(const Dataset& data);

// The dense feature a_it, flattened row-major.
Row feature(const Dataset& data, std::size_t group, std::size_t token);

// The row of X that is the query of the group (self).
const Row& query_row(const Dataset& data, std::size_t group);

// g_it = Y_i v'x_it, or as given; with y: 1 for y and its equals, else 0.
Number score(const Dataset& data, std::size_t group, std::size_t token);

// How often the token itself stands in its group.
long count(const Dataset& data, std::size_t group, std::size_t token);
// The first token of the group with the same row of X (prompt: of K). The margin problem is about these
// tokens alone; where both scores and attention are asked for, equal tokens are taken together.
std::size_t first_equal(const Dataset& data, std::size_t group, std::size_t token);
// The mean score of all tokens that are equal to this one, each as often as it stands there.
Number class_score(const Dataset& data, std::size_t group, std::size_t token);

// The score of a group's selected token less another's; of a head of several outputs a number of the gap's
// sign, 0 where the gap is not defined.
Number score_gap(const Dataset& data, std::size_t group, std::size_t selected, std::size_t token);

// The best-scoring token of each group, equal ones taken together; the first one on a tie.
Choice best_choice(const Dataset& data);

// The number in the certificate language's lowest terms: integer, m*2^e with m odd, or p/q.
std::string number_text(const Number& value);

// The canonical instance text that the certificate's hash is taken of (proofs/statements/GRAMMAR.md section
// 5).
std::string canonical_text(const Dataset& data);

// The instance as a JSON file with exact numbers; `alpha` is included when a choice is given.
std::string json_text(const Dataset& data, const std::optional<Choice>& choice);

}  // namespace reference
