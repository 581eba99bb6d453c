// A slow, independent exact reference for margin problems: dense rational vectors, Gaussian elimination, and
// a search over all active subsets. Shares no code with the solver beyond the data types.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest::reference {

using Vector = std::vector<Rational>;

// Dense Delta_c of every constraint, in the order of constraints(data, selection).
std::vector<Vector> constraint_vectors(const TokenData& data, const Selection& selection);

// (x_winner - x_loser) z' of a row.
Vector dense(const TokenData& data, const MarginRow& row);

Rational dot(const Vector& a, const Vector& b);
// s a + t b.
Vector combine(const Vector& a, const Rational& s, const Vector& b, const Rational& t);

// Solution of a square rational system, or nothing when singular.
std::optional<Vector> solve(std::vector<Vector> matrix, Vector right_side);

struct Answer {
  bool feasible = false;
  Vector w;                          // the maximum-margin solution
  std::vector<std::size_t> support;  // tight constraints
  bool strictly_complementary = false;
  bool locally_optimal = false;
};

// Decides the problem by trying every independent subset of at most `limit` constraints (Caratheodory:
// enough).
Answer brute_force(const TokenData& data, const Selection& selection);

// Verifies every field of `solution` by dense rational arithmetic; failures are reported through doctest
// CHECKs.
void check_evidence(const TokenData& data, const Selection& selection, const MarginSolution& solution);

// check_evidence, and agreement with brute_force's answer on every verdict.
void check_against(const Answer& answer, const TokenData& data, const Selection& selection,
                   const MarginSolution& solution);

// Token data from small rationals: x[i][t] has d entries, z[i] has e entries, score[i][t].
TokenData make_data(const std::vector<std::vector<Vector>>& x, const std::vector<Vector>& z,
                    const std::vector<Vector>& score);

// Such data of groups of `tokens` tokens, every number of which is drawn.
TokenData drawn_data(const std::function<Rational()>& draw, std::size_t groups, std::size_t tokens,
                     std::size_t d, std::size_t e);
// Small rationals are drawn.
TokenData drawn_data(std::mt19937_64& random, std::size_t groups, std::size_t tokens, std::size_t d,
                     std::size_t e);

// Dyadic numbers of 53 bits in [-1/2, 1/2).
Rational random_entry(std::mt19937_64& random);
Vector random_vector(std::mt19937_64& random, std::size_t length);

}  // namespace attest::reference
