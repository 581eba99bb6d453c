#include "certify/catalogue/shifted_problem.hpp"

#include <algorithm>

namespace attest {

std::optional<bool> ShiftedProblem::selects() const {
  if (!solution) return std::nullopt;
  if (certainly_positive(solution->least_margin)) return true;
  return certainly_negative(solution->least_margin) ? std::optional(false) : std::nullopt;
}

EnclosedRows decoder_rows(const TokenData& decoder, const Selection& selection) {
  EnclosedRows rows = enclosed_rows(decoder, Selection(decoder.groups(), 0));
  for (Constraint& c : rows.at) c.token = selection[c.group];
  return rows;
}

ShiftedProblem solve_shifted_problem(const JointProblems& problems, const TokenData& data,
                                     const Selection& selection, const Rational& ratio,
                                     const Budget& budget) {
  ShiftedProblem shifted;
  shifted.ratio = ratio;
  const EnclosedRows decoder = decoder_rows(problems.decoder_data, selection);
  const std::optional<Direction> limit = direction_of(decoder, problems.decoder);
  if (!limit) {
    shifted.reason = problems.decoder.feasibility == Feasibility::infeasible
                         ? "the decoder has no margin to tend to"
                         : "the decoder's problem is undecided";
    return shifted;
  }
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const bool supports = problems.supporting &&
                          std::binary_search(problems.supporting->begin(), problems.supporting->end(), i);
    const Ball above = sub(decoder.margin(i, limit->entries), limit->margin, direction_bits);
    shifted.excess.push_back(supports ? Ball() : max(above, Ball(), direction_bits));
  }
  std::vector<Ball> shift;
  for (const Ball& excess : shifted.excess)
    shift.push_back(mul(Ball(ratio, direction_bits), excess, direction_bits));
  try {
    shifted.solution = shifted_direction(enclosed_rows(data, selection), shift, budget, shifted.reason);
  } catch (const BudgetReached& reached) {
    shifted.reason = reached.reason;
  }
  return shifted;
}

}  // namespace attest
