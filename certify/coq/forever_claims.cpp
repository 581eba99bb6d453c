// Claims about all later steps as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedRuns.v, written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"

namespace attest {

using attest_check::ForeverConclusion;
using attest_check::Rational;

// What holds from step t of the run on; the natural centre is the part of w_t orthogonal to u.
std::string ClaimExport::state_later(const ExportedRun& run, std::size_t t,
                                     const ForeverConclusion& said) const {
  const std::string sizes = step_sizes(run);
  const std::string first = coq_natural(t), later = t == 0 ? "s" : "(" + std::to_string(t) + " + s)%nat";
  const std::string eta = t == 0 ? sizes : "(fun k => " + sizes + " (" + std::to_string(t) + " + k)%nat)";
  const std::string y0 = "y " + first, y = "y " + later, w = "w " + later,
                    gained = "G * Growth.total " + eta + " s";
  CoqParts parts;
  if (attest_check::update_rule(run.specification.rule).divides) {
    parts.comment("every step of the iteration is defined: no gradient is 0");
    parts.add("(forall s, 0 < vnorm (" + gradient_ + " (w s)))");
    parts.comment("from step " + std::to_string(t) + " on");
  }
  parts.add("vnorm centre <= R");
  parts.add(coq_about(coq_real(said.height)) + " <= " + y0);
  parts.add("(forall s, vnorm (" + w + " - " + y + " * u - centre) <= bound s)");
  parts.add(said.law == attest_check::GrowthLaw::logarithmic
                ? "(forall s, exp (gamma * " + y0 + ") + " + gained + " <= exp (gamma * " + y + "))"
                : "(forall s, " + y0 + " + " + gained + " <= " + y + ")");
  parts.add("(forall s, 0 < " + y + " ->\n       1 - cosine u (" + w +
            ") <= (R + bound s) * (R + bound s) / (2 * (" + y + " * " + y + ")))");
  parts.add("is_lim_seq (fun s => cosine u (w s)) 1");
  if (said.dominates_from) {
    parts.add("(forall s i, (" + std::to_string(*said.dominates_from) +
              " <= s)%nat -> 1 / 2 < attention (w s) (" + alpha_ + " i))");
  }
  return "exists2 wstar, max_margin " + alpha_ +
         " wstar &\n"
         "    let u := (/ vnorm wstar * wstar)%V in let gamma := / vnorm wstar in\n"
         "    let M := " +
         coq_about(coq_real(said.path)) + " in let E := " + coq_about(coq_real(said.excess)) +
         " in\n    let R := " + coq_about(coq_real(said.centre)) +
         " in let G := " + coq_about(coq_real(said.growth)) +
         " in\n    let y s := dot (w s) u in let bound s := sqrt (E + M * (" + y + " - " + y0 +
         ")) in\n    " +
         (natural_centre_
              ? "let centre := (w " + first + " - " + y0 + " * u)%V in"
              : std::string("exists2 centre : vec (coord attention_problem), dot centre u = 0 &")) +
         "\n    " + parts.text();
}

namespace {

std::string fractions(const std::vector<Rational>& values) {
  std::string terms = "\n ";
  for (const Rational& value : values) terms += " " + coq_fraction(value);
  return terms;
}

}  // namespace

// A number for each group, 0 for those without two different tokens.
std::string ClaimExport::ranges(const std::vector<Rational>& values) const {
  auto next = values.begin();
  return "\n  " + coq_list(problem_.features->groups(), [&](std::size_t i) {
           return coq_fraction(problem_.features->different(i) == 1 ? Rational(0) : *next++);
         });
}

std::string ClaimExport::define_outside(const std::vector<attest_check::Constraint>& outside) {
  return " " + define_tokens("outside", outside);
}

// The bound for the constraints with a multiplier, and its hints. Sets `skipped` when none are found.
std::string ClaimExport::eigenvalue_bound(const attest_check::EigenvalueBound& eigenvalue) {
  if (cited_ == nullptr) return {};
  const auto hints = find_gram_hints(problem_, cited_->solution.at, eigenvalue.bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return {};
  }
  return " " + coq_fraction(eigenvalue.bound) + " " + define_hints(*hints);
}

// T10's constants, as AbsorbingEvidence takes them.
std::string ClaimExport::constants(const attest_check::Absorbing& theorem) {
  return ranges(theorem.output) + ranges(theorem.attention) + fractions({theorem.step_bound});
}

// T11's constants, as LocalEvidence takes them.
std::string ClaimExport::constants(const attest_check::Local& theorem) {
  const std::string outside = define_outside(theorem.outside);
  return ranges(theorem.attention) + outside +
         fractions({theorem.step_bound, theorem.ratio, theorem.extra, theorem.theta});
}

std::string ClaimExport::term(const attest_check::Residual& theorem) {
  const std::string shared = coq_fraction(theorem.path) + eigenvalue_bound(theorem.eigenvalue);
  if (const auto* local = std::get_if<attest_check::Local>(&theorem.region))
    return "(LocalResidualEvidence " + shared + constants(*local) + ")";
  return "(AbsorbingResidualEvidence " + shared +
         constants(std::get<attest_check::Absorbing>(theorem.region)) + ")";
}

std::string ClaimExport::term(const attest_check::Bounded& theorem) {
  natural_centre_ = false;
  const std::string eigenvalue = eigenvalue_bound(theorem.eigenvalue);
  const std::string pull = define_vector("pull", theorem.pull), outside = define_outside(theorem.outside);
  return "(BoundedEvidence (BoundedConstants" +
         fractions({theorem.step_bound, theorem.ratio, theorem.reach}) + eigenvalue + " " + pull + outside +
         ranges(theorem.attention) + "))";
}

std::string ClaimExport::theorem_term(const attest_check::Theorem& theorem) {
  using namespace attest_check;
  if (const auto* absorbing = dynamic_cast<const Absorbing*>(&theorem))
    return "(AbsorbingEvidence" + constants(*absorbing) + ")";
  if (const auto* local = dynamic_cast<const Local*>(&theorem))
    return "(LocalEvidence" + constants(*local) + ")";
  if (const auto* lock_in = dynamic_cast<const LockIn*>(&theorem))
    return "(LockInEvidence" + ranges(lock_in->floor) + ")";
  if (const auto* residual = dynamic_cast<const Residual*>(&theorem)) return term(*residual);
  if (const auto* bounded = dynamic_cast<const Bounded*>(&theorem)) return term(*bounded);
  claim_.unknown = claim_.kind + " with theorem " + std::string(theorem.name());
  return {};
}

std::string ClaimExport::define_conclusion(const ForeverConclusion& said) {
  std::string numbers;
  for (const Rational* number : {&said.path, &said.excess, &said.centre, &said.height})
    numbers += " " + coq_real(*number).fraction();
  claim_.definitions +=
      "Definition " + named("said") + " : conclusion big_integers := Conclusion" + numbers +
      (said.law == attest_check::GrowthLaw::logarithmic ? " true " : " false ") +
      coq_real(said.growth).fraction() + " " +
      (said.dominates_from ? "(Some " + coq_natural(*said.dominates_from) + ")" : std::string("None")) +
      ".\n";
  return named("said");
}

void ClaimExport::state(const attest_check::ForeverFromPoint& evidence) {
  const std::string cited = citation(evidence.from);
  const ExportedRun run = define_iteration(evidence.specification, evidence.start, 0);
  const std::string theorem = theorem_term(*evidence.theorem);
  if (theorem.empty()) return;
  claim_.term = "ForeverFromPoint" + problem_index() + cited + " (Some " + loss_constructor() +
                ") (StepRule " + run.term + ") (Origin " + run.start_term + ")\n  " + theorem + " " +
                define_conclusion(evidence.conclusion);
  claim_.proof = run_theorem("forever_from_point_stated", true) + " (k := 0) (m := Origin " + run.start_term +
                 ") (c := " + named("said") + ") " + run.start_proof;
  claim_.statement = state_iteration(run) + state_later(run, 0, evidence.conclusion);
}

void ClaimExport::state(const attest_check::ForeverFromRun& evidence) {
  const std::string cited = citation(evidence.from);
  const std::string theorem = theorem_term(*evidence.theorem);
  const auto found = exported_.find(evidence.run.claim);
  if (theorem.empty()) return;
  if (found == exported_.end()) {
    claim_.skipped = not_exported(evidence.run.claim);
    return;
  }
  const ExportedRun& run = *found->second.run;
  const std::size_t step = evidence.step;
  const std::string& name = run.name;
  claim_.term = "ForeverFromRun" + problem_index() + cited + " " + std::to_string(found->second.position) +
                " " + name + " " + coq_natural(step) + "\n  " + theorem + " " +
                define_conclusion(evidence.conclusion);
  claim_.proof = run_theorem("forever_from_run_stated") + " (k := 0) (j := 0) (run := " + name +
                 ") (t := " + coq_natural(step) + ") (c := " + named("said") + ") " + run.start_proof +
                 " (erefl true)";
  claim_.statement = state_iteration(run) + state_later(run, step, evidence.conclusion);
}

}  // namespace attest
