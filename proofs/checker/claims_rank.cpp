// Claim kind rank: the rank of the solution matrix W* (GRAMMAR.md section 4, SOUNDNESS.md).
#include <algorithm>

#include "proofs/checker/context.hpp"
#include "proofs/checker/matrix_rank.hpp"
#include "proofs/checker/smallest_eigenvalue.hpp"

namespace attest_check {
namespace {

// The solution a rank claim cites: exactly one of the two is set.
struct Solution {
  const ExactSolution* exact = nullptr;
  const EnclosedSolution* enclosed = nullptr;
  const SpanElement& matrix() const { return exact != nullptr ? exact->optimum : enclosed->centre; }
};

std::uint64_t residue(const Integer& x, std::uint64_t prime) { return mpz_fdiv_ui(x.get_mpz_t(), prime); }

// The rows of the solution matrix's transpose, as integers over column_denominator().
std::vector<std::vector<Integer>> columns_of(const SpanElement& w) {
  std::vector<std::vector<Integer>> columns;
  for (std::size_t b = 0; b < w.problem().features->right_dimension(); ++b) columns.push_back(w.column(b));
  return columns;
}

void check_modular(Claim& claim, Line& line, const Solution& solution, std::size_t rank) {
  const std::uint64_t prime = line.index();
  line.finish();
  claim.require(solution.exact != nullptr, "a modular lower bound needs an optimal claim");
  claim.require(prime >= 3 && prime < (1UL << 31) && is_prime(prime), "the modulus is not a prime from 3 to 2^31");
  claim.require(residue(solution.matrix().column_denominator(), prime) != 0, "the modulus divides a denominator");
  std::vector<std::vector<std::uint64_t>> rows;
  for (const std::vector<Integer>& column : columns_of(solution.matrix())) {
    std::vector<std::uint64_t>& row = rows.emplace_back();
    for (const Integer& x : column) row.push_back(residue(x, prime));
  }
  const std::size_t found = rank_modulo(std::move(rows), prime);
  if (found < rank) claim.fail("rank modulo the prime", Rational(found), ">=", Rational(rank));
}

void check_eigenvalue(Claim& claim, Line& line, const Solution& solution, std::size_t rank) {
  const auto [bound, bits] = line.eigenvalue_bound();
  line.expect("columns");
  const std::size_t count = line.index();
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < count; ++k) {
    columns.push_back(line.index());
    if (columns.back() >= claim.problem.features->right_dimension()) line.bad("no such column");
    if (k > 0 && columns[k] <= columns[k - 1]) line.bad("columns must strictly increase");
  }
  line.finish();
  claim.require(solution.enclosed != nullptr, "an eigenvalue lower bound needs an optimal-enclosure of form lambda-min");
  claim.require(count == rank && count > 0, "the number of columns is not the rank");
  const Rational radius_squared = solution.enclosed->radius * solution.enclosed->radius;
  if (bound <= radius_squared) claim.fail("lambda-min against radius^2", bound, ">", radius_squared);
  GramFactor factor;
  factor.denominator = solution.matrix().column_denominator();
  for (const std::size_t column : columns) {
    factor.index.push_back(factor.rows.size());
    factor.rows.push_back(solution.matrix().column(column));
  }
  std::vector<GramFactor> factors;
  factors.push_back(std::move(factor));
  claim.require(smallest_eigenvalue_at_least(factors, bound, bits),
                "the smallest eigenvalue of the columns' Gram matrix is not proved to be at least " + show(bound));
}

// The rank of W* = sum_i P_i z_i' is at most each of the numbers named here.
void check_upper(Claim& claim, Line& line, const Solution& solution, std::size_t rank) {
  const Features& features = *claim.problem.features;
  const std::vector<Constraint>& listed = solution.matrix().vector().at;
  line.expect("upper");
  const std::string reason = line.word();
  std::vector<std::size_t> groups;
  for (const Constraint& c : listed) {
    if (groups.empty() || groups.back() != c.group) groups.push_back(c.group);
  }
  std::vector<std::vector<Integer>> rows;
  std::size_t limit = 0;
  bool eliminate = true;
  if (reason == "groups" || reason == "left-dimension" || reason == "right-dimension") {
    limit = reason == "groups" ? groups.size() : reason == "left-dimension" ? features.left_dimension()
                                                                            : features.right_dimension();
    eliminate = false;
  } else if (reason == "queries") {
    for (const std::size_t group : groups) {
      std::vector<Integer>& row = rows.emplace_back();
      for (std::size_t b = 0; b < features.right_dimension(); ++b) row.push_back(features.queries().entry(group, b));
    }
  } else if (reason == "tokens") {
    for (const Constraint& c : listed) {
      rows.push_back(features.tokens().difference(features.row(c.group, claim.problem.selection[c.group]),
                                                  features.row(c.group, c.token)));
    }
  } else if (reason == "elimination") {
    claim.require(solution.exact != nullptr, "elimination needs an optimal claim");
    rows = columns_of(solution.matrix());
  } else {
    line.bad("unknown upper bound " + reason);
  }
  line.finish();
  if (!eliminate && limit > rank) claim.fail(reason, Rational(limit), "<=", Rational(rank));
  claim.require(!eliminate || rank_at_most(std::move(rows), rank),
                "the rank of the " + reason + " matrix exceeds " + std::to_string(rank));
}

}  // namespace

std::unique_ptr<Fact> check_rank(Claim& claim) {
  const Fact& cited = claim.cite();
  claim.line.expect("equals");
  const std::size_t rank = claim.line.index();
  claim.line.finish();
  const Solution solution{dynamic_cast<const ExactSolution*>(&cited), dynamic_cast<const EnclosedSolution*>(&cited)};
  if (solution.exact == nullptr && solution.enclosed == nullptr) {
    claim.wrong_kind(cited, "optimal, or optimal-enclosure of form lambda-min");
  }
  Line lower = claim.text.next();
  lower.expect("lower");
  if (lower.accept("none")) {
    lower.finish();
    claim.require(rank == 0, "a positive rank needs a lower bound");
  } else if (lower.accept("modulus")) {
    check_modular(claim, lower, solution, rank);
  } else {
    check_eigenvalue(claim, lower, solution, rank);
  }
  Line upper = claim.text.next();
  check_upper(claim, upper, solution, rank);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
