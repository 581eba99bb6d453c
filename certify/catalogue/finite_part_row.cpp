// Row B.gen: several tokens of a sequence selected together.
#include <algorithm>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/mirrored_tokens.hpp"
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
  const std::optional<FinitePartPoint>& seen() const { return last_; }

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
  return listener.seen();
}

Selection first_of_each(const SelectedSets& sets) {
  Selection selection;
  for (const std::vector<std::size_t>& set : sets) selection.push_back(set.front());
  return selection;
}

const char* normalised_if_no_scores(const TokenData& data) {
  return data.outputs || data.targets ? "ngd" : "gd";
}

// Equal shares for ever where the tokens of sets are mirror images: the run tends to W_mm if that of the
// folded instance does. False where they are not, or that is not proved.
bool conclude_by_mirrors(CatalogueContext& context, Row& row, const SelectedSets& sets) {
  const CatalogueOptions& options = context.options();
  const bool equal = !options.ratios || std::all_of(options.ratios->begin(), options.ratios->end(),
                                                    [](const Rational& ratio) { return ratio == 1; });
  if (!equal || options.run_steps == 0) return false;
  const std::optional<Instance> mirrored = folded(context.instance(), context.data(), sets, context.budget());
  if (!mirrored) return false;
  CatalogueOptions alone = options;
  alone.sets.reset();
  alone.ratios.reset();
  alone.margin.outer = &context.budget();
  CatalogueContext reduced(*mirrored, first_of_each(sets), alone);
  if (constraint_count(reduced.data()) == 0) return false;
  const std::shared_ptr<const Observation> seen = reduced.run("gd");
  if (!seen || limit_of(*seen, first_of_each(sets), "the sets").verdict != Verdict::holds) return false;
  conclude_by_run(
      row, seen, first_of_each(sets), "the sets",
      "tokens of a set are mirror images and have equal attention at every step (checked): W_fin = 0, "
      "and they stand as one in what the run was seen from");
  return true;
}

// Does a theorem prove another limit, in which one token of a set has all of their attention? It does
// whenever it proves any: one selected token is ahead of the others of its set.
bool refute_by_limit(CatalogueContext& context, Row& row, const SelectedSets& sets) {
  const std::shared_ptr<const Observation> seen = context.run(normalised_if_no_scores(context.data()));
  if (!seen || seen->proofs.empty()) return false;
  conclude_by_run(row, seen, first_of_each(sets), "the sets", "");
  const auto several = std::find_if(sets.begin(), sets.end(), [](const auto& set) { return set.size() > 1; });
  const auto group = static_cast<std::size_t>(several - sets.begin());
  const std::size_t selected = (*seen->selection)[group];
  const std::size_t other = (*several)[several->front() == selected ? 1 : 0];
  settle(row, Verdict::fails,
         "the limit selects single tokens: the attention on token " + show(Constraint{group, other}) +
             " of a set tends to 0, which W_mm of the sets gives the logit of " +
             show(Constraint{group, several->front()}) + " (" + seen->proofs.front().theorem +
             " from t = " + std::to_string(seen->proofs.front().t0) + ")");
  return true;
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
    return conclude_by_run(row, context.run(normalised_if_no_scores(data)), first_of_each(sets),
                           "the selected sets, one token each", "W_fin = 0 (checked)");
  }
  if (conclude_by_mirrors(context, row, sets) || refute_by_limit(context, row, sets)) return;
  const std::optional<FinitePartPoint> seen = observe(context, sets, equations, solution);
  if (seen) row.conclusion = describe(*seen);
  settle(row, Verdict::undecided,
         seen ? "not-finite: no theorem here proves or refutes this limit with several tokens in a set; " +
                    row.conclusion
              : "budget: no run was made (--no-runs, or an instance whose steps would take long)");
}

}  // namespace attest
