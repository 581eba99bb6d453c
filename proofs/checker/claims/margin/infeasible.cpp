// No W has all margins >= 1: see claims/margin/infeasible.hpp.
#include "proofs/checker/claims/margin/infeasible.hpp"

#include <algorithm>

#include "proofs/checker/base/matrix_rank.hpp"
#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {

// Gordan: a non-negative combination of the Delta_c that vanishes, rows >= 1 among them. ||W|| = 0 is checked
// as sum_c x_c m_c(W) = 0.
void require_conflict(const Claim& claim, const ConstraintVector& farkas) {
  const SpanElement w(claim.problem, farkas);
  claim.require(w.vector().size() > 0, "the vector is empty");
  claim.require(w.vector().all_positive(claim.problem), "a numerator is negative");
  claim.require(w.vector().total(claim.problem) > 0, "no row of the vector asks for 1");
  const Rational norm_squared = w.norm_squared();
  if (norm_squared != 0) claim.fail("squared norm of the combination", norm_squared, "=", 0);
}

namespace {

void check_form(const Claim& claim, const FarkasEvidence& evidence) {
  require_conflict(claim, evidence.farkas);
}

// Rank of rows by that of sum of row row', which is the same over the reals and has few columns.
class RowRank {
 public:
  explicit RowRank(std::size_t columns) : sum_(columns, std::vector<Integer>(columns)) {}

  void add(const std::vector<Integer>& row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      for (std::size_t k = 0; k <= j; ++k)
        mpz_addmul(sum_[j][k].get_mpz_t(), row[j].get_mpz_t(), row[k].get_mpz_t());
    }
  }
  // The least bound that elimination confirms.
  std::size_t rank() {
    for (std::size_t j = 0; j < sum_.size(); ++j) {
      for (std::size_t k = 0; k < j; ++k) sum_[k][j] = sum_[j][k];
    }
    std::size_t low = 0, high = sum_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (rank_at_most(sum_, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

 private:
  std::vector<std::vector<Integer>> sum_;
};

// At least the dimension of the span of the constraints' Delta_c = dx z': the ranks of the dx and of the z,
// multiplied. The trivial bounds of the ranks where they do, elimination else.
bool spans_at_most(const Claim& claim, const std::vector<Constraint>& listed, std::size_t dimension) {
  const Features& features = *claim.problem.features;
  std::vector<std::size_t> groups;
  for (const Constraint& c : listed) {
    if (groups.empty() || groups.back() != c.group) groups.push_back(c.group);
  }
  const std::size_t tokens = std::min(features.left_dimension(), listed.size());
  const std::size_t queries = std::min(features.right_dimension(), groups.size());
  if (tokens * queries <= dimension) return true;
  RowRank token_rank(features.left_dimension()), query_rank(features.right_dimension());
  for (const Constraint& c : listed) token_rank.add(claim.problem.difference(c));
  for (const std::size_t group : groups) query_rank.add(features.queries().row(group));
  return token_rank.rank() * query_rank.rank() <= dimension;
}

// With r = W(x): the Delta_c of B span, so r = -sum_B d_c Delta_c with ||d|| <= ||r|| / sqrt(S) < least x_c
// of B, equalities apart, and x + d is a combination that vanishes, positive at every inequality of x: one of
// them asks for 1.
void check_form(const Claim& claim, const SpanningEvidence& evidence) {
  const SpanElement w(claim.problem, evidence.combination);
  const ConstraintVector& x = w.vector();
  const std::vector<Constraint>& spanning = evidence.spanning;
  const auto& [bound, bits] = evidence.eigenvalue;
  claim.require(x.all_positive(claim.problem), "a numerator is negative");
  claim.require(!spanning.empty(), "no spanning constraints are listed");
  claim.require(bound > 0, "the bound of the smallest eigenvalue is not positive");
  Integer least = 0;
  std::size_t k = 0;
  for (const Constraint& c : spanning) {
    while (k < x.size() && x.at[k] < c) ++k;
    claim.require(k < x.size() && x.at[k] == c,
                  show(c) + " is listed as spanning and is not in the combination");
    if (claim.problem.sense(c) == Sense::equal_to_zero) continue;
    if (least == 0 || x.numerator[k] < least) least = x.numerator[k];
  }
  claim.require(x.total(claim.problem) > 0, "no row of the combination asks for 1");
  const Rational norm_squared = w.norm_squared();
  const Rational least_squared = fraction(least * least, x.denominator * x.denominator);
  if (norm_squared >= bound * least_squared) {
    claim.fail("squared norm of the combination", norm_squared, "<", bound * least_squared);
  }
  claim.require(spans_at_most(claim, x.at, spanning.size()),
                std::to_string(spanning.size()) + " constraints need not span the combination's");
  claim.require(
      smallest_eigenvalue_at_least(constraint_gram(claim.problem, spanning), bound, bits),
      "the smallest eigenvalue of the Gram matrix of the spanning constraints is not proved to be at least " +
          show(bound) + " with " + std::to_string(bits) + " bits");
}

}  // namespace

void Infeasible::read(Reader& in) {
  in.next();
  Line ahead = in.line();
  ahead.expect("vector");
  if (ahead.peek() != "combination") {
    form = FarkasEvidence{in.rest_of_vector("farkas")};
    return;
  }
  SpanningEvidence& evidence = form.emplace<SpanningEvidence>();
  evidence.combination = in.rest_of_vector("combination");
  std::size_t bits = 0, count = 0;
  in.next("spanning", evidence.eigenvalue.bound, "bits", bits, count);
  if (bits < 29 || bits > 4096) in.bad("bits must be from 29 to 4096");
  evidence.eigenvalue.bits = static_cast<unsigned>(bits);
  evidence.spanning = in.constraints(count);
}

std::unique_ptr<Fact> Infeasible::check(const Claim& claim) const {
  std::visit([&](const auto& evidence) { check_form(claim, evidence); }, form);
  return std::make_unique<InfeasibleFact>();
}

}  // namespace attest_check
