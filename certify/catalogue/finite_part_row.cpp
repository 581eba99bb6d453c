// Row B.gen: several tokens of a sequence selected together.
#include <algorithm>

#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/ball_matrix.hpp"
#include "numerics/runs/finite_part_observer.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {
namespace {

constexpr long kBits = 192;

bool single_tokens(const SelectedSets& sets) {
  return std::all_of(sets.begin(), sets.end(), [](const auto& set) { return set.size() == 1; });
}

Hypothesis solvable(const MarginSolution& solution) {
  SolvedSelection solved;
  solved.solution = solution;
  Hypothesis found = feasible("selected sets", solved);
  if (found.verdict == Verdict::holds)
    found.detail = "||W_mm||^2 in " + show(solution.norm_squared) + ", 0 between tokens of one set";
  return found;
}

// "(i, t) and (i, s)" of an equation.
std::string tokens(const MarginRow& row) {
  return show(Constraint{row.group, row.winner}) + " and " + show(row.constraint());
}

Hypothesis finite_part(const FiniteEquations& equations, const std::optional<std::vector<Rational>>& ratios) {
  Hypothesis found{"equations of W_fin consistent", Verdict::holds,
                   std::to_string(equations.size()) + " equations, " +
                       std::to_string(equations.independent().size()) + " independent"};
  if (!ratios) {
    found.detail += "; their ratios are those of W(t) itself, which solves them";
    return found;
  }
  const FinitePart solved = solve_finite_part(equations, *ratios, kBits);
  if (solved.contradiction) {
    found.verdict = Verdict::fails;
    found.detail = "the ratio of tokens " + tokens(solved.equations[solved.contradiction->equation]) +
                   " is not what " + std::to_string(solved.contradiction->on.size()) +
                   " others make it for every W: its logarithm is off by " + show(to_interval(solved.excess));
  } else if (!solved.least_norm) {
    found.verdict = Verdict::undecided;
    found.detail = "precision: W_fin is not enclosed";
  } else {
    found.detail += "; ||W_fin||^2 in " + show(to_interval(solved.least_norm->norm_squared));
  }
  return found;
}

// The last of the steps that a run is looked at.
class SetsListener : public RunListener {
 public:
  SetsListener(const FinitePartObserver& observer, std::uint64_t steps)
      : observer_(observer), steps_(steps) {}

  void begin(const ReferenceDirection*, const MarginSolution*) override { last_.reset(); }
  void watch(const EnclosedPoint& enclosed, const RunObserver&, const RunPoint& point) override {
    if (is_checkpoint(point.step, steps_)) last_ = observer_.observe(point.step, enclosed);
  }
  const std::optional<FinitePartPoint>& last() const { return last_; }

 private:
  const FinitePartObserver& observer_;
  std::uint64_t steps_;
  std::optional<FinitePartPoint> last_;
};

std::string describe(const FinitePartPoint& seen) {
  std::string text = "normalised gradient descent at t = " + std::to_string(seen.step) +
                     ": selected tokens have attention in " + show(to_interval(seen.least_selected), 6) +
                     " at least, others in " + show(to_interval(seen.greatest_masked), 6) + " at most";
  if (!seen.one_minus_corr) return text + "; no combination with W_mm is near (checked)";
  text += "; 1 - corr with the best W_fin + c W_mm in " + show(to_interval(*seen.one_minus_corr), 6);
  if (seen.factor) text += ", c in " + show(to_interval(*seen.factor), 6);
  return text + " (checked)";
}

std::optional<FinitePartPoint> observe(CatalogueContext& context, const SelectedSets& sets,
                                       const FiniteEquations& equations, const MarginSolution& solution) {
  const CatalogueOptions& options = context.options();
  if (options.run_steps == 0) return std::nullopt;
  std::optional<std::vector<Ball>> values;
  if (options.ratios) values = logarithms(*options.ratios, kBits);
  const FinitePartObserver observer(context.geometry(), sets, equations, solution, std::move(values));
  SetsListener listener(observer, options.run_steps);
  RunOptions run;
  run.steps = options.run_steps;
  run.bits = 60;
  run.max_attempts = 4;
  run.budget = &context.budget();
  run.max_trace_rows = 1;
  const OptimizerSpec spec{update_rule("ngd"), Schedule::constant, options.normalised_step, options.loss};
  validated_run(context.geometry(), spec, context.instance().W0.value_or(ExactArray()), run, &listener);
  return listener.last();
}

}  // namespace

void decide_selected_sets(CatalogueContext& context, Row& row) {
  SelectedSets sets;
  if (context.options().sets) {
    sets = *context.options().sets;
  } else {
    for (const std::size_t token : context.selection()) sets.push_back({token});
  }
  const TokenData& data = context.data();
  context.budget().poll();
  const MarginSolution solution = solve_margin_rows(data, margin_rows(data, sets), context.remaining());
  context.budget().poll();
  const FiniteEquations equations(data, sets, context.budget());
  row.require(some_constraint(context));
  row.require(solvable(solution));
  row.require(finite_part(equations, context.options().ratios));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  if (single_tokens(sets)) {
    Selection selection;
    for (const std::vector<std::size_t>& set : sets) selection.push_back(set.front());
    const char* const rule = data.outputs || data.targets ? "ngd" : "gd";
    return conclude_by_run(row, context.run(rule), selection, "the selected sets, one token each",
                           "W_fin = 0 (checked)");
  }
  const std::optional<FinitePartPoint> seen = observe(context, sets, equations, solution);
  if (seen) row.conclusion = describe(*seen);
  settle(row, Verdict::undecided,
         seen ? "not-finite: no theorem here proves a limit with several tokens in a set; " + row.conclusion
              : "budget: no run was made (--no-runs, or an instance whose steps would take long)");
}

}  // namespace attest
