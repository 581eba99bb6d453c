// All solutions in the norms l1 and linf: see claims/norms/face.hpp.
#include "proofs/checker/claims/norms/face.hpp"

#include <algorithm>

#include "proofs/checker/base/matrix_rank.hpp"

namespace attest_check {
namespace {

// The entries, by rows, in which solutions may differ: all others are 0 at every solution (l1), or of largest
// magnitude (linf).
std::vector<std::size_t> free_entries(const Problem& problem, const NormOptimum& optimum) {
  const ExactMatrix dual = dual_matrix(SpanElement(problem, optimum.multipliers));
  const Rational& bound = optimum.dual_bound;
  const Integer most = bound.get_num() * dual.denominator;
  std::vector<std::size_t> result;
  for (std::size_t row = 0; row < dual.columns; ++row) {
    for (std::size_t column = 0; column < dual.rows; ++column) {
      const Integer& entry = dual.numerator[column * dual.columns + row];
      const bool free =
          optimum.norm.kind == Norm::Kind::one ? abs(entry) * bound.get_den() >= most : entry == 0;
      if (free) result.push_back(row * dual.rows + column);
    }
  }
  return result;
}

// Delta_c at these entries, times the denominators of tokens and queries, modulo the prime.
std::vector<std::uint64_t> residues(const Problem& problem, const Constraint& c,
                                    const std::vector<std::size_t>& entries, std::uint64_t prime) {
  const std::vector<Integer> token = problem.difference(c);
  const std::vector<Integer>& query = problem.features->queries().row(c.group);
  std::vector<std::uint64_t> result;
  for (const std::size_t entry : entries) {
    const Integer &left = token[entry / query.size()], &right = query[entry % query.size()];
    result.push_back(mpz_fdiv_ui(left.get_mpz_t(), prime) * mpz_fdiv_ui(right.get_mpz_t(), prime) % prime);
  }
  return result;
}

bool differ(const ExactMatrix& a, const ExactMatrix& b, std::size_t entry) {
  return a.numerator[entry] * b.denominator != b.numerator[entry] * a.denominator;
}

}  // namespace

void NormFace::read(Reader& in) {
  norm.read(in);
  if (norm.kind != Norm::Kind::one && norm.kind != Norm::Kind::infinity)
    in.bad("only of the norms l1 and linf");
  std::size_t count = 0;
  in("from", from, "dimension", at_least, at_most, "size", count);
  if (at_least > at_most) in.bad("no such dimension");
  listed = in.constraints(count);
  const std::size_t rows = in.features().left_dimension(), columns = in.features().right_dimension();
  in.next("modulus", modulus);
  for (std::size_t k = 0; k < at_most; ++k) {
    std::size_t row = 0, column = 0;
    in.next(row, column);
    if (row >= rows || column >= columns) in.bad("no such entry");
    const std::size_t entry = row * columns + column;
    if (k > 0 && entry <= entries.back()) in.bad("entries must strictly increase");
    entries.push_back(entry);
  }
  for (std::size_t l = 0; l < at_least; ++l) others.push_back(read_matrix(in, "other", rows, columns));
}

std::unique_ptr<Fact> NormFace::check(const Claim& claim) const {
  const NormOptimum& optimum = cited_optimum(claim, norm, from);
  claim.require(optimum.lo == optimum.hi, "the claim cited says no exact value of the least norm");
  claim.require(modulus >= 3 && modulus < (1UL << 31) && is_prime(modulus),
                "the modulus is not a prime from 3 to 2^31");
  require_tight(claim, optimum);
  require_determined(claim, optimum);
  require_others(claim, optimum);
  return std::make_unique<Fact>();
}

void NormFace::require_tight(const Claim& claim, const NormOptimum& optimum) const {
  const std::vector<Constraint>& known = optimum.multipliers.at;
  const Integer scale = optimum.primal.scale(claim.problem);
  for (const Constraint& c : listed) {
    if (std::binary_search(known.begin(), known.end(), c)) continue;
    claim.require(at_most == 0, "no multiplier at " + show(c) + ", and there may be several solutions");
    const Integer margin = optimum.primal.margins(claim.problem, c.group)[c.token];
    if (margin != scale) claim.fail("margin at " + show(c), fraction(margin, scale), "=", 1);
  }
}

// What two solutions differ by is 0 but at free entries, and the constraints with multipliers have margin 0
// at it: if it is 0 at the listed entries, it is 0.
void NormFace::require_determined(const Claim& claim, const NormOptimum& optimum) const {
  std::vector<std::size_t> rest;
  for (const std::size_t entry : free_entries(claim.problem, optimum))
    if (!std::binary_search(entries.begin(), entries.end(), entry)) rest.push_back(entry);
  const std::string what = "rank modulo the prime of the rows with multipliers, at the other free entries";
  if (optimum.multipliers.size() < rest.size())
    claim.fail(what, Rational(optimum.multipliers.size()), ">=", Rational(rest.size()));
  std::vector<std::vector<std::uint64_t>> rows;
  for (const Constraint& c : optimum.multipliers.at)
    rows.push_back(residues(claim.problem, c, rest, modulus));
  const std::size_t found = rank_modulo(std::move(rows), modulus);
  if (found < rest.size()) claim.fail(what, Rational(found), ">=", Rational(rest.size()));
}

void NormFace::require_others(const Claim& claim, const NormOptimum& optimum) const {
  const ExactMatrix& first = optimum.primal.left;
  std::vector<std::size_t> different(first.numerator.size());  // how many are so, by entries
  for (const ExactMatrix& other : others)
    for (std::size_t j = 0; j < different.size(); ++j) different[j] += differ(first, other, j) ? 1 : 0;
  for (std::size_t l = 0; l < others.size(); ++l) {
    const std::string which = "matrix " + std::to_string(l + 1) + " of the others";
    const GivenMatrix other{others[l], {}};
    require_margins(claim, other, " of " + which);
    claim.require(norm.at_most(other, optimum.hi, 0), "the norm of " + which + " is not the least");
    bool alone = false;
    for (std::size_t j = 0; j < different.size(); ++j)
      alone = alone || (different[j] == 1 && differ(first, others[l], j));
    claim.require(alone, which + " differs from the first solution nowhere alone");
  }
}

void NormFace::describe(const Claim&, Statement& say) const {
  say(norm, "from", from, "dimension", at_least, at_most, "size", listed.size(), "constraints", listed);
}

}  // namespace attest_check
