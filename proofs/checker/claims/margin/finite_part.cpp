// The finite part of selected sets: see claims/margin/finite_part.hpp.
#include "proofs/checker/claims/margin/finite_part.hpp"

#include <algorithm>

namespace attest_check {
namespace {

// The e_k with ratio = prod_k bases[k]^e_k; rejects where dividing by each as often as it goes leaves another
// number than 1.
std::vector<Integer> exponents(const Claim& claim, const Rational& ratio, const std::vector<Integer>& bases) {
  Integer above = ratio.get_num(), below = ratio.get_den();
  std::vector<Integer> found;
  for (const Integer& base : bases) {
    const std::size_t more = mpz_remove(above.get_mpz_t(), above.get_mpz_t(), base.get_mpz_t());
    const std::size_t less = mpz_remove(below.get_mpz_t(), below.get_mpz_t(), base.get_mpz_t());
    found.push_back(Integer(more) - Integer(less));
  }
  claim.require(above == 1 && below == 1,
                "ratio " + show(ratio) + " is not a product of powers of the bases");
  return found;
}

// An equation that is not spanning is a combination of spanning ones, and so is its logarithm.
void require_dependent(const Claim& claim, const FinitePart& part, const Constraint& c,
                       const ConstraintVector& x) {
  require_on_spanning(claim, part.part, c, x);
  std::vector<Integer> sum(part.bases.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::vector<Integer> powers = exponents(claim, part.ratios.of(x.at[k]), part.bases);
    for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += x.numerator[k] * powers[b];
  }
  for (std::size_t b = 0; b < sum.size(); ++b) {
    if (sum[b] != 0)
      claim.fail(
          "exponent of " + show(Rational(part.bases[b])) + " in the ratios of the combination of " + show(c),
          sum[b], "=", 0);
  }
  require_vanishing(claim, x);
}

}  // namespace

void Ratios::read(Reader& in) {
  std::size_t count = 0, width = 0;
  in.next("ratios", count, "bits", width);
  if (width < 64 || width > 4096) in.bad("bits must be from 64 to 4096");
  bits = static_cast<unsigned>(width);
  for (std::size_t k = 0; k < count; ++k) {
    in.next(at.emplace_back(), value.emplace_back());
    if (k > 0 && !(at[k - 1] < at[k])) in.bad("constraints must strictly increase");
  }
}

void Ratios::require_complete(const Claim& claim) const {
  claim.require(!at.empty(), "no ratios are given");
  std::size_t k = 0;
  for_each_constraint(claim.problem, [&](const Constraint& c) {
    const bool given = k < at.size() && at[k] == c;
    const bool asked = claim.problem.sense(c) == Sense::equal_to_zero;
    claim.require(given == asked, show(c) + (asked ? " is a constraint = 0 and has no ratio"
                                                   : " is not a constraint = 0 and has a ratio"));
    if (given && value[k++] <= 0) claim.fail("ratio at " + show(c), value[k - 1], ">", 0);
  });
}

const Rational& Ratios::of(const Constraint& c) const {
  return value[static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), c) - at.begin())];
}

Interval Ratios::logarithm_of(const Constraint& c) const {
  return logarithm(Interval(of(c), bits));
}

void Ratios::describe(Statement& say) const {
  say("ratios");
  for (std::size_t k = 0; k < at.size(); ++k) say(at[k], value[k]);
}

void FinitePart::read(Reader& in) {
  in(part);
  ratios.read(in);
  part.read_spanning(in, ratios.at.size(), "ratios");
  std::size_t count = 0;
  in.next("bases", count);
  for (std::size_t k = 0; k < count; ++k) in(bases.emplace_back());
  for (std::size_t k = part.spanning.size(); k < ratios.at.size(); ++k)
    combinations.push_back(in.vector("combination"));
}

std::unique_ptr<Fact> FinitePart::check(const Claim& claim) const {
  ratios.require_complete(claim);
  part.require_form(claim, ratios.at);
  for (const Integer& base : bases) claim.require(base >= 2, "a base is below 2");
  auto combination = combinations.begin();
  for (const Constraint& c : ratios.at) {
    if (!part.spans(c)) require_dependent(claim, *this, c, *combination++);
  }
  try {
    part.require_near(
        claim, [&](const Constraint& c) { return ratios.logarithm_of(c); }, ratios.bits);
  } catch (const Imprecise&) {
    claim.fail("the logarithm of a ratio needs more bits");
  }
  part.require_eigenvalue(claim);
  return std::make_unique<Fact>();
}

void FinitePart::describe(const Claim&, Statement& say) const {
  say(part, "coefficients", hash_words(part.coefficients));
  ratios.describe(say);
}

void NoFinitePart::read(Reader& in) {
  ratios.read(in);
  combination = in.vector("combination");
}

// For every W, sum_c x_c <Delta_c, W> = 0; the logarithms would have to add up to the same.
std::unique_ptr<Fact> NoFinitePart::check(const Claim& claim) const {
  ratios.require_complete(claim);
  for (const Constraint& c : combination.at)
    claim.require(lists(ratios.at, c), show(c) + " is in the combination and is not a constraint = 0");
  require_vanishing(claim, combination);
  Interval excess;
  try {
    for (std::size_t k = 0; k < combination.size(); ++k)
      excess += ratios.logarithm_of(combination.at[k]) * Interval(combination.numerator[k], ratios.bits);
  } catch (const Imprecise&) {
    claim.fail("the logarithm of a ratio needs more bits");
  }
  claim.require(excess.positive() || excess.negative(),
                "the logarithms of the ratios are not proved to disagree with the combination");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
