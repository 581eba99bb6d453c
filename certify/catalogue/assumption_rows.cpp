// Rows that are assumptions on the data: B.B1, B.B2, B.D and C.global's data conditions (B.C: first_step_row.cpp).
#include <algorithm>
#include <vector>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/enclosure.hpp"
#include "certify/selection_search.hpp"

namespace attest {
namespace {

const char* const kAboutW = "a statement about the attention matrix W, not about a prompt";

}  // namespace

Row check_all_tight(CatalogueContext& context) {
  Row row{"B.B1", "2308.16898", "opt unique and every constraint of SVM(opt) is tight at W_mm"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(best_tokens_unique(context));
  const SolvedSelection& solved = context.solved_best();
  row.require(feasible("opt", solved));
  const std::size_t total = constraint_count(context.data());
  if (solved.solution.feasibility == Feasibility::feasible) {
    Hypothesis tight{"all tokens are support tokens", Verdict::undecided, "precision: the support set is open"};
    if (solved.solution.support && solved.solution.support->size() == total) {
      tight = {tight.name, Verdict::holds, "all " + std::to_string(total) + " margins equal 1"};
    } else if (solved.geometry || solved.solution.support) {
      for (const Constraint& c : constraints(context.data(), context.best())) {
        const bool known_slack = solved.solution.support
                                     ? !std::binary_search(solved.solution.support->begin(),
                                                           solved.solution.support->end(), c)
                                     : solved.geometry->margin[context.data().row(c.group, c.token)].lo > 1;
        if (!known_slack) continue;
        tight = {tight.name, Verdict::fails, "token " + show(c) + " is not a support token"};
        if (solved.geometry) {
          tight.detail += ": its margin is in " + show(solved.geometry->margin[context.data().row(c.group, c.token)]);
        }
        break;
      }
    }
    row.require(tight);
  }
  settle(row);
  return row;
}

Row check_equal_scores(CatalogueContext& context) {
  Row row{"B.B2", "2308.16898", "opt unique and all other scores of a sequence are equal"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(best_tokens_unique(context));
  row.require(equal_other_scores(context));
  settle(row);
  return row;
}

Row check_no_other_local(CatalogueContext& context) {
  Row row{"B.D", "2308.16898",
          "for every selection alpha other than opt, some i has alpha_i != opt_i with opt_i a support token of alpha"};
  if (context.instance().setting == Setting::prompt) return not_applicable(row, kAboutW);
  row.require(best_tokens_unique(context));
  if (row.hypotheses.back().verdict == Verdict::fails) {
    settle(row);
    return row;
  }
  const SupportSweep sweep =
      sweep_support_condition(context.data(), context.best(), context.options().enumeration_budget, context.remaining());
  const std::string counts = std::to_string(sweep.examined) + " selections solved, " +
                             std::to_string(sweep.infeasible) + " of them infeasible and skipped, " +
                             sweep.pruned.str() + " skipped without solving (they contain an infeasible part)";
  Hypothesis condition{"opt is a support token wherever it is left", Verdict::undecided, counts};
  if (sweep.counterexample) {
    condition = {condition.name, Verdict::fails,
                 "alpha = " + show(*sweep.counterexample) +
                     ": no i with alpha_i != opt_i has opt_i among alpha's support tokens (" + counts + ")"};
  } else if (sweep.complete && sweep.undecided == 0) {
    condition.verdict = Verdict::holds;
    condition.detail = "all " + sweep.total.str() + " selections other than opt covered: " + counts;
  } else {
    condition.detail = (sweep.complete ? std::to_string(sweep.undecided) + " selections undecided: "
                                       : "budget: " + sweep.total.str() + " selections, no counterexample in ") +
                       counts;
  }
  row.require(condition);
  if (condition.verdict == Verdict::holds) {
    row.conclusion = "no selection other than opt is locally optimal (checked)";
  }
  settle(row);
  return row;
}

Row check_data_conditions(CatalogueContext& context) {
  Row row{"C.global", "2402.05738",
          "data conditions for convergence from any start: nearly orthogonal tokens, (nearly) equal non-optimal "
          "scores, optimal tokens aligned within a class",
          Mark::recalled};
  const Instance& instance = context.instance();
  if (instance.setting != Setting::self_attention || instance.query.last || instance.query.index != 0) {
    return not_applicable(row, "the paper's model is self-attention with the first token as query");
  }
  row.require(best_tokens_unique(context));
  row.require(orthogonal_tokens(context));
  Hypothesis equal = equal_other_scores(context);
  equal.name = "non-optimal scores (nearly) equal";
  if (equal.verdict == Verdict::fails) {
    equal.verdict = Verdict::undecided;
    equal.detail = "no explicit threshold: " + equal.detail;
  }
  row.require(equal);
  row.require(aligned_best_tokens(context));
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "the conditions hold in their strictest form; convergence from any start is the paper's theorem "
                     "(recalled, not checked here)";
  }
  return row;
}

}  // namespace attest
