// Feasibility nearby: see claims/margin/robust_radius.hpp.
#include "proofs/checker/claims/margin/robust_radius.hpp"

#include <algorithm>

namespace attest_check {
namespace {

// The largest ||z_i||^2.
Rational largest_query(const Features& features) {
  const ScaledMatrix& queries = features.queries();
  Integer largest;
  for (std::size_t i = 0; i < features.groups(); ++i) {
    largest = std::max(largest, queries.dot(i, queries, i));
  }
  return fraction(largest, queries.denominator() * queries.denominator());
}

// The largest ||x_selected - x_it||^2.
Rational largest_difference(const Problem& problem) {
  Integer largest;
  for_each_constraint(problem, [&](const Constraint& c) {
    Integer sum;
    for (const Integer& x : problem.difference(c)) sum += x * x;
    largest = std::max(largest, sum);
  });
  const Integer& denominator = problem.features->tokens().denominator();
  return fraction(largest, denominator * denominator);
}

// Is sqrt a + sqrt b + sqrt c < 1, for numbers >= 0? Each comparison is squared until no root is left.
bool roots_below_one(const Rational& a, const Rational& b, const Rational& c) {
  if (c >= 1) return false;
  const Rational once = 1 + c - a - b;  // 2 (sqrt(a b) + sqrt c) < once is asked
  if (once <= 0) return false;
  const Rational twice = once * once - 4 * (a * b + c);  // 8 sqrt(a b c) < twice is asked
  return twice > 0 && 64 * a * b * c < twice * twice;
}

}  // namespace

// A margin of W is 1 or more and changes by at most 2 R ||W|| ||z||; where the query row moves as well, by
// ||W|| (2 R (||z|| + R) + ||dx|| R).
std::unique_ptr<Fact> RobustRadius::check(const Claim& claim) const {
  const Rational& norm_squared =
      claim.cite_as<SeparatingNorm>(from, "feasible, optimal or optimal-enclosure").norm_squared;
  if (radius <= 0) claim.fail("radius", radius, ">", 0);
  const Features& features = *claim.problem.features;
  claim.require(features.instance().setting != Setting::next_token,
                "queries of next-token problems are embeddings, which move as well");
  const Rational moved = radius * radius * norm_squared;
  const Rational by_tokens = 4 * moved * largest_query(features);
  if (features.instance().setting != Setting::self_attention) {
    if (by_tokens >= 1) claim.fail("4 radius^2 times the squares of norm and query", by_tokens, "<", 1);
    return std::make_unique<Fact>();
  }
  claim.require(
      roots_below_one(by_tokens, moved * largest_difference(claim.problem), 4 * moved * radius * radius),
      "a margin may vanish when tokens and queries move by radius");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
