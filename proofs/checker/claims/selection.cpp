// Claim kinds about the selection's optimality: locally-optimal, not-locally-optimal, globally-optimal,
// not-globally-optimal and score-tie (GRAMMAR.md section 4, SOUNDNESS.md).
#include <algorithm>

#include "proofs/checker/text/context.hpp"

namespace attest_check {
namespace {

Rational selected_score(const Problem& problem, std::size_t group) {
  return problem.features->exact_score(group, problem.selection[group]);
}

[[noreturn]] void fail_gap(const Claim& claim, const Constraint& c, const char* relation) {
  claim.fail("score of the selected token against that of " + show(c), selected_score(claim.problem, c.group),
             relation, claim.problem.features->exact_score(c.group, c.token));
}

// Constraints with non-positive score gap must be certainly off the support: margin above 1 at every point
// within the proved distance of the centre.
void require_gaps_off_support(const Claim& claim, const SpanElement& centre,
                              const Rational& distance_squared) {
  const Problem& problem = claim.problem;
  std::vector<Constraint> suspects;
  for (std::size_t group = 0; group < problem.features->groups(); ++group) {
    for (std::size_t t = 0; t < problem.features->tokens_of(group); ++t) {
      const Constraint c{group, t};
      if (t != problem.selection[group] && problem.gap_sign(c) <= 0) suspects.push_back(c);
    }
  }
  const std::vector<Integer> margins = centre.margins_at(suspects);
  for (std::size_t k = 0; k < suspects.size(); ++k) {
    if (!margin_exceeds_one_nearby(centre, suspects[k], margins[k], distance_squared)) {
      claim.fail(
          "margin at " + show(suspects[k]) + ", whose score gap is not positive, is not proved to exceed 1",
          fraction(margins[k], centre.scale()), ">", 1);
    }
  }
}

}  // namespace

Check read_locally_optimal(const Claim& claim, Line& line, CertificateText&) {
  const std::size_t from = claim.read_citation(line);
  line.finish();
  return [&claim, from] {
    const Fact& cited = claim.cite(from);
    if (const auto* support = dynamic_cast<const SupportFact*>(&cited)) {
      for (const Constraint& c : support->support) {
        if (claim.problem.gap_sign(c) <= 0) fail_gap(claim, c, ">");
      }
    } else if (const auto* gap = dynamic_cast<const GapSolution*>(&cited)) {
      require_gaps_off_support(claim, gap->centre, gap->distance_squared);
    } else if (const auto* enclosed = dynamic_cast<const EnclosedSolution*>(&cited)) {
      require_gaps_off_support(claim, enclosed->centre, enclosed->radius * enclosed->radius);
    } else {
      claim.wrong_kind(cited, "support or optimal-enclosure");
    }
    return proved("from", from);
  };
}

Check read_not_locally_optimal(const Claim& claim, Line& line, CertificateText&) {
  const std::size_t from = claim.read_citation(line);
  if (!line.accept("at")) {
    line.finish();
    return [&claim, from] {
      claim.cite_as<InfeasibleFact>(from, "infeasible (without a witness)");
      return proved("from", from);
    };
  }
  const Constraint at = read_constraint(line, claim.problem);
  line.finish();
  return [&claim, from, at] {
    const auto& support = claim.cite_as<SupportFact>(from, "support (with a witness)").support;
    claim.require(std::binary_search(support.begin(), support.end(), at),
                  show(at) + " is not in the support");
    if (claim.problem.gap_sign(at) > 0) fail_gap(claim, at, "<=");
    return proved("from", from, "at", at);
  };
}

Check read_globally_optimal(const Claim& claim, Line& line, CertificateText&) {
  line.finish();
  return [&claim] {
    for (std::size_t group = 0; group < claim.problem.features->groups(); ++group) {
      for (std::size_t t = 0; t < claim.problem.features->tokens_of(group); ++t) {
        const Constraint c{group, t};
        if (t != claim.problem.selection[group] && claim.problem.gap_sign(c) <= 0) fail_gap(claim, c, ">");
      }
    }
    return proved();
  };
}

Check read_not_globally_optimal(const Claim& claim, Line& line, CertificateText&) {
  line.expect("at");
  const Constraint at = read_constraint(line, claim.problem);
  line.finish();
  return [&claim, at] {
    if (claim.problem.gap_sign(at) > 0) fail_gap(claim, at, "<=");
    return proved("at", at);
  };
}

Check read_score_tie(const Claim& claim, Line& line, CertificateText&) {
  const Features& features = *claim.problem.features;
  line.expect("group");
  const std::size_t group = line.index();
  line.expect("tokens");
  const std::size_t first = line.index();
  const std::size_t second = line.index();
  line.finish();
  if (group >= features.groups() || second >= features.tokens_of(group) || first >= second) {
    line.bad("not two increasing tokens of a group");
  }
  return [&claim, &features, group, first, second] {
    if (features.score(group, first) != features.score(group, second)) {
      claim.fail("scores of the two tokens", features.exact_score(group, first), "=",
                 features.exact_score(group, second));
    }
    for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
      if (features.score(group, t) > features.score(group, first)) {
        claim.fail("score of token " + std::to_string(t) + " of the group", features.exact_score(group, t),
                   "<=", features.exact_score(group, first));
      }
    }
    return proved("group", group, "tokens", first, second);
  };
}

}  // namespace attest_check
