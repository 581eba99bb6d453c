// Rows about convergence from every starting point: A.global, B.T3, B.T4, B.T5, B.T6. Certified are the
// hypotheses and the limit of one run; from other starting points it is the paper's theorem, except B.T3's,
// which CATALOGUE.md proves.
#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/first_step.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// The conclusion of a row whose hypotheses are listed: gradient descent from W(0) tends to W_mm(opt)'s
// direction.
void conclude_by_descent(Row& row, CatalogueContext& context, const std::string& theirs) {
  const Hypothesis small = descent_step_small(context);
  row.require(small);
  settle(row);
  // A step that may be too large makes a run that the row says nothing about.
  if (row.verdict == Verdict::fails || small.verdict != Verdict::holds) return;
  if (context.solved_best().solution.feasibility != Feasibility::feasible) return;
  conclude_by_run(row, context.run("gd"), context.best(), "opt", theirs);
}

// -grad L(0), entry by entry; nothing when a slope is not evaluated.
std::optional<std::vector<Ball>> enclose_descent(const TokenData& data, Loss loss, const Budget& budget) {
  constexpr long kBits = 256;
  const FirstStep gradient(data, budget);
  BallMatrix sum(data.left_dimension, data.right_dimension);
  if (!gradient.enclose(sum, loss, kBits)) return std::nullopt;
  std::vector<Ball> descent;
  for (std::size_t j = 0; j < data.left_dimension; ++j) {
    for (std::size_t m = 0; m < data.right_dimension; ++m) {
      descent.emplace_back();
      arb_div_ui(descent.back().raw(), sum.entry(j, m), data.groups(), kBits);
    }
  }
  return descent;
}

// Gradient descent from W(0) = 0 whose first step is 2^k times the later ones, for the least k <= 40 with
// which a theorem proves the limit from W(1) on.
Observation observe_first_step(CatalogueContext& context, const OptimizerSpec& spec) {
  Observation none;
  none.spec = spec;
  none.start = "W(0) = 0 with first steps of up to 2^40 times the later ones";
  const PointObserver observer(context.geometry(), context.best(), context.solved_best().solution, spec,
                               context.budget());
  if (!observer.obstacle().empty()) {
    none.reason = "precision: " + observer.obstacle();
    return none;
  }
  const std::optional<std::vector<Ball>> descent =
      enclose_descent(context.data(), spec.loss, context.budget());
  for (long k = 0; descent && k <= 40; ++k) {
    context.budget().poll();
    const Rational first = spec.step * power_of_two(k);
    std::vector<Rational> entries;
    Rational radius = 0;  // the sum of the entries' radii, at least their Frobenius norm
    for (const Ball& entry : *descent) {
      const Rational lo = entry.lower(), hi = entry.upper();
      entries.push_back(first * (lo + hi) / 2);
      radius += first * (hi - lo) / 2;
    }
    auto seen = observer.observe(ExactArray::from_rationals(std::move(entries)), radius, 1,
                                 "W(0) = 0 with a first step of " + show_short(first));
    if (seen) {
      seen->first_step = first;
      return *seen;
    }
  }
  none.reason = "budget: no theorem's hypotheses hold after such a first step";
  return none;
}

}  // namespace

void decide_single_prompt(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  const Hypothesis equal = equal_other_scores(context);
  const bool single = context.data().groups() == 1;
  row.require("n = 1 or equal non-optimal scores",
              either(single ? Verdict::holds : Verdict::fails, equal.verdict),
              single ? "n = 1" : equal.detail);
  row.require(feasible("opt", context.solved_best()));
  conclude_by_descent(row, context, "from any other p(0) the limit is the paper's theorem (recalled)");
}

void decide_no_stationary(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  row.require(feasible("opt", context.solved_best()));
  const Row& tight = check_row("B.B1", context);
  const Row& equal = check_row("B.B2", context);
  std::string detail;
  if (equal.verdict == Verdict::holds) detail = "B.B2 holds";
  if (tight.verdict == Verdict::holds) detail += detail.empty() ? "B.B1 holds" : ", B.B1 holds";
  if (detail.empty()) detail = "B.B1: " + tight.reason + "; B.B2: " + equal.reason;
  row.require("B.B1 or B.B2", either(tight.verdict, equal.verdict), detail);
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion =
        "<-grad L(W), W_mm> > 0 at every finite W, so no stationary point exists, and descent steps of at "
        "most 1/L_W (or 1/beta, row B.L4) diverge in norm (checked hypotheses, proof in CATALOGUE.md)";
  }
}

void decide_global_convergence(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  row.require(some_constraint(context));
  row.require(
      as_hypothesis("B.B2", check_row("B.B2", context), "opt unique, all other scores of a sequence equal"));
  row.require(feasible("opt", context.solved_best()));
  conclude_by_descent(row, context, "from any other W(0) the limit is the paper's theorem");
}

void decide_nearly_equal(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  row.require(feasible("opt", context.solved_best()));
  Hypothesis equal = equal_other_scores(context);
  equal.name = "non-optimal scores nearly equal";
  if (equal.verdict == Verdict::fails) {
    equal.verdict = Verdict::undecided;
    equal.detail = "not-finite: the paper's threshold is not explicit; " + equal.detail;
  }
  row.require(equal);
  conclude_by_descent(row, context, "which spreads lead there from any other W(0) is the paper's theorem");
}

void decide_zero_start(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  row.require(as_hypothesis("B.C", check_row("B.C", context), "the first step separates opt"));
  row.require(feasible("opt", context.solved_best()));
  row.require(descent_step_small(context));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  std::shared_ptr<const Observation> seen;
  if (context.options().run_steps > 0) {
    seen = std::make_shared<Observation>(observe_first_step(context, *context.descent()));
  }
  conclude_by_run(row, seen, context.best(), "opt",
                  "which other first steps lead there is the paper's theorem");
}

}  // namespace attest
