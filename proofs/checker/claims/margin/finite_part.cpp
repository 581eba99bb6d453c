// The finite part of selected sets: see claims/margin/finite_part.hpp.
#include "proofs/checker/claims/margin/finite_part.hpp"

#include <algorithm>

#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {
namespace {

// Rejects unless sum_c x_c Delta_c = 0.
void require_vanishing(const Claim& claim, const ConstraintVector& x) {
  const Rational norm_squared = SpanElement(claim.problem, x).norm_squared();
  if (norm_squared != 0) claim.fail("squared norm of the combination", norm_squared, "=", 0);
}

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

bool lists(const std::vector<Constraint>& increasing, const Constraint& c) {
  return std::binary_search(increasing.begin(), increasing.end(), c);
}

// An equation that is not spanning is a combination of spanning ones, and so is its logarithm.
void require_dependent(const Claim& claim, const FinitePart& part, const Constraint& c,
                       const ConstraintVector& x) {
  claim.require(lists(x.at, c), show(c) + " is neither spanning nor in its combination");
  std::vector<Integer> sum(part.bases.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    claim.require(x.at[k] == c || lists(part.spanning, x.at[k]),
                  show(x.at[k]) + " is in the combination of " + show(c) + " and is not spanning");
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

// With l the logarithms, G the Gram matrix of the spanning equations and x the coefficients: r = l - G x is
// so short that W_fin is within the radius of W(x), and 2 l'x - x'Gx is at most ||W_fin||^2, and less by at
// most radius^2.
void require_near(const Claim& claim, const FinitePart& part) {
  const unsigned bits = part.ratios.bits;
  const SpanElement w(claim.problem, part.coefficients);
  const ConstraintVector& x = w.vector();
  const std::vector<Integer> margins = w.margins_at(part.spanning);
  const Rational squared = part.radius * part.radius;
  Interval residual, dual;  // ||r||^2 and l'x
  std::size_t k = 0;
  for (std::size_t j = 0; j < part.spanning.size(); ++j) {
    const Interval logarithm = part.ratios.logarithm_of(part.spanning[j]);
    const Interval missing = logarithm - Interval(fraction(margins[j], w.scale()), bits);
    residual += missing * missing;
    if (k < x.size() && x.at[k] == part.spanning[j])
      dual += logarithm * Interval(fraction(x.numerator[k++], x.denominator), bits);
  }
  claim.require(k == x.size(), "a coefficient is at a constraint that is not spanning");
  claim.require_at_most(residual.upper(), squared * part.eigenvalue.bound,
                        "sum of squared residuals against radius^2 S");
  const Interval lower = Interval(2) * dual - Interval(w.norm_squared(), bits);
  claim.require_at_most(part.lo, lower.lower(), "lower bound of norm-squared against the dual value");
  claim.require_at_most(lower.upper() + squared, part.hi,
                        "dual value plus radius^2 against the upper bound of norm-squared");
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
  words(in, *this);
  ratios.read(in);
  std::size_t bits = 0, count = 0;
  in.next("spanning", eigenvalue.bound, "bits", bits, count);
  if (bits < 29 || bits > 4096) in.bad("bits must be from 29 to 4096");
  if (count > ratios.at.size()) in.bad("more spanning constraints than ratios");
  eigenvalue.bits = static_cast<unsigned>(bits);
  spanning = in.constraints(count);
  coefficients = in.vector("coefficients");
  in.next("bases", count);
  for (std::size_t k = 0; k < count; ++k) in(bases.emplace_back());
  for (std::size_t k = spanning.size(); k < ratios.at.size(); ++k)
    combinations.push_back(in.vector("combination"));
}

std::unique_ptr<Fact> FinitePart::check(const Claim& claim) const {
  ratios.require_complete(claim);
  claim.require(radius >= 0, "the radius is negative");
  claim.require(!spanning.empty(), "no spanning constraints are listed");
  claim.require(eigenvalue.bound > 0, "the bound of the smallest eigenvalue is not positive");
  for (const Constraint& c : spanning)
    claim.require(lists(ratios.at, c), show(c) + " is listed as spanning and is not a constraint = 0");
  for (const Integer& base : bases) claim.require(base >= 2, "a base is below 2");
  auto combination = combinations.begin();
  for (const Constraint& c : ratios.at) {
    if (!lists(spanning, c)) require_dependent(claim, *this, c, *combination++);
  }
  try {
    require_near(claim, *this);
  } catch (const Imprecise&) {
    claim.fail("the logarithm of a ratio needs more bits");
  }
  claim.require(
      smallest_eigenvalue_at_least(constraint_gram(claim.problem, spanning), eigenvalue.bound,
                                   eigenvalue.bits),
      "the smallest eigenvalue of the Gram matrix of the spanning constraints is not proved to be at least " +
          show(eigenvalue.bound) + " with " + std::to_string(eigenvalue.bits) + " bits");
  return std::make_unique<Fact>();
}

void FinitePart::describe(const Claim&, Statement& say) const {
  words(say, *this);
  say("coefficients", hash_words(coefficients));
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
