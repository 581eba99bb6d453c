// The selection's optimality: see claims/margin/selection.hpp.
#include "proofs/checker/claims/margin/selection.hpp"

#include <algorithm>

namespace attest_check {
namespace {

[[noreturn]] void fail_gap(const Claim& claim, const Constraint& c, const char* relation) {
  const Features& features = *claim.problem.features;
  const MarginRow row = claim.problem.row(c);
  if (features.outputs() != nullptr)
    claim.fail("sign of the gap at " + show(c), Rational(claim.problem.gap_sign(c)), relation, 0);
  claim.fail("score of the selected token against that of " + show(c),
             features.exact_score(row.group, row.winner), relation,
             features.exact_score(row.group, row.loser));
}

// The constraints whose score gap is not positive.
std::vector<Constraint> without_gap(const Problem& problem) {
  std::vector<Constraint> suspects;
  const auto look = [&](const Constraint& c) {
    if (problem.gap_sign(c) <= 0) suspects.push_back(c);
  };
  for_each_constraint(problem, look, share_of(problem.features->groups()));
  return gathered(std::move(suspects));
}

// They must be certainly off the support: margin above 1 at every point within the proved distance of the
// centre.
void require_gaps_off_support(const Claim& claim, const SpanElement& centre,
                              const Rational& distance_squared) {
  const std::vector<Constraint> suspects = without_gap(claim.problem);
  const std::vector<Integer> margins = centre.margins_at(suspects);
  for (std::size_t k = 0; k < suspects.size(); ++k) {
    if (!is_slack_nearby(centre, suspects[k], margins[k], distance_squared)) {
      claim.fail(
          "margin at " + show(suspects[k]) + ", whose score gap is not positive, is not proved to exceed 1",
          fraction(margins[k], centre.scale()), ">", 1);
    }
  }
}

}  // namespace

std::unique_ptr<Fact> LocallyOptimal::check(const Claim& claim) const {
  const Fact& cited = claim.cite(from);
  if (const auto* support = dynamic_cast<const SupportFact*>(&cited)) {
    for (const Constraint& c : support->support)
      if (claim.problem.gap_sign(c) <= 0) fail_gap(claim, c, ">");
  } else if (const auto* gap = dynamic_cast<const GapSolution*>(&cited)) {
    require_gaps_off_support(claim, gap->centre, gap->distance_squared);
  } else if (const auto* enclosed = dynamic_cast<const EnclosedSolution*>(&cited)) {
    require_gaps_off_support(claim, enclosed->centre, enclosed->radius * enclosed->radius);
  } else {
    claim.wrong_kind(cited, "support or optimal-enclosure");
  }
  return std::make_unique<Fact>();
}

std::unique_ptr<Fact> NotLocallyOptimal::check(const Claim& claim) const {
  if (!at) {
    claim.cite_as<InfeasibleFact>(from, "infeasible (without a witness)");
    return std::make_unique<Fact>();
  }
  const auto& support = claim.cite_as<SupportFact>(from, "support (with a witness)").support;
  claim.require(std::binary_search(support.begin(), support.end(), *at),
                show(*at) + " is not in the support");
  if (claim.problem.gap_sign(*at) > 0) fail_gap(claim, *at, "<=");
  return std::make_unique<Fact>();
}

std::unique_ptr<Fact> GloballyOptimal::check(const Claim& claim) const {
  for (const Constraint& c : without_gap(claim.problem)) fail_gap(claim, c, ">");
  return std::make_unique<Fact>();
}

std::unique_ptr<Fact> NotGloballyOptimal::check(const Claim& claim) const {
  if (claim.problem.gap_sign(at) > 0) fail_gap(claim, at, "<=");
  return std::make_unique<Fact>();
}

void ScoreTie::read(Reader& in) {
  words(in, *this);
  in.end();
  if (group >= in.features().groups() || second >= in.features().tokens_of(group) || first >= second ||
      !in.features().present(group, first) || !in.features().present(group, second)) {
    in.bad("not two increasing tokens of a group that differ");
  }
}

std::unique_ptr<Fact> ScoreTie::check(const Claim& claim) const {
  const Features& features = *claim.problem.features;
  claim.require(features.outputs() == nullptr, "a head of several outputs has no scores");
  if (features.score(group, first) != features.score(group, second))
    claim.fail("scores of the two tokens", features.exact_score(group, first), "=",
               features.exact_score(group, second));
  for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
    if (features.score(group, t) > features.score(group, first)) {
      claim.fail("score of token " + std::to_string(t) + " of the group", features.exact_score(group, t),
                 "<=", features.exact_score(group, first));
    }
  }
  return std::make_unique<Fact>();
}

}  // namespace attest_check
