// Claims about training of factors as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedFactored.v, written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/replay_precision.hpp"
#include "certify/coq/text.hpp"

namespace attest {
namespace {

using attest_check::FactoredCheckpoint;
using attest_check::FactoredRule;
using attest_check::StatedBand;

// A checkpoint as a term; adds what it says of the factors, and of W's correlation with the solution and with
// the matrix of least nuclear norm.
class StatedFactors {
 public:
  StatedFactors(std::size_t step, const std::string& alpha, const std::string& loss)
      : step_(coq_natural(step)), word_("step " + std::to_string(step)), alpha_(alpha), loss_(loss) {}

  std::string say(const FactoredCheckpoint& at, CoqParts& seen, CoqParts& directed, CoqParts& nuclear) {
    const std::string s = "(s " + step_ + ")", w = "(w " + step_ + ")";
    seen.comment(word_);
    add(at.left, "family_norm (left_factor " + s + ")", seen);
    add(at.right, "family_norm (right_factor " + s + ")", seen);
    add(at.norm, "vnorm " + w, seen);
    add(at.balance, "balance_norm " + s, seen);
    add(at.loss_gap, "training_loss " + loss_ + " " + w + " - least", seen);
    const CoqBand band = coq_band(at.unselected.lo, at.unselected.hi);
    add_unselected(seen, band, w, alpha_);
    term_ += " " + band.pair();
    correlation(at.one_minus_corr, w, "wstar", directed);
    correlation(at.nuclear_one_minus_corr, w, "y", nuclear);
    return "(FactoredCheckpoint " + step_ + term_ + ")";
  }

 private:
  void add(const StatedBand& is, const std::string& what, CoqParts& parts) {
    const CoqBand band = coq_band(is.lo, is.hi);
    parts.add(band.around(what));
    term_ += " " + band.pair();
  }

  void correlation(const std::optional<StatedBand>& is, const std::string& w, const std::string& with,
                   CoqParts& parts) {
    if (!is) {
      term_ += " None";
      return;
    }
    const CoqBand band = coq_band(is->lo, is->hi);
    const std::string norms = "vnorm " + w + " * vnorm " + with;
    parts.comment(word_);
    parts.add("0 < " + norms);
    parts.add(band.around("1 - dot " + w + " " + with + " / (" + norms + ")"));
    term_ += " (Some " + band.pair() + ")";
  }

  const std::string step_, word_, &alpha_, &loss_;
  std::string term_;
};

}  // namespace

// K_0, Q_0 and the steps, as a term of the factored_training type.
ExportedTraining ClaimExport::define_training(const attest_check::FactoredRun& evidence) {
  const auto& steps = evidence.specification;
  const std::string normalised = steps.rule == FactoredRule::ngd ? "true" : "false";
  const std::string schedule = coq_schedule(steps.schedule), step = define_number("step", steps.step);
  const std::string left = define_matrix("left", evidence.start.left),
                    right = define_matrix("right", evidence.start.right);
  const std::string name = named("training");
  claim_.definitions += "Definition " + name + " : factored_training big_integers :=\n  FactoredTraining " +
                        coq_natural(evidence.rank) + " " + normalised + " " + schedule + " " + step + " " +
                        left + " " + right + ".\n";
  return {name, "factors_iterate (fun w => - gradient (p := attention_problem) " + loss_ + " w)%V " +
                    normalised + " (step_size " + schedule + " (" + coq_real(steps.step).text +
                    "))\n        (training_start data " + name + ")"};
}

void ClaimExport::state(const attest_check::FactoredRun& evidence) {
  std::string from = "None", nuclear = "None", let_y;
  if (evidence.from) from = "(Some" + citation(*evidence.from) + "%nat)";
  if (evidence.nuclear) {
    const std::string cited = citation(*evidence.nuclear);
    if (!claim_.skipped.empty()) return;
    nuclear = "(Some (" + cited + "%nat, (" + cited_->rows + ", " + cited_->unit + ")))";
    let_y = "let y : vec (coord attention_problem) := matrix_real (" + cited_->rows + ") (real (" +
            cited_->unit + ")) in\n    ";
  }
  if (!claim_.skipped.empty()) return;
  left.training = define_training(evidence);
  const auto& [training, iterate] = *left.training;
  CoqParts parts, directed, turned;
  directed.add("max_margin " + alpha_ + " wstar");
  turned.add("separates " + alpha_ + " y");
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    const FactoredCheckpoint& at = evidence.checkpoints[k];
    return StatedFactors(at.at, alpha_, loss_).say(at, parts, directed, turned);
  });
  if (evidence.from) parts.add("(exists wstar,\n    " + directed.text() + ")");
  const std::string listed = named("checkpoints");
  if (evidence.nuclear) parts.add(turned.text());
  claim_.definitions +=
      "Definition " + listed + " : seq (factored_checkpoint big_integers) :=\n  " + checkpoints + ".\n";
  claim_.term = "FactoredRun" + problem_index() + " " + from + " " + nuclear + " " + loss_constructor() +
                " " + training + " " + coq_natural(evidence.steps) + "\n  " + listed + " " +
                std::to_string(evidence.bits + spare_bits) + "%Z";
  claim_.needs_best = true;
  claim_.proof = "factored_run_stated (I := instance) (alpha := " + alpha_ +
                 ") best_tokens_best (p := 0) (cited := " + from + ") (nuclear := " + nuclear +
                 ") (r := " + training + ") (ks := " + listed + ")";
  claim_.statement = "let least := least_loss best_tokens " + loss_ + " in\n    " + let_y +
                     "let s :=\n      " + iterate +
                     " in\n    let w t : vec (coord attention_problem) := pair_product (s t) in\n    " +
                     (parts.text().empty() ? "True" : parts.text());
}

