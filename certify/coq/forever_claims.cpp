// Claims about all later steps as Coq terms; the statements are those of proofs/coq/theories/StatedRuns.v,
// written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"

namespace attest {

using attest_check::Line;
using attest_check::Rational;

// "path … growth …" and the step of `dominates-from`.
struct ClaimExport::Conclusion {
  CoqReal path, excess, centre, height, growth;
  bool logarithmic = false;
  std::optional<std::size_t> dominates;

  std::string term() const {
    return "Conclusion " + path.fraction() + " " + excess.fraction() + " " + centre.fraction() + " " +
           height.fraction() + (logarithmic ? " true " : " false ") + growth.fraction() + " " +
           (dominates ? "(Some " + coq_natural(*dominates) + ")" : std::string("None"));
  }
};

ClaimExport::Conclusion ClaimExport::read_conclusion(Line line, std::optional<std::size_t> dominates) {
  const auto number = [&](const char* word) {
    line.expect(word);
    return coq_real(line.rational());
  };
  Conclusion said;
  said.dominates = dominates;
  said.path = number("path");
  said.excess = number("excess");
  said.centre = number("centre");
  said.height = number("height");
  line.expect("growth");
  said.logarithmic = line.accept("logarithmic");
  if (!said.logarithmic) line.expect("linear");
  said.growth = coq_real(line.rational());
  return said;
}

// What holds from step t of the run on; the natural centre is the part of w_t orthogonal to u.
std::string ClaimExport::state_later(const ExportedRun& run, std::size_t t, const Conclusion& said) const {
  const std::string sizes = step_sizes(run);
  const std::string first = coq_natural(t), later = t == 0 ? "s" : "(" + std::to_string(t) + " + s)%nat";
  const std::string eta = t == 0 ? sizes : "(fun k => " + sizes + " (" + std::to_string(t) + " + k)%nat)";
  const std::string y0 = "y " + first, y = "y " + later, w = "w " + later,
                    gained = "G * Growth.total " + eta + " s";
  CoqParts parts;
  if (run.specification.rule != attest_check::Rule::gd) {
    parts.comment("every step of the iteration is defined: no gradient is 0");
    parts.add("(forall s, 0 < vnorm (gradient " + loss_ + " (w s)))");
    parts.comment("from step " + std::to_string(t) + " on");
  }
  parts.add("vnorm centre <= R");
  parts.add(coq_about(said.height) + " <= " + y0);
  parts.add("(forall s, vnorm (" + w + " - " + y + " * u - centre) <= bound s)");
  parts.add(said.logarithmic
                ? "(forall s, exp (gamma * " + y0 + ") + " + gained + " <= exp (gamma * " + y + "))"
                : "(forall s, " + y0 + " + " + gained + " <= " + y + ")");
  parts.add("(forall s, 0 < " + y + " ->\n       1 - cosine u (" + w +
            ") <= (R + bound s) * (R + bound s) / (2 * (" + y + " * " + y + ")))");
  parts.add("is_lim_seq (fun s => cosine u (w s)) 1");
  if (said.dominates) {
    parts.add("(forall s i, (" + std::to_string(*said.dominates) + " <= s)%nat -> 1 / 2 < attention (w s) (" +
              alpha_ + " i))");
  }
  return "exists2 wstar, max_margin " + alpha_ +
         " wstar &\n"
         "    let u := (/ vnorm wstar * wstar)%V in let gamma := / vnorm wstar in\n"
         "    let M := " +
         coq_about(said.path) + " in let E := " + coq_about(said.excess) +
         " in\n    let R := " + coq_about(said.centre) + " in let G := " + coq_about(said.growth) +
         " in\n    let y s := dot (w s) u in let bound s := sqrt (E + M * (" + y + " - " + y0 +
         ")) in\n    " +
         (natural_centre_
              ? "let centre := (w " + first + " - " + y0 + " * u)%V in"
              : std::string("exists2 centre : vec (coord attention_problem), dot centre u = 0 &")) +
         "\n    " + parts.text();
}

namespace {

// A theorem of ForeverEvidence.v: its name in certificates, and what reads its evidence as a term.
struct Theorem {
  const char* word;
  std::string (ClaimExport::*read)();
};

}  // namespace

// The lines of groups with more than one token, with these words; a list of fractions for each word.
std::string ClaimExport::read_ranges(const std::vector<std::string>& words) {
  text_.next();  // "ranges count"
  std::vector<std::vector<std::string>> lists(words.size());
  for (std::size_t i = 0; i < problem_.features->groups(); ++i) {
    if (problem_.features->tokens_of(i) == 1) {
      for (auto& list : lists) list.push_back(coq_fraction(0));
      continue;
    }
    Line line = text_.next();
    line.expect("group");
    line.index();
    for (std::size_t k = 0; k < words.size(); ++k) {
      line.expect(words[k]);
      lists[k].push_back(coq_fraction(line.rational()));
    }
  }
  std::string terms;
  for (const auto& list : lists)
    terms += "\n  " + coq_list(list.size(), [&](std::size_t i) { return list[i]; });
  return terms;
}

// One line with these words and their numbers.
std::string ClaimExport::read_numbers(const std::vector<std::string>& words) {
  Line line = text_.next();
  std::string terms = "\n ";
  for (const std::string& word : words) {
    line.expect(word);
    terms += " " + coq_fraction(line.rational());
  }
  return terms;
}

std::string ClaimExport::read_outside() {
  Line line = text_.next();
  line.expect("outside");
  return " " + define_tokens("outside", text_.constraints(problem_, line.index()));
}

// "lambda-min …" of the constraints with a multiplier: the bound and its hints. Sets `skipped` when none are
// found.
std::string ClaimExport::read_eigenvalue_bound() {
  const Rational bound = text_.next().eigenvalue_bound().bound;
  if (cited_ == nullptr) return {};
  const auto hints = find_gram_hints(problem_, cited_->solution.at, bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return {};
  }
  return " " + coq_fraction(bound) + " " + define_hints(*hints);
}

// T10's constants, as AbsorbingEvidence takes them.
std::string ClaimExport::read_absorbing_constants() {
  const std::string numbers = read_numbers({"step-bound"});
  return read_ranges({"output", "attention"}) + numbers;
}

std::string ClaimExport::read_absorbing() {
  return "(AbsorbingEvidence" + read_absorbing_constants() + ")";
}

// T11's constants, as LocalEvidence takes them.
std::string ClaimExport::read_local_constants() {
  const std::string numbers = read_numbers({"step-bound", "ratio", "extra", "theta"}),
                    outside = read_outside();
  return read_ranges({"attention"}) + outside + numbers;
}

std::string ClaimExport::read_local() {
  return "(LocalEvidence" + read_local_constants() + ")";
}

std::string ClaimExport::read_residual() {
  Line line = text_.next();
  line.expect("region");
  const bool absorbing = line.accept("absorbing");
  if (!absorbing) line.expect("local");
  line.expect("path");
  const std::string path = coq_fraction(line.rational()), eigenvalue = read_eigenvalue_bound();
  if (absorbing) return "(AbsorbingResidualEvidence " + path + eigenvalue + read_absorbing_constants() + ")";
  return "(LocalResidualEvidence " + path + eigenvalue + read_local_constants() + ")";
}

std::string ClaimExport::read_lock_in() {
  return "(LockInEvidence" + read_ranges({"floor"}) + ")";
}

std::string ClaimExport::read_bounded() {
  natural_centre_ = false;
  const std::string numbers = read_numbers({"step-bound", "ratio", "reach"}),
                    eigenvalue = read_eigenvalue_bound();
  const std::string pull = define_vector("pull", text_.vector(problem_, "pull")), outside = read_outside();
  return "(BoundedEvidence (BoundedConstants" + numbers + eigenvalue + " " + pull + outside +
         read_ranges({"attention"}) + "))";
}

// "theorem … dominates-from …": null, and `unknown` set, when ForeverEvidence.v does not have the theorem.
ClaimExport::EvidenceReader ClaimExport::read_theorem(std::optional<std::size_t>& dominates) {
  line_.expect("theorem");
  const std::string word = line_.word();
  line_.expect("dominates-from");
  if (!line_.accept("none")) dominates = line_.index();
  static constexpr Theorem theorems[] = {{"absorbing", &ClaimExport::read_absorbing},
                                         {"local", &ClaimExport::read_local},
                                         {"lock-in", &ClaimExport::read_lock_in},
                                         {"residual", &ClaimExport::read_residual},
                                         {"bounded", &ClaimExport::read_bounded}};
  for (const Theorem& theorem : theorems) {
    if (word == theorem.word) return theorem.read;
  }
  claim_.unknown = claim_.kind + " with theorem " + word;
  return nullptr;
}

std::string ClaimExport::define_conclusion(const std::string& term) {
  claim_.definitions += "Definition " + named("said") + " : conclusion big_integers := " + term + ".\n";
  return named("said");
}

void ClaimExport::read_forever_from_point() {
  const std::string cited = citation();
  std::optional<std::size_t> dominates;
  const EvidenceReader read_evidence = read_theorem(dominates);
  if (read_evidence == nullptr) return;
  const ExportedRun run = read_iteration();
  const std::string evidence = (this->*read_evidence)();
  const Conclusion said = read_conclusion(text_.next(), dominates);
  claim_.term = "ForeverFromPoint" + problem_index() + cited + " (Some " + loss_constructor() +
                ") (StepRule " + run.term + ") (Origin " + run.start_term + ")\n  " + evidence + " " +
                define_conclusion(said.term());
  claim_.proof = "forever_from_point_stated best_tokens_best (p := 0) (k := 0) (m := Origin " +
                 run.start_term + ") (c := " + named("said") + ") " + run.start_proof;
  claim_.statement = state_iteration(run) + state_later(run, 0, said);
}

void ClaimExport::read_forever_from_run() {
  const std::string cited = citation();
  line_.expect("run");
  const auto found = exported_.find(line_.index());
  line_.expect("at");
  const std::size_t step = line_.index();
  std::optional<std::size_t> dominates;
  const EvidenceReader read_evidence = read_theorem(dominates);
  if (read_evidence == nullptr || found == exported_.end()) return;  // the run cites what this claim cites
  const ExportedRun& run = *found->second.run;
  const std::string evidence = (this->*read_evidence)();
  const Conclusion said = read_conclusion(text_.next(), dominates);
  const std::string name = define_run(run, step, " [::] " + coq_natural(0) + " [::] false");
  claim_.term = "ForeverFromRun" + problem_index() + cited + " " + name + " " + coq_natural(step) + "\n  " +
                evidence + " " + define_conclusion(said.term());
  claim_.proof = "forever_from_run_stated best_tokens_best (p := 0) (k := 0) (run := " + name +
                 ") (t := " + coq_natural(step) + ") (c := " + named("said") + ") " + run.start_proof +
                 " (erefl true)";
  claim_.statement = state_iteration(run) + state_later(run, step, said);
}

}  // namespace attest
