// The rank of the solution matrix: see claims/margin/rank.hpp.
#include "proofs/checker/claims/margin/rank.hpp"

#include "proofs/checker/base/matrix_rank.hpp"
#include "proofs/checker/base/smallest_eigenvalue.hpp"

namespace attest_check {
namespace {

bool is_exact(const SupportedSolution& solution) {
  return dynamic_cast<const ExactSolution*>(&solution) != nullptr;
}

// The rows of the solution matrix's transpose, as integers over column_denominator().
std::vector<std::vector<Integer>> columns_of(const SpanElement& w) {
  std::vector<std::vector<Integer>> columns;
  for (std::size_t b = 0; b < w.problem().features->right_dimension(); ++b) columns.push_back(w.column(b));
  return columns;
}

void check_modular(const Claim& claim, std::uint64_t prime, const SupportedSolution& solution,
                   std::size_t rank) {
  claim.require(is_exact(solution), "a modular lower bound needs an optimal claim");
  claim.require(prime >= 3 && prime < (1UL << 31) && is_prime(prime),
                "the modulus is not a prime from 3 to 2^31");
  // Of integers: whatever their denominator, a minor that does not vanish modulo the prime does not vanish.
  std::vector<std::vector<std::uint64_t>> rows;
  for (const std::vector<Integer>& column : columns_of(solution.centre)) {
    std::vector<std::uint64_t>& row = rows.emplace_back();
    for (const Integer& x : column) row.push_back(mpz_fdiv_ui(x.get_mpz_t(), prime));
  }
  const std::size_t found = rank_modulo(std::move(rows), prime);
  if (found < rank) claim.fail("rank modulo the prime", Rational(found), ">=", Rational(rank));
}

void check_eigenvalue(const Claim& claim, const ColumnEvidence& lower, const SupportedSolution& solution,
                      std::size_t rank) {
  const auto* enclosed = dynamic_cast<const EnclosedSolution*>(&solution);
  claim.require(enclosed != nullptr,
                "an eigenvalue lower bound needs an optimal-enclosure of form lambda-min");
  claim.require(lower.columns.size() == rank && rank > 0, "the number of columns is not the rank");
  const auto& [bound, bits] = lower.eigenvalue;
  const Rational radius_squared = enclosed->radius * enclosed->radius;
  if (bound <= radius_squared) claim.fail("lambda-min against radius^2", bound, ">", radius_squared);
  std::vector<GramFactor> factors(1);
  GramFactor& factor = factors.front();
  factor.denominator = solution.centre.column_denominator();
  for (const std::size_t column : lower.columns) {
    factor.index.push_back(factor.rows.size());
    factor.rows.push_back(solution.centre.column(column));
  }
  claim.require(
      smallest_eigenvalue_at_least(factors, bound, bits),
      "the smallest eigenvalue of the columns' Gram matrix is not proved to be at least " + show(bound));
}

// The rank of W* = sum_i P_i z_i' is at most each of the numbers named here.
void check_upper(const Claim& claim, RankReason why, const SupportedSolution& solution, std::size_t rank) {
  const Features& features = *claim.problem.features;
  const std::vector<std::size_t>& groups = solution.centre.groups();
  const std::string reason(rank_reasons[static_cast<std::size_t>(why)]);
  const auto at_most_rank = [&](std::size_t limit) {
    if (limit > rank) claim.fail(reason, Rational(limit), "<=", Rational(rank));
  };
  if (why == RankReason::groups) return at_most_rank(groups.size());
  if (why == RankReason::left_dimension) return at_most_rank(features.left_dimension());
  if (why == RankReason::right_dimension) return at_most_rank(features.right_dimension());
  std::vector<std::vector<Integer>> rows;
  if (why == RankReason::queries) {
    for (const std::size_t group : groups) rows.push_back(features.queries().row(group));
  } else if (why == RankReason::tokens) {
    for (const Constraint& c : solution.centre.vector().at) rows.push_back(claim.problem.difference(c));
  } else {
    claim.require(is_exact(solution), "elimination needs an optimal claim");
    rows = columns_of(solution.centre);
  }
  claim.require(rank_at_most(std::move(rows), rank),
                "the rank of the " + reason + " matrix exceeds " + std::to_string(rank));
}

// "lambda-min S bits B columns count …", after the word lower.
void read_columns(Reader& in, ColumnEvidence& lower) {
  std::size_t count = 0;
  in(lower.eigenvalue, "columns", count);
  while (!in.line().at_end()) {
    in(lower.columns.emplace_back());
    if (lower.columns.back() >= in.features().right_dimension()) in.bad("no such column");
    if (lower.columns.size() > 1 && lower.columns.back() <= lower.columns[lower.columns.size() - 2]) {
      in.bad("columns must strictly increase");
    }
  }
  if (lower.columns.size() != count) in.bad("the count is not the number of columns");
}

}  // namespace

void RankOfSolution::read(Reader& in) {
  words(in, *this);
  in.next("lower");
  if (in.accept("modulus")) {
    in(lower.emplace<Prime>().value);
  } else if (!in.accept("none")) {
    read_columns(in, lower.emplace<ColumnEvidence>());
  }
  in.next("upper");
  in.named(rank_reasons, reason, "upper bound");
}

std::unique_ptr<Fact> RankOfSolution::check(const Claim& claim) const {
  const auto& solution = claim.cite_as<SupportedSolution>(from, supported_kinds);
  if (const auto* prime = std::get_if<Prime>(&lower)) {
    check_modular(claim, prime->value, solution, rank);
  } else if (const auto* columns = std::get_if<ColumnEvidence>(&lower)) {
    check_eigenvalue(claim, *columns, solution, rank);
  } else {
    claim.require(rank == 0, "a positive rank needs a lower bound");
  }
  check_upper(claim, reason, solution, rank);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