void ClaimExport::state(const attest_check::FactoredForever& evidence) {
  const std::string run = citation(evidence.run);
  if (!claim_.skipped.empty()) return;
  const ExportedTraining training = *cited_->training;
  std::string share = "None", best_share;
  if (evidence.nuclear) {
    const std::string cited = citation(evidence.nuclear->optimum);
    if (!claim_.skipped.empty()) return;
    const CoqReal least = coq_real(evidence.nuclear->share);
    share = "(Some (" + cited + "%nat, " + define_real("share", least) + "))";
    best_share = " /\\\n    (forall t c w', constraint " + alpha_ + " c -> separates " + alpha_ +
                 " w' ->\n      " + least.text + " * norm (w t) <= margin " + alpha_ + " (w t) c * norm w')";
  }
  const CoqReal slope = coq_real(evidence.margin), growth = coq_real(evidence.growth),
                least = coq_real(evidence.attention), drift = coq_real(evidence.drift);
  const std::string step = coq_natural(evidence.step);
  claim_.term = "FactoredForever" + problem_index() + run + " " + loss_constructor() + " " + training.name +
                " " + step + " " + define_real("slope", slope) + " " + define_real("growth", growth) + " " +
                define_real("attention", least) + " " + define_real("drift", drift) + " " + share;
  claim_.proof = "factored_forever_stated (I := instance) (alpha := " + alpha_ +
                 ") (p := 0) (r := " + training.name + ")";
  claim_.statement = "let z (t : nat) :=\n      " + training.iterate + " (" + std::to_string(evidence.step) +
                     " + t)%nat in\n    let w t : vec (coord attention_problem) := pair_product (z t) in\n"
                     "    let excess t := training_loss " +
                     loss_ + " (w t) - least_loss " + alpha_ + " " + loss_ +
                     " in\n    let size t := factors_square (z t) in\n"
                     "    let norm := @nuclear_norm [finType of 'I_(left_dimension data)] [finType of "
                     "'I_(right_dimension data)] in\n"
                     "    globally_optimal " +
                     alpha_ +
                     " /\\\n    (forall t, 0 < excess t.+1 <= excess t) /\\\n"
                     "    (forall t, excess t <= / (/ excess 0%nat + " +
                     growth.text +
                     " * INR t)) /\\\n"
                     "    is_lim_seq excess 0 /\\\n"
                     "    (forall t c, constraint " +
                     alpha_ + " c -> " + slope.text + " * (size t / 2) <= margin " + alpha_ +
                     " (w t) c) /\\\n    (forall t, norm (w t) <= size t / 2) /\\\n"
                     "    is_lim_seq size p_infty /\\\n"
                     "    (forall t i, " +
                     least.text + " <= attention (w t) (" + alpha_ +
                     " i)) /\\\n"
                     "    (forall i, is_lim_seq (fun t => attention (w t) (" +
                     alpha_ +
                     " i)) 1) /\\\n"
                     "    (* how far K'K - Q'Q moves in all *)\n"
                     "    (forall t, total (balance_move z) t <= " +
                     drift.text + ")" + best_share;
}

}  // namespace attest
