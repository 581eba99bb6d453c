// The Jacobian bound: eigenvalues of the derivative's positive and negative part. See step_growth.hpp.
#include <algorithm>

#include "proofs/checker/runs/step_growth.hpp"

namespace attest_check {
namespace {

constexpr std::size_t most_rows = 96;  // of a Gram matrix of tokens of all groups

// Upper bounds of sqrt(x / total) for 0 <= x <= total, total > 0.
std::vector<Word> relative_roots(const std::vector<Word>& values, Word total) {
  std::vector<Word> roots;
  for (const Word x : values)
    roots.push_back(word_root(((static_cast<WideWord>(x) << word_point) / total + 1) << word_point));
  return roots;
}

}  // namespace

// Lemma G6 (by groups). sum_i c_i I (x) z_i z_i' has the largest eigenvalue of the matrix (sqrt(c_i c_j)
// z_i.z_j). Roots are of c_i over their sum, rounded up; an entry is off by 3: two products, and z_i.z_j
// within 1. Of this matrix and the sum itself the smaller one is made.
Interval StepGrowth::bound_by_groups(const std::vector<Word>& c) const {
  const std::size_t n = groups_.size();
  Word total = 0;
  for (const Word x : c) add_word(total, x);
  if (total == 0) return Interval(0);
  if (4 * n > 5 * right_) {
    std::vector<const Word*> vectors;
    for (const Group& group : groups_) vectors.push_back(group.query.data());
    return units(largest_scatter_eigenvalue(vectors, relative_shares(c, total), right_, 1)) * units(total);
  }
  const std::vector<Word> root = relative_roots(c, total);
  std::vector<Word> matrix(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      matrix[i * n + j] = matrix[j * n + i] = product(product(root[i], root[j]), query_product(i, j));
    }
  }
  return units(largest_eigenvalue(matrix, n, 3)) * units(total);
}

// Lemma G7 (by rows). The largest eigenvalue of sum omega x~ x~' (or, with queries, of sum omega (x~ z_i')(x~
// z_i')') over these rows, for omega at most `weight`, is that of the Gram matrix sqrt(omega_s omega_t)
// x~_s.x~_t (z_i.z_j), whose entries are off by 2 E_x + 5, E_x as used, doubled. Where the sum itself is
// smaller, it is made instead.
Interval StepGrowth::bound_by_rows(const std::vector<Row>& rows, bool with_queries) const {
  std::vector<Word> weight;
  Word total = 0, error = 0;
  for (const Row& row : rows) {
    weight.push_back(row.weight);
    add_word(total, row.weight);
    error = std::max(error, 2 * groups_[row.group].error + 5);
  }
  if (total == 0) return Interval(0);
  const std::size_t size = rows.size();
  std::vector<Word> centred;
  for (const Row& row : rows) {
    const Group& of = groups_[row.group];
    const Word *x = of.token.data() + (row.index - of.first) * left_,
               *centre = centre_.data() + row.group * left_;
    for (std::size_t k = 0; k < left_; ++k) centred.push_back(x[k] - centre[k]);
  }
  if (!with_queries && size > 2 * left_) {
    std::vector<const Word*> vectors;
    for (std::size_t a = 0; a < size; ++a) vectors.push_back(centred.data() + a * left_);
    return units(largest_scatter_eigenvalue(vectors, relative_shares(weight, total), left_, error)) *
           units(total);
  }
  const std::vector<Word> root = relative_roots(weight, total);
  std::vector<Word> matrix(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      Word entry =
          product(product(root[a], root[b]),
                  word_down(word_dot(centred.data() + a * left_, centred.data() + b * left_, left_)));
      if (with_queries) entry = product(entry, query_product(rows[a].group, rows[b].group));
      matrix[a * size + b] = matrix[b * size + a] = entry;
    }
  }
  return units(largest_eigenvalue(matrix, size, error)) * units(total);
}

// The tokens with omega > 0, ordered by group.
std::vector<StepGrowth::Row> StepGrowth::falling_rows(std::size_t group) const {
  std::vector<Row> rows;
  const Group& of = groups_[group];
  for (std::size_t row = of.first; row < of.first + of.tokens; ++row) {
    if (weight_[row] > -weight_error) rows.push_back({group, row, weight_[row] + weight_error});
  }
  return rows;
}

// Lemma G8 (negative part). -lmin of DV is at most the largest eigenvalue of its negative part, bounded by
// (a) Lemma G6 with the traces; (b) the same with c_i the largest eigenvalue of the group's Gram matrix
// (Lemma G7) plus kappa ||V_i||^2, where that is less; (c) the Gram matrix of the tokens of all groups that
// carry more than 2^-20 of the trace, plus the traces of the others and of the kappa terms. The first with
// stretch times the bound at most 2 is taken, for then the step does not overshoot; else the lesser of (b)
// and (c), or (b) where (c) would have more than most_rows rows. In the saturated regime (c) keeps Polyak
// steps from losing bits: (a) exceeds 2 where the true eigenvalue does not.
Interval StepGrowth::bound_negative_part(const Interval& stretch) const {
  const Interval wanted(2);
  const auto enough = [&](const Interval& bound) { return certainly_at_most(stretch * bound, wanted); };
  Interval best = bound_by_groups(negative_);
  if (enough(best)) return best;
  std::vector<Word> sharper(groups_.size());
  for_parts([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Word sum = bent_[i];
      add_word(sum, word_above(bound_by_rows(falling_rows(i), false)));
      sharper[i] = std::min(negative_[i], sum);
    }
  });
  best = bound_by_groups(sharper);
  if (enough(best)) return best;
  // All tokens that matter together; the others, and the curvature, by their traces.
  Word total = 0, rest = 0;
  for (const Word x : negative_) add_word(total, x);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    add_word(rest, product_up(bent_[i], groups_[i].query_square));
    for (const Row& row : falling_rows(i)) {
      const Word part = product_up(product_up(row.weight, square_[row.index]), groups_[i].query_square);
      if (part > total >> 20) {
        rows.push_back(row);
      } else {
        add_word(rest, part);
      }
    }
  }
  return rows.size() > most_rows ? best : minimum(best, bound_by_rows(rows, true) + units(rest));
}

}  // namespace attest_check
