// Shared state of the catalogue's rows, and hypotheses that several rows have in common.
#include "certify/catalogue/context.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "certify/catalogue/mirror_study.hpp"
#include "certify/catalogue/smoothness.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/margin/conflict_rows.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

constexpr std::size_t kWordPlanes = 6;  // of a run's data (word_matrix.hpp)

// The least and the greatest score of all.
std::pair<Rational, Rational> range_of_scores(const TokenData& data) {
  std::size_t least = 0, greatest = 0;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row) {
      if (data.scores.compare(row, least) < 0) least = row;
      if (data.scores.compare(row, greatest) > 0) greatest = row;
    }
  }
  return {data.scores[least], data.scores[greatest]};
}

}  // namespace

std::uint64_t default_run_steps(const TokenData& data) {
  const double rows = static_cast<double>(data.first_row.back()), groups = static_cast<double>(data.groups());
  const double step = rows * static_cast<double>(data.left_dimension) +
                      groups * groups * static_cast<double>(data.left_dimension + data.right_dimension) / 16;
  const double steps = 1e7 / std::max(step, 1.0);  // measured: 0.1 to 0.3 microseconds a unit
  return steps < 10 ? 0 : static_cast<std::uint64_t>(std::min(steps, 10000.0));
}

CatalogueContext::CatalogueContext(const Instance& instance, Selection selection, CatalogueOptions options)
    : CatalogueContext(instance, std::make_unique<const TokenData>(token_data(instance)),
                       std::move(selection), std::move(options)) {}

CatalogueContext::CatalogueContext(const Instance& instance, std::unique_ptr<const TokenData> made,
                                   Selection selection, CatalogueOptions options)
    : CatalogueContext(instance, *made, std::move(selection), std::move(options)) {
  made_ = std::move(made);
}

CatalogueContext::CatalogueContext(const Instance& instance, const TokenData& data, Selection selection,
                                   CatalogueOptions options)
    : instance_(instance),
      data_(data),
      selection_(std::move(selection)),
      options_(std::move(options)),
      whole_(options_.margin.time_limit_seconds, 0, {}, options_.margin.outer),
      budget_(0, 0, {}, &whole_),
      best_(best_selection(data_)),
      tie_(first_tie(data_)) {
  if (!data_.scores.empty()) std::tie(least_score_, greatest_score_) = range_of_scores(data_);
}

MarginOptions CatalogueContext::remaining() const {
  MarginOptions options = options_.margin;
  options.time_limit_seconds = 0;
  options.outer = &budget_;
  return options;
}

const SolvedSelection& CatalogueContext::solve(const Selection& selection) {
  const auto found = solved_.find(selection);
  if (found != solved_.end()) return found->second;
  const bool is_known = known_ && selection == selection_;
  SolvedSelection solved{selection, is_known ? *known_ : solve_margin_problem(data_, selection, remaining()),
                         std::nullopt};
  if (solved.solution.feasibility == Feasibility::feasible && constraint_count(data_) > 0) {
    solved.geometry = optimum_geometry(data_, selection, solved.solution, budget_);
  }
  return solved_.emplace(selection, std::move(solved)).first->second;
}

const NormAnswer& CatalogueContext::solved_in(const NormRequest& request, const Selection& selection) {
  constexpr std::size_t most_constraints = 400;
  const auto key = std::pair(request.norm.word + " " + std::to_string(request.rank), selection);
  const auto found = solved_in_.find(key);
  if (found != solved_in_.end()) return found->second;
  NormAnswer answer;
  if (const std::size_t count = constraint_count(data_); count > most_constraints) {
    answer.reason =
        "budget: " + std::to_string(count) + " constraints take long in this norm: attest certify --norm";
  } else {
    answer = solve_norm_problem(data_, selection, solve(selection).solution, request, budget_);
  }
  return solved_in_.emplace(key, std::move(answer)).first->second;
}

MirrorStudy& CatalogueContext::mirror() {
  if (!mirror_) mirror_ = std::make_shared<MirrorStudy>(*this);
  return *mirror_;
}

void CatalogueContext::begin_row() {
  const double left = whole_.remaining_seconds();
  budget_ = Budget(left < 0 ? 0 : std::max(0.01, left / 2), 0, {}, &whole_);
}

const std::optional<Interval>& CatalogueContext::smoothness() const {
  if (!smoothness_) smoothness_.emplace(sharp_smoothness(data_, options_.loss, budget_));
  return *smoothness_;
}

const RunGeometry& CatalogueContext::geometry() {
  if (!geometry_) geometry_ = std::make_unique<RunGeometry>(data_, kWordPlanes, budget_);
  return *geometry_;
}

std::optional<OptimizerSpec> CatalogueContext::descent() const {
  OptimizerSpec spec{update_rule("gd"), Schedule::constant, 1, options_.loss};
  if (options_.descent_step) {
    spec.step = *options_.descent_step;
  } else if (smoothness() && smoothness()->hi > 0) {
    spec.step =
        dyadic_below((1 - power_of_two(-30)) / smoothness()->hi, 10);  // 1/beta is bounded again, later
  } else {
    return std::nullopt;
  }
  return spec;
}

