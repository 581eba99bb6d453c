// Rows about convergence from every starting point: A.global, B.T3, B.T4, B.T5, B.T6. What is certified are the
// hypotheses; the conclusion then is the paper's theorem, except B.T3's, which CATALOGUE.md proves.
#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/enclosure.hpp"

namespace attest {
namespace {

const char* const kAboutW = "a statement about the attention matrix W, not about a prompt";

// The verdict of another row as a hypothesis of this one.
Hypothesis as_hypothesis(const std::string& title, const Row& row, const std::string& when_it_holds) {
  return {title, row.verdict, row.verdict == Verdict::holds ? when_it_holds : row.reason};
}

}  // namespace

Row check_single_prompt(CatalogueContext& context) {
  Row row{"A.global", "2306.13596",
          "n = 1, or equal non-optimal scores: gradient descent on p from any p(0) tends to the direction of p(opt)",
          Mark::recalled};
  if (context.instance().setting != Setting::prompt) return not_applicable(row, "a statement about the prompt model");
  row.require(loss_assumption(context));
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  const Hypothesis equal = equal_other_scores(context);
  const bool single = context.data().groups() == 1;
  row.require("n = 1 or equal non-optimal scores", either(single ? Verdict::holds : Verdict::fails, equal.verdict),
              single ? "n = 1" : equal.detail);
  row.require(feasible("opt", context.solved_best()));
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "the listed hypotheses hold (checked); the limit from any p(0) is then the paper's theorem "
                     "(recalled: its step-size condition is not listed here)";
  }
  return row;
}

Row check_no_stationary(CatalogueContext& context) {
  Row row{"B.T3", "2308.16898",
          "under B.A and B.B1 or B.B2, L has no stationary point and gradient descent with step <= 1/L_W diverges in norm"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(loss_assumption(context));
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  row.require(feasible("opt", context.solved_best()));
  const Row tight = check_all_tight(context);
  const Row equal = check_equal_scores(context);
  std::string detail;
  if (equal.verdict == Verdict::holds) detail = "B.B2 holds";
  if (tight.verdict == Verdict::holds) detail += detail.empty() ? "B.B1 holds" : ", B.B1 holds";
  if (detail.empty()) detail = "B.B1: " + tight.reason + "; B.B2: " + equal.reason;
  row.require("B.B1 or B.B2", either(tight.verdict, equal.verdict), detail);
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "<-grad L(W), W_mm> > 0 at every finite W, so no stationary point exists, and descent steps of at "
                     "most 1/L_W (or 1/beta, row B.L4) diverge in norm (checked hypotheses, proof in CATALOGUE.md)";
  }
  return row;
}

Row check_global_convergence(CatalogueContext& context) {
  Row row{"B.T4", "2308.16898",
          "under B.A and B.B2, gradient descent with step <= 1/L_W from any W(0) tends to the direction of W_mm(opt)"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(loss_assumption(context));
  row.require(some_constraint(context));
  row.require(as_hypothesis("B.B2", check_equal_scores(context), "opt unique, all other scores of a sequence equal"));
  row.require(feasible("opt", context.solved_best()));
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "hypotheses certified on this instance; W(k)/||W(k)|| -> W_mm/||W_mm|| from any W(0) is then the "
                     "paper's theorem, not a run";
  }
  return row;
}

Row check_nearly_equal(CatalogueContext& context) {
  Row row{"B.T5", "2308.16898",
          "under B.A, nearly equal non-optimal scores suffice for the limit of B.T4 (threshold not explicit)"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
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
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "the spread is 0, below every threshold: B.T4 applies as well";
  }
  return row;
}

Row check_zero_start(CatalogueContext& context) {
  Row row{"B.T6", "2308.16898",
          "under B.A and B.C, gradient descent from W(0) = 0 with a suitable first step tends to the direction of W_mm"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(loss_assumption(context));
  row.require(as_hypothesis("B.C", check_first_step(context), "the first step separates opt"));
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "hypotheses certified on this instance; that some first step size and later small steps lead to the "
                     "direction of W_mm is then the paper's theorem (the sizes are not explicit), not a run";
  }
  return row;
}

}  // namespace attest
