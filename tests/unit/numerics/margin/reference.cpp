#include "tests/unit/numerics/margin/reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace attest::reference {
namespace {

Vector combination(const std::vector<Vector>& vectors, const std::vector<Constraint>& all,
                   const ConstraintVector& by) {
  Vector sum(vectors.empty() ? 0 : vectors[0].size(), Rational(0));
  REQUIRE(by.denominator > 0);
  REQUIRE(by.constraint.size() == by.numerator.size());
  CHECK(std::is_sorted(by.constraint.begin(), by.constraint.end()));
  CHECK(std::adjacent_find(by.constraint.begin(), by.constraint.end()) == by.constraint.end());
  for (std::size_t k = 0; k < by.size(); ++k) {
    CHECK(by.numerator[k] != 0);
    const auto place = std::lower_bound(all.begin(), all.end(), by.constraint[k]);
    REQUIRE(place != all.end());
    REQUIRE(*place == by.constraint[k]);
    const Vector& vector = vectors[static_cast<std::size_t>(place - all.begin())];
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += by.value(k) * vector[j];
  }
  return sum;
}

bool all_positive(const ConstraintVector& vector) {
  return std::all_of(vector.numerator.begin(), vector.numerator.end(),
                     [](const Integer& n) { return n > 0; });
}

// Subsets of {0 .. count - 1}: members are the set bits of a counter.
std::vector<std::size_t> members(std::size_t subset) {
  std::vector<std::size_t> at;
  for (std::size_t c = 0; (subset >> c) != 0; ++c) {
    if ((subset >> c) & 1) at.push_back(c);
  }
  return at;
}

}  // namespace

Vector dense(const TokenData& data, const MarginRow& row) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  Vector result;
  for (std::size_t j = 0; j < d; ++j) {
    const Rational x = data.token_factor.exact(data.row(row.group, row.winner) * d + j) -
                       data.token_factor.exact(data.row(row.group, row.loser) * d + j);
    for (std::size_t k = 0; k < e; ++k) result.push_back(x * data.query_factor.exact(row.group * e + k));
  }
  return result;
}

Vector combine(const Vector& a, const Rational& s, const Vector& b, const Rational& t) {
  Vector result;
  for (std::size_t j = 0; j < a.size(); ++j) result.push_back(s * a[j] + t * b[j]);
  return result;
}