std::shared_ptr<const Observation> CatalogueContext::run(std::string_view word) {
  if (options_.run_steps == 0) return nullptr;
  const UpdateRule* rule = update_rule(word);
  const auto found = runs_.find(rule);
  if (found != runs_.end()) return found->second;
  const bool is_descent = rule->length() == StepLength::gradient;
  std::optional<OptimizerSpec> spec = descent();
  if (!is_descent) {
    const Rational step = rule->default_step().value_or(options_.normalised_step);
    spec = OptimizerSpec{rule, Schedule::constant, step, options_.loss};
  }
  std::shared_ptr<const Observation> seen;
  if (spec) {
    const RunLimits limits{options_.run_steps, &budget_, is_descent};
    seen = std::make_shared<Observation>(observe_run(geometry(), *spec, instance_.W0.value_or(ExactArray()),
                                                     instance_.W0 ? "W(0) = the instance's W0" : "W(0) = 0",
                                                     limits));
  }
  return runs_.emplace(rule, std::move(seen)).first->second;
}

std::string show(const Constraint& c) {
  return "(" + std::to_string(c.group) + ", " + std::to_string(c.token) + ")";
}

std::string show(const Selection& selection) {
  constexpr std::size_t kShown = 24;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(selection.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(selection[i]);
  }
  if (selection.size() > kShown) text += ", ... " + std::to_string(selection.size()) + " in all";
  return text + "]";
}

Hypothesis best_tokens_unique(const CatalogueContext& context) {
  const std::optional<ScoreTie>& tie = context.tie();
  if (!tie) return {"optimal tokens unique", Verdict::holds, "no ties among best scores (exact)"};
  return {"optimal tokens unique", Verdict::fails,
          "sequence " + std::to_string(tie->group) + ": tokens " + std::to_string(tie->first_token) +
              " and " + std::to_string(tie->second_token) + " share the best score " +
              show(context.data().score(tie->group, tie->first_token)) +
              "; attest selections finds what training can select"};
}

Hypothesis some_constraint(const CatalogueContext& context) {
  const std::size_t count = constraint_count(context.data());
  if (count > 0) {
    return {"some sequence has two tokens", Verdict::holds, std::to_string(count) + " constraints"};
  }
  return {"some sequence has two tokens", Verdict::fails,
          "every sequence has a single token, equal ones merged: no constraints, W_mm = 0 has no direction"};
}

Hypothesis feasible(const std::string& which, const SolvedSelection& solved) {
  const std::string title = "SVM(" + which + ") feasible";
  switch (solved.solution.feasibility) {
    case Feasibility::feasible:
      return {title, Verdict::holds,
              solved.geometry ? "||W_mm|| in " + show(solved.geometry->norm) : "a separating W is known"};
    case Feasibility::infeasible:
      break;
    case Feasibility::undecided:
      return {title, Verdict::undecided, solved.solution.reason};
  }
  std::string detail = "infeasible";
  const std::vector<Constraint> rows = conflict_rows(solved.solution);
  detail += rows.size() == 1 ? ", no W satisfies row"
                             : ", " + std::to_string(rows.size()) + " rows contradict each other:";
  for (std::size_t k = 0; k < std::min<std::size_t>(rows.size(), 6); ++k) detail += " " + show(rows[k]);
  if (rows.size() > 6) detail += " ...";
  return {title, Verdict::fails, detail, rows};
}

Hypothesis equal_other_scores(const CatalogueContext& context) {
  const TokenData& data = context.data();
  Rational widest = -1;
  std::size_t group = 0, least = 0, greatest = 0;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    context.budget().poll();
    std::optional<std::size_t> low, high;
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == context.best()[i] || !data.present(i, t)) continue;
      if (!low || data.score(i, t) < data.score(i, *low)) low = t;
      if (!high || data.score(i, t) > data.score(i, *high)) high = t;
    }
    if (!low) continue;
    const Rational spread = data.score(i, *high) - data.score(i, *low);
    if (spread > widest) {
      widest = spread;
      group = i;
      least = *low;
      greatest = *high;
    }
  }
  if (widest <= 0) return {"non-optimal scores equal", Verdict::holds, "spread 0 in every sequence (exact)"};
  return {"non-optimal scores equal", Verdict::fails,
          "sequence " + std::to_string(group) + ": tokens " + std::to_string(least) + " and " +
              std::to_string(greatest) + " differ by " + show(widest) + ", the largest spread"};
}

Hypothesis descent_step_small(const CatalogueContext& context) {
  Hypothesis small{"step at most 1/beta (T6)", Verdict::undecided,
                   "precision: beta is not enclosed at these scores"};
  const std::optional<OptimizerSpec> spec = context.descent();
  if (!spec || !context.smoothness()) return small;
  const std::string detail = "step " + show_short(spec->step) + ", beta in " + show(*context.smoothness());
  if (spec->step * context.smoothness()->hi <= 1) return {small.name, Verdict::holds, detail};
  return {small.name, Verdict::undecided, "not certain for the step that was given: " + detail};
}

Hypothesis as_hypothesis(const std::string& title, const Row& row, const std::string& when_it_holds) {
  return {title, row.verdict, row.verdict == Verdict::holds ? when_it_holds : row.reason};
}

void conclude_by_run(Row& row, std::shared_ptr<const Observation> seen, const Selection& claimed,
                     const std::string& which, const std::string& theirs) {
  if (seen) {
    const Hypothesis limit = limit_of(*seen, claimed, which);
    settle(row, limit.verdict, limit.detail);
    row.conclusion = describe(*seen) + "; ";
  } else {
    settle(row, Verdict::undecided,
           "budget: no run was made (--no-runs, or an instance whose steps would take long: see --steps)");
  }
  row.conclusion += theirs;
  row.observation = std::move(seen);
}

}  // namespace attest
