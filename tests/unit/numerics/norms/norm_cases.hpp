// Feasible margin problems of random instances, and what their optima say, in fractions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numerics/norms/optimum.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

namespace attest_test {

struct NormCase {
  attest::TokenData data;
  attest::Selection selection;
  attest::MarginSolution euclidean;

  attest::NormAnswer solve(const std::string& norm, std::size_t rank = 0) const {
    attest::NormRequest request{*attest::parse_norm(norm), rank};
    return attest::solve_norm_problem(data, selection, euclidean, request, attest::Budget());
  }
};

// Nothing when nothing separates the best tokens.
inline std::optional<NormCase> norm_case(attest::TokenData data) {
  NormCase found{std::move(data), {}, {}};
  found.selection = attest::best_selection(found.data);
  found.euclidean = attest::solve_margin_problem(found.data, found.selection);
  if (found.euclidean.feasibility != attest::Feasibility::feasible) return std::nullopt;
  return found;
}

using Entries = std::vector<attest::Rational>;  // of a d x e matrix, row-major

inline Entries entries(const attest::WrittenMatrix& matrix) {
  Entries result;
  for (const attest::Integer& x : matrix.numerator) result.emplace_back(x, matrix.denominator);
  return result;
}

// W, or K Q'.
inline Entries primal(const attest::NormOptimum& optimum) {
  Entries left = entries(optimum.left);
  const Entries right = entries(optimum.right);
  if (right.empty()) return left;
  Entries w(optimum.left.rows * optimum.right.rows);
  for (std::size_t a = 0; a < optimum.left.rows; ++a)
    for (std::size_t b = 0; b < optimum.right.rows; ++b)
      for (std::size_t j = 0; j < optimum.left.columns; ++j)
        w[a * optimum.right.rows + b] +=
            left[a * optimum.left.columns + j] * right[b * optimum.left.columns + j];
  return w;
}

// Delta_c.
inline Entries constraint_entries(const attest::TokenData& data, const attest::Selection& selection,
                                  const attest::Constraint& c) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  Entries result;
  for (std::size_t a = 0; a < d; ++a) {
    const attest::Rational dx = data.token_factor.exact(data.row(c.group, selection[c.group]) * d + a) -
                                data.token_factor.exact(data.row(c.group, c.token) * d + a);
    for (std::size_t b = 0; b < e; ++b) result.push_back(dx * data.query_factor.exact(c.group * e + b));
  }
  return result;
}

inline attest::Rational product(const Entries& a, const Entries& b) {
  attest::Rational sum;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// sum lambda_c Delta_c.
inline Entries combination(const NormCase& asked, const attest::ConstraintVector& multipliers) {
  Entries sum(asked.data.left_dimension * asked.data.right_dimension);
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    const Entries row = constraint_entries(asked.data, asked.selection, multipliers.constraint[k]);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += multipliers.value(k) * row[j];
  }
  return sum;
}

inline bool separates(const NormCase& asked, const Entries& w) {
  for (const attest::Constraint& c : attest::constraints(asked.data, asked.selection))
    if (product(constraint_entries(asked.data, asked.selection, c), w) < 1) return false;
  return true;
}

}  // namespace attest_test
