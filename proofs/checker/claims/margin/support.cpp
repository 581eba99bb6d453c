// The solution's support: see claims/margin/support.hpp.
#include "proofs/checker/claims/margin/support.hpp"

#include <algorithm>

namespace attest_check {

void Support::read(Reader& in) {
  std::size_t count = 0;
  in("from", from, "size", count);
  support = in.constraints(count);
}

void Support::describe(const Claim&, Statement& say) const {
  say("from", from, "size", support.size(), "constraints", support);
}

std::unique_ptr<Fact> Support::check(const Claim& claim) const {
  const auto& cited = claim.cite_as<SupportedSolution>(from, supported_kinds);
  const std::vector<Constraint>& proved = cited.support;
  const auto [listed, actual] = std::mismatch(support.begin(), support.end(), proved.begin(), proved.end());
  if (listed != support.end() || actual != proved.end()) {
    claim.fail("the support differs at entry " + std::to_string(listed - support.begin()) + ": " +
               (listed == support.end() ? "nothing" : show(*listed)) + " is listed, " +
               (actual == proved.end() ? "nothing" : show(*actual)) + " is expected");
  }
  auto fact = std::make_unique<SupportFact>();
  fact->solution = &cited;
  fact->support = support;
  return fact;
}

void StrictlyComplementary::read(Reader& in) {
  words(in, *this);
  in.next();
  if (in.accept("evidence")) {
    in("cited");
  } else {
    multipliers = in.rest_of_vector("multipliers");
  }
}

void require_multipliers(const Claim& claim, const ExactSolution& exact,
                         const ConstraintVector& multipliers) {
  claim.require(multipliers.all_positive(claim.problem), "a multiplier is negative");
  const SpanElement w(claim.problem, multipliers);
  const Rational distance_squared =
      w.norm_squared() - 2 * exact.centre.inner_product(multipliers) + exact.centre.norm_squared();
  if (distance_squared != 0)
    claim.fail("squared distance of W(multipliers) from W*", distance_squared, "=", 0);
}

std::unique_ptr<Fact> StrictlyComplementary::check(const Claim& claim) const {
  const auto& support = claim.cite_as<SupportFact>(from, "support");
  const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
  if (!multipliers) {
    // An enclosed solution has positive multipliers on all of its support; an exact one where they are
    // listed.
    claim.require(exact == nullptr || exact->centre.vector().inequalities(claim.problem) == support.support,
                  "the cited multipliers are not positive on all of the support");
    return std::make_unique<Fact>();
  }
  claim.require(exact != nullptr, "multipliers can only be compared with an exact solution");
  claim.require(multipliers->inequalities(claim.problem) == support.support,
                "the multipliers do not list exactly the support");
  require_multipliers(claim, *exact, *multipliers);
  return std::make_unique<Fact>();
}

std::unique_ptr<Fact> NotStrictlyComplementary::check(const Claim& claim) const {
  const auto& support = claim.cite_as<SupportFact>(from, "support");
  const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
  claim.require(exact != nullptr, "the cited support does not rest on an optimal claim");
  const auto found = std::lower_bound(support.support.begin(), support.support.end(), at);
  claim.require(found != support.support.end() && *found == at, show(at) + " is not in the support");
  const SpanElement d(claim.problem, direction);
  const std::vector<Integer> entries = d.margins_at(support.support);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool strict = support.support[k] == at;
    if (entries[k] < 0 || (strict && entries[k] == 0)) {
      claim.fail("<Delta, D> at " + show(support.support[k]), fraction(entries[k], d.scale()),
                 strict ? ">" : ">=", 0);
    }
  }
  if (!claim.problem.sets.empty()) {
    for_each_margin(d, [&](const Constraint& c, const Integer& entry) {
      if (claim.problem.sense(c) == Sense::equal_to_zero && entry != 0)
        claim.fail("<Delta, D> at " + show(c), fraction(entry, d.scale()), "=", 0);
    });
  }
  const Rational product = d.inner_product(exact->centre.vector());
  if (product != 0) claim.fail("<W*, D>", product, "=", 0);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
