// Rows of paper D: mirror descent with the potential (1/P) sum |W_jk|^P (options().potential, mirror_step).
#include <algorithm>
#include <cmath>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/mirror_study.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {
namespace {

std::string in_norm(const MirrorStudy& study) {
  return "||.||_" + show(study.spec().exponent);
}

std::string show_ball(const Ball& ball) {
  const std::optional<Interval> ends = interval_of(ball);
  return ends ? show(*ends, 6) : "(not enclosed)";
}

std::string iteration(const MirrorStudy& study) {
  return "mirror descent, P = " + show(study.spec().exponent) + ", step " + show(study.spec().steps.step);
}

// Feasible, and its solution in the potential's norm known.
bool require_limit(CatalogueContext& context, Row& row) {
  MirrorStudy& study = context.mirror();
  row.require(some_constraint(context));
  row.require(feasible("alpha", context.solved()));
  settle(row);
  if (row.verdict != Verdict::holds) return false;
  const std::optional<MirrorLimit>& limit = study.limit();
  row.require("SVM(alpha) solved in " + in_norm(study), limit ? Verdict::holds : Verdict::undecided,
              limit ? "least norm in " + show(limit->optimum.value) : study.limit_reason());
  settle(row);
  return limit.has_value();
}

// Every support token in that norm scores less than its selected token; else one that certainly is none of
// these.
Hypothesis locally_optimal(const CatalogueContext& context, const MirrorStudy& study,
                           const MirrorLimit& limit) {
  Hypothesis local{"alpha locally optimal in " + in_norm(study), Verdict::holds,
                   "support tokens are among those that score less than the selected one"};
  if (limit.optimum.locally_optimal) return local;
  local.verdict = Verdict::undecided;
  local.detail = "precision: a token that scores no less may be a support token";
  for (std::size_t c = 0; c < limit.multipliers.size(); ++c) {
    const Constraint& at = limit.constraints[c];
    const Rational gap = score_gap(context.data(), limit.selection, at);
    if (gap > 0 || !certainly_positive(limit.multipliers[c])) continue;
    local.verdict = Verdict::fails;
    local.detail = "token " + show(at) + " is a support token with score gap " + show(gap) + " <= 0";
    break;
  }
  return local;
}

// What T17 proves from a point, or why nothing.
std::string describe(const MirrorStudy& study, const MirrorPointProof& proof) {
  return iteration(study) + ", from W(0) = 2^" + std::to_string(proof.doublings) +
         " W~, W~ within the distance known of the solution: W(t) tends to its direction, 1 - <Z,u>/||Z||_Q "
         "= O(" +
         proof.region.rate + "), 1 - s <= " + decimal_up(Rational(proof.region.unselected), 4) +
         " in every sequence at all steps (checked, T17)";
}

std::string describe_end(const MirrorStudy& study, const MirrorOutcome& run) {
  std::string text = iteration(study) + ": " + std::to_string(run.record.step) + " steps enclosed";
  if (run.record.step > 0)
    text += " with at least " + std::to_string(run.record.correct_bits) + " correct bits";
  if (!run.record.checkpoints.empty())
    text += ", then " + in_norm(study) + " = " + show_ball(run.record.checkpoints.back().norm);
  return text + " (checked)";
}

// "D_psi <= c shape(t)" with the least c along the run; empty where it heads elsewhere.
std::string describe_shapes(const MirrorOutcome& run) {
  std::string text;
  for (const RateShape& shape : run.record.shapes) {
    if (shape.whole.to == 0 || !std::isfinite(shape.whole.hi)) continue;
    text += (text.empty() ? "" : ", ") + decimal_up(Rational(shape.whole.hi), 6) + " for " + shape.name;
  }
  return text;
}

// Divergence and 1 - corr, and which matrix is meant where there may be several.
std::string describe_against(const MirrorAgainst& other) {
  if (!other.reason.empty()) return "not known, " + other.reason;
  return show_ball(other.bregman) + " and " + show_ball(other.euclidean) +
         (other.standing == SolutionStanding::only ? "" : " (" + words(other.standing) + ")");
}

constexpr const char* no_run =
    "budget: no run was made (--no-runs, or an instance whose steps would take long)";

// The hypotheses of D.local, and the point from which T17 proves the limit. Null: the row is settled.
const MirrorPointProof* require_point(CatalogueContext& context, Row& row) {
  MirrorStudy& study = context.mirror();
  row.require(loss_assumption(context));
  if (!require_limit(context, row)) return nullptr;
  row.require(locally_optimal(context, study, *study.limit()));
  settle(row);
  if (row.verdict != Verdict::holds) return nullptr;
  if (context.options().mirror_steps == 0) {
    settle(row, Verdict::undecided, no_run);
    return nullptr;
  }
  if (study.proof()) return &*study.proof();
  settle(row, Verdict::undecided,
         "budget: T17's conditions do not hold at W*, 2 W*, ...: " + study.proof_reason());
  return nullptr;
}

}  // namespace

