// Claims about runs and their later steps as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedRuns.v, written out.
#include <algorithm>
#include <cstdlib>

#include "certify/coq/claim_export.hpp"
#include "certify/coq/replay_precision.hpp"
#include "certify/coq/text.hpp"

namespace attest {
namespace {

using attest_check::Band;
using attest_check::Integer;
using attest_check::Rational;
using attest_check::Rule;
using attest_check::Schedule;

// Certificates.v's; a rule or schedule that has none there is no case here, of which the compiler warns.
const char* rule_name(Rule rule) {
  switch (rule) {
    case Rule::gd:
      return "GradientSteps";
    case Rule::ngd:
      return "NormalisedSteps";
    case Rule::polyak:
      return "PolyakSteps";
  }
  std::abort();
}

std::string integer(std::size_t n) {
  return std::to_string(n) + "%Z";
}

struct RateShape {
  const char *word, *constructor, *value;
};
constexpr RateShape rate_shapes[] = {
    {"1/t^2", "Inverse_square", "(1 / (INR t * INR t))"},
    {"1/t", "Inverse_linear", "(1 / INR t)"},
    {"log(t)/t", "Log_linear", "(ln (INR t) / INR t)"},
    {"log(t)^2/sqrt(t)", "Log_square_root", "(ln (INR t) * ln (INR t) / sqrt (INR t))"},
    {"t^(-1/2)", "Inverse_root", "(1 / sqrt (INR t))"},
    {"t^(-3/4)", "Inverse_three_quarters", "(1 / sqrt (INR t * sqrt (INR t)))"},
    {"1/log(t)", "Inverse_log", "(1 / ln (INR t))"},
    {"1/log(t)^2", "Inverse_log_square", "(1 / (ln (INR t) * ln (INR t)))"},
};

const RateShape& rate_shape(std::string_view word) {
  for (const RateShape& shape : rate_shapes) {
    if (word == shape.word) return shape;
  }
  std::abort();  // the certificate was checked
}

// The checkpoint as a term; adds what it says of the selection `alpha`.
std::string state_checkpoint(const attest_check::Checkpoint& at, const std::string& alpha,
                             const std::string& loss, const std::string& gradient, CoqParts& parts) {
  const std::string w = "(w " + coq_natural(at.step) + ")";
  parts.comment("step " + std::to_string(at.step));
  std::string term = "Checkpoint " + coq_natural(at.step);
  const auto say = [&](const Band& is, const std::string& what) {
    const CoqBand band = coq_band(is.lo, is.hi);
    parts.add(band.around(what));
    term += " " + band.pair();
  };
  say(at.norm, "vnorm " + w);
  say(at.along, "along wstar " + w);
  if (at.one_minus_corr) {
    const CoqBand band = coq_band(at.one_minus_corr->lo, at.one_minus_corr->hi);
    parts.add("0 < vnorm " + w);
    parts.add(band.around("one_minus_corr wstar " + w));
    term += " (Some " + band.pair() + ")";
  } else {
    term += " None";
  }
  say(at.loss_gap, loss + " " + w + " - least");
  say(at.gradient, "vnorm (" + gradient + " " + w + ")");
  const CoqBand band = coq_band(at.unselected.lo, at.unselected.hi);
  add_unselected(parts, band, w, alpha);
  return "(" + term + " " + band.pair() + ")";
}

// The rate of a run of `steps` steps.
std::string state_rate(const attest_check::Rate& rate, std::size_t steps, CoqParts& parts) {
  const RateShape& shape = rate_shape(rate.shape->name);
  const CoqReal constant = coq_upper(rate.constant);
  parts.add("(forall t, (" + std::to_string(rate.from) + " <= t <= " + std::to_string(steps) +
            ")%nat -> 0 < vnorm (w t) /\\\n      one_minus_corr wstar (w t) <= " + constant.text + " * " +
            shape.value + ")");
  return "(RateClaim " + std::string(shape.constructor) + " " + coq_natural(rate.from) + " " +
         constant.fraction() + ")";
}

}  // namespace

const char* coq_schedule(attest_check::Schedule schedule) {
  switch (schedule) {
    case Schedule::constant:
      return "Constant";
    case Schedule::inverse:
      return "Inverse";
    case Schedule::inverse_root:
      return "InverseRoot";
  }
  std::abort();
}

// W_0 of the run.
void ClaimExport::define_start(ExportedRun& run) {
  const std::size_t rows = problem_.features->left_dimension(),
                    columns = problem_.features->right_dimension();
  const std::string start = named("start"), unit = named("start_unit");
  run.start_term = start + " " + unit;
  Integer denominator = 1;
  for (const Rational& x : run.start) denominator = lcm(denominator, x.get_den());
  const auto entry = [&](std::size_t row, std::size_t column) {
    return coq_digits(Rational(run.start[row * columns + column] * denominator).get_num());
  };
  const auto row_text = [&](std::size_t row) {
    return "numbers " + coq_list(columns, [&](std::size_t column) { return entry(row, column); });
  };
  claim_.definitions +=
      "Definition " + start + " : seq (seq big_integers) := " +
      (run.start.empty() ? "nseq (left_dimension data) (zeros big_integers (right_dimension data))"
                         : coq_list(rows, row_text)) +
      ".\nDefinition " + unit + " : big_integers := " + coq_number(denominator) + ".\n";
  run.start_name = "vzero";
  run.start_proof = "(start_zero data _)";
  if (!run.start.empty()) {
    run.start_name = named("W0");
    run.start_proof = "(erefl " + run.start_name + ")";
    claim_.definitions += "Definition " + run.start_name +
                          " : vec (coord attention_problem) := matrix_real " + start + " (real " + unit +
                          ").\n";
  }
}

ExportedRun ClaimExport::define_iteration(const attest_check::Specification& specification,
                                          const attest_check::StartPoint& start, std::size_t fraction_bits) {
  ExportedRun run;
  run.specification = specification;
  run.fraction_bits = fraction_bits;
  run.start = start;
  run.loss = loss_;
  if (several_outputs_) run.head = output_head();
  run.alpha = alpha_;
  define_start(run);
  run.term = std::string(rule_name(run.specification.rule)) + " " + coq_schedule(run.specification.schedule) +
             " " + define_number("step", run.specification.step);
  return run;
}

void ClaimExport::state(const attest_check::Stationary& evidence) {
  ExportedRun run;
  run.start = evidence.start;
  define_start(run);
  claim_.term =
      "Stationary" + problem_index() + " (Some " + loss_constructor() + ") (Origin " + run.start_term + ")";
  claim_.proof = "stationary_stated (I := instance) (alpha := " + alpha_ + ") (p := 0) (m := Origin " +
                 run.start_term + ") " + run.start_proof;
  claim_.statement =
      "let w : vec (coord attention_problem) := " + run.start_name + " in gradient " + loss_ + " w = vzero";
}

// The exact iteration of its problem's loss as `w`; `least` is L*. The statement is about best_tokens
// (coq/file.cpp).
std::string ClaimExport::state_iteration(const ExportedRun& run) {
  if (several_outputs_) {
    return "let h : head attention_problem := " + run.head + " in\n    let least := selected_head_loss " +
           run.alpha +
           " h in\n    let w : nat -> vec (coord attention_problem) :=\n      head_iterate h least " +
           rule_name(run.specification.rule) + " " + step_sizes(run) + " " + run.start_name + " in\n    ";
  }
  claim_.needs_best = true;
  return "let least := least_loss best_tokens " + run.loss +
         " in\n    let w : nat -> vec (coord attention_problem) :=\n      iterate " + run.loss + " least " +
         rule_name(run.specification.rule) + " " + step_sizes(run) + " " + run.start_name + " in\n    ";
}

std::string ClaimExport::step_sizes(const ExportedRun& run) const {
  return std::string("(step_size ") + coq_schedule(run.specification.schedule) + " (" +
         coq_real(run.specification.step).text + "))";
}

// Guessed: the bits that the replay works with, places of its iterates beside the units of tokens and
// queries, bits of what is observed. Steps whose Jacobian is bounded lose few bits; what Polyak steps lose is
// tried.
std::string ClaimExport::define_run(const ExportedRun& run, std::size_t steps, const std::string& evidence) {
  // Of several outputs no derivative of the gradient bounds what a step loses (HeadReplay.v).
  const std::size_t lost =
      several_outputs_
          ? 32 + (attest_check::update_rule(run.specification.rule).uses_loss_gap ? 8 : 2) * steps
      : attest_check::update_rule(run.specification.rule).uses_loss_gap
          ? guess_lost_bits(*problem_.features, problem_.loss, run.specification, run.start, steps)
          : 32 + steps / 64;
  const std::size_t bits = lost + lost / 16 + run.fraction_bits + 32;
  const attest_check::Integer units =
      problem_.features->tokens().denominator() * problem_.features->queries().denominator();
  const std::size_t places = bits - std::min(bits, mpz_sizeinbase(units.get_mpz_t(), 2) - 1);
  std::string name = named("run");
  claim_.definitions += "Definition " + name + " : run_claim big_integers :=\n  RunClaim " +
                        loss_constructor() + " (Specification " + run.term + " " + run.start_term + ") " +
                        coq_natural(steps) + evidence + "\n  " + integer(bits) + " " + integer(places) + " " +
                        integer(run.fraction_bits + 96) + ".\n";
  return name;
}

// A theorem of StatedRuns.v, or its like of StatedOutputs.v, which has the loss from no run when `of_loss`.
std::string ClaimExport::run_theorem(const std::string& name, bool of_loss) const {
  if (!several_outputs_) return name + " (I := instance) erefl best_tokens_best (p := 0)";
  return "output_" + name + " (I := instance) (alpha := " + alpha_ + ") erefl (h := " + output_head() +
         ") erefl (p := 0)" + (of_loss ? " (l := " + loss_constructor() + ")" : std::string());
}

void ClaimExport::state(const attest_check::Run& evidence) {
  const std::string cited = citation(evidence.direction);
  const std::size_t steps = evidence.steps, until = evidence.decreases_until;
  const ExportedRun run = define_iteration(evidence.specification, evidence.start, evidence.fraction_bits);
  CoqParts parts;
  if (attest_check::update_rule(run.specification.rule).divides) {
    parts.add("(forall t, (t < " + std::to_string(steps) + ")%nat -> 0 < vnorm (" + gradient_ + " (w t)))");
  }
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    return state_checkpoint(evidence.checkpoints[k], alpha_, training_loss_, gradient_, parts);
  });
  if (until > 0) {
    parts.add("(forall t, (t < " + std::to_string(until) + ")%nat -> " + training_loss_ + " (w t.+1) < " +
              training_loss_ + " (w t))");
  }
  const std::string rates = coq_list(
      evidence.rates.size(), [&](std::size_t k) { return state_rate(evidence.rates[k], steps, parts); });
  left.run = run;
  if (!claim_.skipped.empty()) return;
  const std::string name = define_run(
      run, steps,
      "\n  " + checkpoints + "\n  " + coq_natural(until) + " " + rates + (keeps_path_ ? " true" : " false"));
  left.run->name = name;
  claim_.term = "Run" + problem_index() + cited + " " + name;
  claim_.proof = run_theorem("run_stated") + " (k := 0) (c := " + name + ") " + run.start_proof;
  claim_.statement = "exists wstar, [/\\ max_margin " + alpha_ + " wstar, 0 < vnorm wstar &\n    " +
                     state_iteration(run) + parts.text() + "]";
}

