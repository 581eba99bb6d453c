#include "certify/catalogue/joint_limits.hpp"

#include "certify/catalogue/decoder.hpp"
#include "certify/catalogue/shifted_problem.hpp"
#include "numerics/margin/conflict_rows.hpp"

namespace attest {
namespace {

JointLimit limit_of(const std::string& problem, const EnclosedRows& rows, const MarginSolution& solution) {
  JointLimit limit{problem, solution.feasibility, direction_of(rows, solution), solution.reason,
                   conflict_rows(solution)};
  if (!limit.direction && limit.reason.empty())
    limit.reason = solution.feasibility == Feasibility::infeasible ? "its rows contradict each other"
                   : rows.at.empty()                               ? "no sequence has two different tokens"
                                                                   : "its solution is zero or not known";
  return limit;
}

// Of the problems that may be the attention's limit, those that are not the plain one.
void add_other_limits(const JointProblems& problems, const TokenData& data, const JointSpec& spec,
                      const EnclosedRows& rows, const Budget& budget, JointLimits& limits) {
  if (problems.supporting && problems.relaxed.empty()) return;
  if (problems.attention) {
    limits.attention.push_back(limit_of("relaxed", rows, *problems.attention));
  } else {
    limits.attention.push_back({"relaxed", Feasibility::undecided, {}, problems.reason()});
  }
  if (!spec.attention.normalised || !spec.decoder.normalised || spec.attention.power != spec.decoder.power)
    return;
  const Rational ratio = spec.decoder.step / spec.attention.step;
  ShiftedProblem shifted = solve_shifted_problem(problems, data, limits.selection, ratio, budget);
  JointLimit limit{"shifted", Feasibility::undecided, {}, shifted.reason, {}, shifted.selects()};
  if (shifted.solution) {
    limit.feasibility = Feasibility::feasible;
    limit.direction = std::move(shifted.solution->direction);
  }
  limits.attention.insert(limits.attention.begin() + 1, std::move(limit));
}

}  // namespace

JointLimits solve_joint_limits(const Instance& instance, const TokenData& data, const JointSpec& spec,
                               const Selection& selection, const Budget& budget) {
  JointLimits limits;
  limits.selection = selection;
  MarginOptions options;
  options.outer = &budget;
  const EnclosedRows rows = enclosed_rows(data, selection);
  limits.attention.push_back(limit_of("plain", rows, solve_margin_problem(data, selection, options)));
  if (sequence_without_row(instance, data, selection)) {
    limits.decoder_reason = "the selected token of a sequence has equals with other rows of X";
    limits.attention.push_back({"relaxed", Feasibility::undecided, {}, limits.decoder_reason});
    return limits;
  }
  const JointProblems problems = solve_joint_problems(instance, data, selection, options);
  limits.decoder = direction_of(decoder_rows(problems.decoder_data, selection), problems.decoder);
  if (!limits.decoder) {
    limits.decoder_reason = problems.decoder.feasibility == Feasibility::infeasible
                                ? "no v gives all selected tokens the sign of their labels"
                                : problems.decoder.reason;
  }
  limits.supporting = problems.supporting;
  if (problems.decoder.feasibility != Feasibility::infeasible)
    add_other_limits(problems, data, spec, rows, budget, limits);
  return limits;
}

}  // namespace attest
