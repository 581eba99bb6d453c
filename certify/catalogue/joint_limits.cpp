#include "certify/catalogue/joint_limits.hpp"

#include "certify/catalogue/decoder.hpp"
#include "certify/catalogue/shifted_problem.hpp"
#include "numerics/margin/conflict_rows.hpp"
#include "numerics/mirror/limit.hpp"

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

// W*/||W*||_F of a solution in the P-norm; its margin is that of this direction.
Direction euclidean(const MirrorLimit& limit) {
  Direction direction;
  const Ball norm = sqrt(dot(limit.direction, limit.direction, direction_bits), direction_bits);
  for (const Ball& entry : limit.direction) direction.entries.push_back(div(entry, norm, direction_bits));
  direction.margin = div(limit.gamma, norm, direction_bits);
  return direction;
}

// Certainly every sequence supports the decoder, or some do not; nothing while it is open.
std::optional<std::vector<std::size_t>> supporting_in_norm(const MirrorLimit& decoder) {
  std::vector<std::size_t> supporting;
  for (std::size_t i = 0; i < decoder.along.size(); ++i) {
    if (certainly_less(decoder.gamma, decoder.along[i])) continue;
    if (decoder.multipliers.empty() || !certainly_positive(decoder.multipliers[i])) return std::nullopt;
    supporting.push_back(i);
  }
  return supporting;
}

// The problems that mirror descent with potential P may tend to.
void add_limits_in_norm(const Instance& instance, const TokenData& data, const Potential& potential,
                        const Budget& budget, JointLimits& limits) {
  JointLimit plain{"plain", Feasibility::undecided, {}, "", {}};
  const auto attention =
      mirror_limit(data, limits.selection, potential, budget, plain.reason, &plain.conflict);
  if (attention) plain.direction = euclidean(*attention);
  plain.feasibility = attention                ? Feasibility::feasible
                      : plain.conflict.empty() ? Feasibility::undecided
                                               : Feasibility::infeasible;
  limits.attention.push_back(std::move(plain));
  std::optional<MirrorLimit> decoder;
  if (sequence_without_row(instance, data, limits.selection)) {
    limits.decoder_reason = "the selected token of a sequence has equals with other rows of X";
  } else {
    const TokenData rows = decoder_data(instance, limits.selection);
    decoder = mirror_limit(rows, Selection(rows.groups(), 0), potential, budget, limits.decoder_reason);
  }
  if (decoder) {
    limits.decoder = euclidean(*decoder);
    limits.supporting = supporting_in_norm(*decoder);
  }
  if (!limits.supporting || limits.supporting->size() < limits.selection.size())
    limits.attention.push_back({"relaxed", Feasibility::undecided, {}, "it is not solved in this norm"});
}

}  // namespace

JointLimits solve_joint_limits(const Instance& instance, const TokenData& data, const JointSpec& spec,
                               const Selection& selection, const Budget& budget) {
  JointLimits limits;
  limits.selection = selection;
  if (spec.exponent) {
    add_limits_in_norm(instance, data, Potential(*spec.exponent), budget, limits);
    return limits;
  }
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