Rational dot(const Vector& a, const Vector& b) {
  Rational sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

std::vector<Vector> constraint_vectors(const TokenData& data, const Selection& selection) {
  std::vector<Vector> vectors;
  const std::size_t d = data.left_dimension;
  const std::size_t e = data.right_dimension;
  for (const Constraint& c : constraints(data, selection)) {
    Vector vector;
    for (std::size_t a = 0; a < d; ++a) {
      const Rational difference = data.token_factor.exact(data.row(c.group, selection[c.group]) * d + a) -
                                  data.token_factor.exact(data.row(c.group, c.token) * d + a);
      for (std::size_t b = 0; b < e; ++b)
        vector.push_back(difference * data.query_factor.exact(c.group * e + b));
    }
    vectors.push_back(vector);
  }
  return vectors;
}

std::optional<Vector> solve(std::vector<Vector> matrix, Vector right_side) {
  const std::size_t k = right_side.size();
  for (std::size_t s = 0; s < k; ++s) {
    std::size_t pivot = s;
    while (pivot < k && matrix[pivot][s] == 0) ++pivot;
    if (pivot == k) return std::nullopt;
    std::swap(matrix[s], matrix[pivot]);
    std::swap(right_side[s], right_side[pivot]);
    for (std::size_t r = 0; r < k; ++r) {
      if (r == s || matrix[r][s] == 0) continue;
      const Rational factor = matrix[r][s] / matrix[s][s];
      for (std::size_t j = s; j < k; ++j) matrix[r][j] -= factor * matrix[s][j];
      right_side[r] -= factor * right_side[s];
    }
  }
  for (std::size_t s = 0; s < k; ++s) right_side[s] /= matrix[s][s];
  return right_side;
}

Answer brute_force(const TokenData& data, const Selection& selection) {
  const std::vector<Vector> vectors = constraint_vectors(data, selection);
  const std::vector<Constraint> all = constraints(data, selection);
  const std::size_t count = vectors.size();
  REQUIRE(count <= 14);
  Answer answer;
  std::vector<bool> carries(count, false);  // some vertex of the multiplier polytope is positive there
  for (std::size_t subset = 1; subset < (std::size_t{1} << count); ++subset) {
    const std::vector<std::size_t> at = members(subset);
    if (at.size() > vectors[0].size()) continue;
    std::vector<Vector> gram(at.size(), Vector(at.size()));
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t b = 0; b < at.size(); ++b) gram[a][b] = dot(vectors[at[a]], vectors[at[b]]);
    }
    const auto multipliers = solve(gram, Vector(at.size(), Rational(1)));
    if (!multipliers) continue;
    if (std::any_of(multipliers->begin(), multipliers->end(), [](const Rational& m) { return m < 0; }))
      continue;
    Vector w(vectors[0].size(), Rational(0));
    for (std::size_t a = 0; a < at.size(); ++a) {
      for (std::size_t j = 0; j < w.size(); ++j) w[j] += (*multipliers)[a] * vectors[at[a]][j];
    }
    if (std::any_of(vectors.begin(), vectors.end(), [&](const Vector& v) { return dot(v, w) < 1; })) continue;
    if (answer.feasible) CHECK(answer.w == w);
    answer.feasible = true;
    answer.w = w;
    for (std::size_t a = 0; a < at.size(); ++a) {
      if ((*multipliers)[a] > 0) carries[at[a]] = true;
    }
  }
  if (count == 0) answer.feasible = true;
  answer.strictly_complementary = answer.feasible;
  answer.locally_optimal = answer.feasible;
  if (!answer.feasible) return answer;
  for (std::size_t c = 0; c < count; ++c) {
    if (dot(vectors[c], answer.w) != 1) continue;
    answer.support.push_back(c);
    if (!carries[c]) answer.strictly_complementary = false;
    if (score_gap(data, selection, all[c]) <= 0) answer.locally_optimal = false;
  }
  return answer;
}

namespace {

void check_exact(const std::vector<Vector>& vectors, const std::vector<Constraint>& all,
                 const MarginSolution& solution) {
  const ExactOptimum& exact = *solution.exact;
  CHECK(all_positive(exact.multipliers));
  const Vector w = combination(vectors, all, exact.multipliers);
  CHECK(dot(w, w) == exact.norm_squared);
  CHECK(solution.norm_squared.lo <= exact.norm_squared);
  CHECK(exact.norm_squared <= solution.norm_squared.hi);
  std::vector<Constraint> tight;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Rational margin = dot(vectors[c], w);
    CHECK(margin >= 1);
    if (margin == 1) tight.push_back(all[c]);
  }
  for (const Constraint& c : exact.multipliers.constraint)
    CHECK(std::binary_search(tight.begin(), tight.end(), c));
  if (solution.support) CHECK(*solution.support == tight);
  if (solution.complementary_multipliers) {
    CHECK(solution.strictly_complementary == std::optional<bool>(true));
    CHECK(all_positive(*solution.complementary_multipliers));
    CHECK(solution.complementary_multipliers->constraint == tight);
    CHECK(combination(vectors, all, *solution.complementary_multipliers) == w);
  } else if (solution.strictly_complementary == std::optional<bool>(true)) {
    CHECK(exact.multipliers.constraint == tight);
  }
  if (solution.complementarity_witness) {
    CHECK(solution.strictly_complementary == std::optional<bool>(false));
    const Vector d = combination(vectors, all, solution.complementarity_witness->direction);
    CHECK(dot(w, d) == 0);
    bool met = false;
    for (std::size_t c = 0; c < all.size(); ++c) {
      if (!std::binary_search(tight.begin(), tight.end(), all[c])) continue;
      CHECK(dot(vectors[c], d) >= 0);
      if (all[c] == solution.complementarity_witness->at) {
        met = true;
        CHECK(dot(vectors[c], d) > 0);
      }
    }
    CHECK(met);
  } else {
    CHECK(solution.strictly_complementary != std::optional<bool>(false));
  }
}

