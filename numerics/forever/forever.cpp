#include "numerics/forever/forever.hpp"

#include "numerics/forever/absorbing_region.hpp"

namespace attest {

ForeverProver::ForeverProver(const RunGeometry& geometry, const ReferenceDirection& direction,
                             const MarginSolution& solution, const OptimizerSpec& spec, const Budget& budget)
    : spec_(spec) {
  if (step_length(spec) == StepLength::other) {
    obstacle_ = std::string("no theorem about all later steps covers ") + long_name(spec);
    return;
  }
  if (!without_loss_gap(step_length(spec_)) && relu_units(spec.loss)) {
    obstacle_ = std::string(spec_.rule->long_name()) + " are not covered for ReLU units";
    return;
  }
  EnclosedFacts enclosed = enclose_facts(geometry, direction, solution, spec.loss, budget);
  if (!enclosed.facts) {
    obstacle_ = enclosed.reason;
    return;
  }
  facts_ = std::move(enclosed.facts);
  guess_ = approximate(*facts_);
  regions_ = region_sets(guess_);
  if (regions_.empty())
    obstacle_ = "the selection is not locally optimal" + better_tokens(geometry, ": of its support ", true);
  if (!without_loss_gap(step_length(spec_)) && !facts_->globally_optimal) {
    obstacle_ = std::string(spec_.rule->long_name()) + " are covered for globally optimal selections only" +
                better_tokens(geometry, ": ", false);
  }
  support_ = enclose_support(*facts_, geometry, direction, budget);
  if (!support_) return;
  support_guess_ = approximate(*support_);
  // h R_S^2 <= 4 gamma with h the length of every step.
  const double square = support_guess_.diameter * support_guess_.diameter;
  const bool too_long = step_length(spec_) == StepLength::constant && spec_.schedule == Schedule::constant &&
                        spec_.step.convert_to<double>() * square > 4 * guess_.margin;
  sharp_possible_ = without_loss_gap(step_length(spec_)) && !too_long;
}

// The first tokens that are no worse than the selected ones of their sequences, in words.
std::string ForeverProver::better_tokens(const RunGeometry& geometry, const std::string& before,
                                         bool of_support) const {
  constexpr std::size_t most = 3;
  std::string text;
  std::size_t found = 0;
  for (std::size_t c = 0; c < facts_->constraints.size(); ++c) {
    const ConstraintFacts<BallNumber>& k = facts_->constraints[c];
    if ((of_support && !k.active) || !facts_->better[c] || ++found > most) continue;
    const RunGroup& group = geometry.groups[k.group];
    text += (found == 1 ? "" : ", ") + ("(" + std::to_string(group.original)) + "," +
            std::to_string(k.row - group.first_row) + ")";
  }
  if (found > most)
    text += " and " + std::to_string(found - most) + (found == most + 1 ? " other" : " others");
  return found == 0 ? text
                    : before + text + (found == 1 ? " is" : " are") + " no worse than the selected token";
}

std::optional<ForeverProof> ForeverProver::prove(TheoremFamily family, const StartPoint<BallNumber>& start,
                                                 bool dominating, const ForeverProof* around) const {
  if (!obstacle_.empty()) return std::nullopt;
  if (family == TheoremFamily::sharp && !sharp_possible_) return std::nullopt;
  if (family == TheoremFamily::inner_region && (!support_ || around == nullptr)) return std::nullopt;
  return attest::prove(family, {*facts_, guess_, support(), support_guess_, regions_, start,
                                approximate(start), LaterSteps(spec_, start.step), dominating, around});
}

std::vector<ForeverProof> ForeverProver::all(const StartPoint<BallNumber>& start) const {
  std::vector<ForeverProof> proofs;
  const auto add = [&](std::optional<ForeverProof> proof) {
    if (proof) proofs.push_back(std::move(*proof));
  };
  add(prove(TheoremFamily::lock_in, start));
  if (const auto region = prove(TheoremFamily::region, start)) {
    add(region);
    add(prove(TheoremFamily::inner_region, start, false, &*region));
  }
  add(prove(TheoremFamily::sharp, start));
  return proofs;
}

ForeverFromPoint forever_from_point(const RunGeometry& geometry, const OptimizerSpec& spec,
                                    const Selection& selection, const ExactArray& entries,
                                    const Rational& radius, long bits) {
  ForeverFromPoint result;
  MarginOptions options;
  options.precision_bits = bits;
  const MarginSolution solution = solve_margin_problem(*geometry.data, selection, options);
  const auto direction = reference_direction(geometry, selection, solution, bits + 32);
  if (!direction) {
    result.reason = "the selection has no max-margin direction";
    return result;
  }
  const ForeverProver prover(geometry, *direction, solution, spec);
  result.reason = prover.obstacle();
  if (!prover.ready()) return result;
  result.facts = prover.facts();
  const StartPoint<BallNumber> start = start_point(prover.facts(), geometry, *direction, entries, radius, 0);
  result.proofs = prover.all(start);
  if (result.proofs.empty() && result.reason.empty())
    result.reason = "no theorem's hypotheses hold at this point";
  return result;
}

}  // namespace attest