void ClaimExport::state(const attest_check::PathInequality& evidence) {
  const auto found = exported_.find(evidence.run.claim);
  if (found == exported_.end()) {
    claim_.skipped = not_exported(evidence.run.claim);
    return;
  }
  const ExportedRun& run = *found->second.run;
  const std::size_t from = evidence.from, until = evidence.until;
  const CoqReal constant = coq_real(evidence.constant);
  const std::string name = define_number("constant", evidence.constant);
  claim_.term = "PathInequality" + problem_index() + " " + std::to_string(found->second.position) + " " +
                run.name + " " + coq_natural(from) + " " + coq_natural(until) + " " + name;
  claim_.proof =
      run_theorem("path_stated") + " (k := 0) (c := " + run.name + ") (M := " + name + ") " + run.start_proof;
  claim_.statement =
      "exists wstar, [/\\ max_margin " + alpha_ + " wstar, 0 < vnorm wstar &\n    " + state_iteration(run) +
      "let y t := along wstar (w t) in let across t := (w t - (y t / vnorm wstar) * wstar)%V in\n"
      "    let M := " +
      coq_about(constant) +
      " in\n"
      "    forall t, (" +
      std::to_string(from) + " <= t < " + std::to_string(until) +
      ")%nat -> y t < y t.+1 /\\\n"
      "      vnorm2 (across t.+1) - vnorm2 (across t) <= M * (y t.+1 - y t)]";
}

}  // namespace attest
