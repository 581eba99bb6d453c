// Claim kinds support, strictly-complementary and not-strictly-complementary (GRAMMAR.md section 4,
// SOUNDNESS.md).
#include <algorithm>

#include "proofs/checker/text/context.hpp"

namespace attest_check {

// The listed constraints are exactly those with margin 1 at W*, as the cited solution has established them.
Check read_support(const Claim& claim, Line& line, CertificateText& text) {
  const std::size_t from = claim.read_citation(line);
  line.expect("size");
  const std::size_t count = line.index();
  line.finish();
  return [&claim, from, support = text.constraints(claim.problem, count)]() mutable {
    const Fact& cited = claim.cite(from);
    const std::vector<Constraint>* proved = nullptr;
    if (const auto* exact = dynamic_cast<const ExactSolution*>(&cited)) proved = &exact->support;
    if (const auto* enclosed = dynamic_cast<const EnclosedSolution*>(&cited))
      proved = &enclosed->centre.vector().at;
    if (proved == nullptr) claim.wrong_kind(cited, "optimal, or optimal-enclosure of form lambda-min");
    const auto [listed, actual] =
        std::mismatch(support.begin(), support.end(), proved->begin(), proved->end());
    if (listed != support.end() || actual != proved->end()) {
      claim.fail("the support differs at entry " + std::to_string(listed - support.begin()) + ": " +
                 (listed == support.end() ? "nothing" : show(*listed)) + " is listed, " +
                 (actual == proved->end() ? "nothing" : show(*actual)) + " is expected");
    }
    auto fact = std::make_unique<SupportFact>();
    fact->solution = &cited;
    fact->support = std::move(support);
    fact->statement.says("from", from, "size", fact->support.size(), "constraints", fact->support);
    return fact;
  };
}

Check read_strictly_complementary(const Claim& claim, Line& line, CertificateText& text) {
  const std::size_t from = claim.read_citation(line);
  line.finish();
  Line evidence = text.next();
  if (evidence.accept("evidence")) {
    evidence.expect("cited");
    evidence.finish();
    return [&claim, from] {
      // An enclosed solution has positive multipliers on all of its support; an exact one where they are
      // listed.
      const auto& support = claim.cite_as<SupportFact>(from, "support");
      const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
      claim.require(exact == nullptr || exact->optimum.vector().at == support.support,
                    "the cited multipliers are not positive on all of the support");
      return proved("from", from);
    };
  }
  return [&claim, from, multipliers = text.vector(evidence, claim.problem, "multipliers")] {
    const auto& support = claim.cite_as<SupportFact>(from, "support");
    const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
    claim.require(exact != nullptr, "multipliers can only be compared with an exact solution");
    claim.require(multipliers.all_positive(), "a multiplier is negative");
    claim.require(multipliers.at == support.support, "the multipliers do not list exactly the support");
    const SpanElement gap(claim.problem, difference(multipliers, exact->optimum.vector()));
    const Rational distance_squared = gap.norm_squared();
    if (distance_squared != 0)
      claim.fail("squared distance of W(multipliers) from W*", distance_squared, "=", 0);
    return proved("from", from);
  };
}

Check read_not_strictly_complementary(const Claim& claim, Line& line, CertificateText& text) {
  const std::size_t from = claim.read_citation(line);
  line.expect("at");
  const Constraint at = read_constraint(line, claim.problem);
  line.finish();
  return [&claim, from, at, vector = text.vector(claim.problem, "direction")]() mutable {
    const auto& support = claim.cite_as<SupportFact>(from, "support");
    const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
    claim.require(exact != nullptr, "the cited support does not rest on an optimal claim");
    const auto found = std::lower_bound(support.support.begin(), support.support.end(), at);
    claim.require(found != support.support.end() && *found == at, show(at) + " is not in the support");
    const SpanElement direction(claim.problem, std::move(vector));
    const std::vector<Integer> entries = direction.margins_at(support.support);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const bool strict = support.support[k] == at;
      if (entries[k] < 0 || (strict && entries[k] == 0)) {
        claim.fail("<Delta, D> at " + show(support.support[k]), fraction(entries[k], direction.scale()),
                   strict ? ">" : ">=", 0);
      }
    }
    const Rational product = direction.inner_product(exact->optimum.vector());
    if (product != 0) claim.fail("<W*, D>", product, "=", 0);
    return proved("from", from, "at", at);
  };
}

}  // namespace attest_check