// The checks of the grammar's lambda-min form, except the eigenvalue bound itself, which is tested where it
// is made.
void check_enclosed(const std::vector<Vector>& vectors, const std::vector<Constraint>& all,
                    const MarginSolution& solution) {
  const EnclosedOptimum& enclosed = *solution.enclosed;
  const Vector w = combination(vectors, all, enclosed.multipliers);
  CHECK(enclosed.lambda_min > 0);
  Rational residual = 0;
  Rational sum = 0;
  for (std::size_t k = 0; k < enclosed.multipliers.size(); ++k) {
    CHECK(enclosed.multipliers.value(k) > enclosed.multiplier_radius);
    sum += enclosed.multipliers.value(k);
  }
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Rational margin = dot(vectors[c], w);
    if (std::binary_search(enclosed.multipliers.constraint.begin(), enclosed.multipliers.constraint.end(),
                           all[c])) {
      residual += (1 - margin) * (1 - margin);
    } else {
      CHECK(margin > 1);
      CHECK((margin - 1) * (margin - 1) > enclosed.radius * enclosed.radius * dot(vectors[c], vectors[c]));
    }
  }
  CHECK(enclosed.radius * enclosed.radius * enclosed.lambda_min >= residual);
  CHECK(enclosed.multiplier_radius * enclosed.multiplier_radius * enclosed.lambda_min * enclosed.lambda_min >=
        residual);
  const Rational dual = 2 * sum - dot(w, w);
  CHECK(enclosed.norm_squared.lo <= dual);
  CHECK(enclosed.norm_squared.hi >= dual + enclosed.radius * enclosed.radius);
  CHECK(solution.support == std::optional(enclosed.multipliers.constraint));
  CHECK(solution.strictly_complementary == std::optional<bool>(true));
}

void check_gap(const std::vector<Vector>& vectors, const std::vector<Constraint>& all,
               const MarginSolution& solution) {
  const GapOptimum& gap = *solution.gap;
  const Vector primal = combination(vectors, all, gap.primal);
  const Vector dual = combination(vectors, all, gap.dual);
  CHECK(all_positive(gap.dual));
  for (const Vector& vector : vectors) CHECK(dot(vector, primal) >= 1);
  Rational sum = 0;
  for (std::size_t k = 0; k < gap.dual.size(); ++k) sum += gap.dual.value(k);
  const Rational bound = 2 * sum - dot(dual, dual);
  CHECK(gap.norm_squared.lo <= bound);
  CHECK(gap.norm_squared.hi >= dot(primal, primal));
  CHECK(gap.distance_squared >= dot(primal, primal) - bound);
}

}  // namespace