void decide_mirror_iteration(CatalogueContext& context, Row& row) {
  MirrorStudy& study = context.mirror();
  const MirrorOutcome* run = study.run();
  if (run == nullptr) return settle(row, Verdict::undecided, no_run);
  const bool whole = run->verdict != RunVerdict::undecided;
  if (run->record.step > 0 || whole) row.conclusion = describe_end(study, *run);
  settle(row, whole ? Verdict::holds : Verdict::undecided, run->reason);
}

void decide_mirror_problem(CatalogueContext& context, Row& row) {
  if (!require_limit(context, row)) return;
  MirrorStudy& study = context.mirror();
  const NormOptimum& optimum = study.limit()->optimum;
  row.conclusion = "least " + in_norm(study) + " in " + show(optimum.value) + ", the solution within " +
                   decimal_up(*optimum.distance, 3) + " of a matrix known exactly";
  if (optimum.support_within) {
    row.conclusion += ", its support tokens among " + std::to_string(optimum.support_within->size()) +
                      " of " + std::to_string(constraint_count(context.data()));
  }
  row.conclusion += " (checked, T5)";
}

void decide_mirror_local(CatalogueContext& context, Row& row) {
  const MirrorPointProof* proof = require_point(context, row);
  if (proof == nullptr) return;
  row.conclusion = describe(context.mirror(), *proof) +
                   "; convergence from the other points of the cone is the paper's theorem (recalled)";
}

void decide_mirror_rate(CatalogueContext& context, Row& row) {
  const MirrorPointProof* proof = require_point(context, row);
  if (proof == nullptr) return;
  row.conclusion = describe(context.mirror(), *proof);
  const MirrorOutcome* run = context.mirror().run();
  if (run == nullptr || !run->settled() || run->limit->selection != context.selection()) return;
  const std::string shapes = describe_shapes(*run);
  if (shapes.empty()) return;
  row.conclusion +=
      "; on the run from W(0) D_psi <= c shape(t) up to t = " + std::to_string(run->record.step) +
      " with least c " + shapes;
}

void decide_mirror_path(CatalogueContext& context, Row& row) {
  row.require(best_token_alone(context));
  row.require(some_constraint(context));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  row.require(feasible("opt", context.solved_best()));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  const Norm norm = *parse_norm("l" + context.options().potential.str());
  if (norm.kind == NormKind::frobenius) {
    row.hypotheses.clear();
    return decide_regularisation_path(context, row);
  }
  settle_path_in_norm(context, row, norm);
}

void decide_mirror_cross(CatalogueContext& context, Row& row) {
  MirrorStudy& study = context.mirror();
  const MirrorOutcome* run = study.run();
  if (run == nullptr) return settle(row, Verdict::undecided, no_run);
  if (!run->settled()) {
    const std::string& why = run->reason.empty() ? run->limit_reason : run->reason;
    return settle(row, Verdict::undecided,
                  why.empty() ? "budget: the run has not settled on a selection yet" : why);
  }
  const MirrorAgainst* own = nullptr;
  std::size_t known = 0;
  std::string powers, others;
  for (const MirrorAgainst& other : run->against) {
    std::string& text = other.norm.exponent > 1 ? powers : others;
    text += (text.empty() ? "" : ", ") + other.norm.word + ": " + describe_against(other);
    if (other.norm.exponent > 1 && other.reason.empty()) ++known;
    if (other.norm.exponent == study.spec().exponent) own = &other;
  }
  row.conclusion = iteration(study) + ", step " + std::to_string(run->record.step) +
                   ": Bregman divergence of the solution from W, and 1 - corr, " + powers +
                   " (checked); beside them " + others;
  if (own == nullptr || known < 3)
    return settle(row, Verdict::undecided, "budget: one of the three solutions is not known");
  for (const MirrorAgainst& other : run->against) {
    if (other.norm.exponent > 1 && &other != own && !certainly_less(own->bregman, other.bregman))
      return settle(row, Verdict::undecided,
                    "budget: at this step another solution is as near: " + row.conclusion);
  }
  settle(row);
}

}  // namespace attest