void check_evidence(const TokenData& data, const Selection& selection, const MarginSolution& solution) {
  const std::vector<Vector> vectors = constraint_vectors(data, selection);
  const std::vector<Constraint> all = constraints(data, selection);
  if (solution.feasibility == Feasibility::infeasible) {
    REQUIRE(solution.farkas.has_value());
    CHECK(solution.farkas->size() > 0);
    CHECK(all_positive(*solution.farkas));
    for (const Rational& entry : combination(vectors, all, *solution.farkas)) CHECK(entry == 0);
    CHECK(solution.locally_optimal == std::optional<bool>(false));
    return;
  }
  if (solution.separator) {
    const Vector w = combination(vectors, all, *solution.separator);
    for (const Vector& vector : vectors) CHECK(dot(vector, w) >= 1);
  }
  if (solution.exact) check_exact(vectors, all, solution);
  if (solution.enclosed) check_enclosed(vectors, all, solution);
  if (solution.gap) check_gap(vectors, all, solution);
  if (solution.support && solution.locally_optimal) {
    bool better = false;
    for (const Constraint& c : *solution.support) better = better || score_gap(data, selection, c) <= 0;
    CHECK(*solution.locally_optimal == !better);
    CHECK(solution.local_witness.has_value() == better);
    if (solution.local_witness) {
      CHECK(score_gap(data, selection, *solution.local_witness) <= 0);
      CHECK(std::binary_search(solution.support->begin(), solution.support->end(), *solution.local_witness));
    }
  }
}

void check_against(const Answer& answer, const TokenData& data, const Selection& selection,
                   const MarginSolution& solution) {
  check_evidence(data, selection, solution);
  REQUIRE(solution.feasibility == (answer.feasible ? Feasibility::feasible : Feasibility::infeasible));
  CHECK(solution.locally_optimal == std::optional<bool>(answer.locally_optimal));
  if (!answer.feasible) return;
  REQUIRE(solution.support.has_value());
  const std::vector<Constraint> all = constraints(data, selection);
  std::vector<Constraint> support;
  for (const std::size_t c : answer.support) support.push_back(all[c]);
  CHECK(*solution.support == support);
  CHECK(solution.strictly_complementary == std::optional<bool>(answer.strictly_complementary));
  const Rational norm_squared = dot(answer.w, answer.w);
  CHECK(solution.norm_squared.lo <= norm_squared);
  CHECK(norm_squared <= solution.norm_squared.hi);
}

TokenData make_data(const std::vector<std::vector<Vector>>& x, const std::vector<Vector>& z,
                    const std::vector<Vector>& score) {
  TokenData data;
  data.left_dimension = x[0][0].size();
  data.right_dimension = z[0].size();
  data.first_row.push_back(0);
  Vector tokens;
  Vector queries;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const Vector& token : x[i]) tokens.insert(tokens.end(), token.begin(), token.end());
    queries.insert(queries.end(), z[i].begin(), z[i].end());
    for (const Rational& one : score[i]) data.scores.push_back(one);
    data.first_row.push_back(data.first_row.back() + x[i].size());
  }
  data.token_factor = ExactArray::from_rationals(tokens);
  data.query_factor = ExactArray::from_rationals(queries);
  return data;
}

TokenData drawn_data(const std::function<Rational()>& draw, std::size_t groups, std::size_t tokens,
                     std::size_t d, std::size_t e) {
  const auto vector = [&](std::size_t size) {
    Vector entries;
    for (std::size_t k = 0; k < size; ++k) entries.push_back(draw());
    return entries;
  };
  std::vector<std::vector<Vector>> x(groups);
  std::vector<Vector> z, scores;
  for (std::size_t i = 0; i < groups; ++i) {
    for (std::size_t t = 0; t < tokens; ++t) x[i].push_back(vector(d));
    z.push_back(vector(e));
    scores.push_back(vector(tokens));
  }
  return make_data(x, z, scores);
}

TokenData drawn_data(std::mt19937_64& random, std::size_t groups, std::size_t tokens, std::size_t d,
                     std::size_t e) {
  return drawn_data(
      [&] { return Rational(static_cast<long>(random() % 41) - 20, static_cast<long>(random() % 5) + 1); },
      groups, tokens, d, e);
}

Rational random_entry(std::mt19937_64& random) {
  return Rational(std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5);
}

Vector random_vector(std::mt19937_64& random, std::size_t length) {
  Vector vector;
  for (std::size_t j = 0; j < length; ++j) vector.push_back(random_entry(random));
  return vector;
}

}  // namespace attest::reference
