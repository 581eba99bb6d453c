// Claims about the attention stage's training on sentences as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedTokens.v, written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/replay_precision.hpp"
#include "certify/coq/text.hpp"
#include "certify/coq/token_guesses.hpp"

namespace attest {
namespace {

using attest_check::ShiftedSentence;
using attest_check::TokenCheckpoint;

// A checkpoint as a term; adds what it says.
std::string say(const TokenCheckpoint& at, const std::string& alpha, CoqParts& parts) {
  const std::string step = coq_natural(at.at), w = "(w " + step + ")",
                    norms = "vnorm " + w + " * vnorm wstar";
  const CoqBand norm = coq_band(at.norm.lo, at.norm.hi), loss = coq_band(at.loss_gap.lo, at.loss_gap.hi),
                off = coq_band(at.unselected.lo, at.unselected.hi);
  parts.comment("step " + std::to_string(at.at));
  parts.add(norm.around("vnorm " + w));
  parts.add(loss.around("head_loss h " + w + " - least"));
  add_unselected(parts, off, w, alpha);
  std::string correlation = "None";
  if (at.one_minus_corr) {
    const CoqBand band = coq_band(at.one_minus_corr->lo, at.one_minus_corr->hi);
    parts.add("0 < " + norms);
    parts.add(band.around("1 - dot " + w + " wstar / (" + norms + ")"));
    correlation = "(Some " + band.pair() + ")";
  }
  return "(TokenCheckpoint " + step + " " + norm.pair() + " " + loss.pair() + " " + off.pair() + " " +
         correlation + ")";
}

std::string naturals(const std::vector<std::size_t>& numbers) {
  return coq_list(numbers.size(), [&](std::size_t k) { return std::to_string(numbers[k]); }) + "%nat";
}

}  // namespace

ExportedStages ClaimExport::define_stages(const attest_check::TokenTraining& steps) {
  const CoqReal fed = coq_real(steps.fed_step), step = coq_real(steps.step);
  const std::string name = named("training");
  claim_.definitions += "Definition " + name + " : token_training big_integers :=\n  TokenTraining " +
                        fed.fraction() + " " + coq_natural(steps.fed_steps) + " " + step.fraction() + ".\n";
  return {name,
          "INR " + std::to_string(steps.fed_steps) + " * (" + fed.text +
              ") / sqrt (INR (paired_tokens pairs) * (V - 1) / V)",
          step.text};
}

// The head, of which y are the selected tokens' outputs.
std::string ClaimExport::about_training(const ExportedStages& stages, bool with_least) const {
  return "let V := INR (left_dimension data) in\n"
         "    let next := @next_token big_integers data pairs in\n"
         "    (* what is next to a token is above all other outputs by c, where the feed-forward stage is "
         "left *)\n"
         "    let c := " +
         stages.scale + " in\n" + (with_least ? "    let least := ln (1 + (V - 1) * exp (- c)) in\n" : "") +
         "    exists y : group attention_problem -> 'I_(left_dimension data),\n"
         "    (forall i, next (" +
         alpha_ + " i) = Some (y i)) /\\\n    let h := token_head next y c in\n    ";
}

std::string ClaimExport::every_training(const ExportedStages& stages) const {
  return "(* every training from 0 by normalised steps of this length *)\n"
         "    forall w : nat -> vec (coord attention_problem), w 0%nat = vzero ->\n"
         "      head_follows h 0 NormalisedSteps (fun=> " +
         stages.step + ") w ->\n    ";
}

void ClaimExport::state(const attest_check::TokenRun& evidence) {
  std::string from = "None", solved;
  if (evidence.from) {
    from = "(Some" + citation(*evidence.from) + "%nat)";
    solved = "exists wstar, max_margin " + alpha_ + " wstar /\\\n    ";
  }
  if (!claim_.skipped.empty()) return;
  left.stages = define_stages(evidence.training);
  CoqParts parts;
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    return say(evidence.checkpoints[k], alpha_, parts);
  });
  const std::string listed = named("checkpoints"), steps = coq_natural(evidence.steps);
  claim_.definitions +=
      "Definition " + listed + " : seq (token_checkpoint big_integers) :=\n  " + checkpoints + ".\n";
  claim_.term = "TokenRun" + problem_index() + " " + from + " pairs " + left.stages->name + " " + steps +
                "\n  " + listed + " " + std::to_string(evidence.bits + spare_bits) + "%Z";
  claim_.proof = "token_run_stated (I := instance) (alpha := " + alpha_ +
                 ") (pairs := pairs) (r := " + left.stages->name + ") (p := 0) (cited := " + from +
                 ") (n := " + steps + ") (ks := " + listed + ")";
  claim_.statement = about_training(*left.stages, true) + solved + every_training(*left.stages) +
                     (parts.text().empty() ? "True" : parts.text());
}

void ClaimExport::state(const attest_check::TokenForever& evidence) {
  const std::string solution = citation(evidence.solution);
  if (!claim_.skipped.empty()) return;
  const std::string run = citation(evidence.run);
  if (!claim_.skipped.empty()) return;
  left.stages = *cited_->stages;
  left.step = evidence.step;
  const attest_check::TokenConclusion& said = evidence.conclusion;
  const CoqReal off = coq_real(said.unselected), decrease = coq_real(said.decrease),
                loss = coq_real(said.loss_gap), ratio = coq_real(said.loss_ratio),
                height = coq_real(said.height), growth = coq_real(said.growth), lag = coq_real(said.lag),
                residual = coq_real(said.residual), path = coq_real(said.path);
  const std::string future = named("later"), square = named("square"), vectors = named("vectors");
  claim_.definitions += "Definition " + future + " : token_future big_integers :=\n  TokenFuture";
  for (const CoqReal* x : {&off, &decrease, &loss, &ratio, &height, &growth, &lag, &residual, &path})
    claim_.definitions += " " + x->fraction();
  const AskingSentences asking(problem_);
  claim_.definitions += ".\nDefinition " + square + " : big_integers := " + asking.square() +
                        ".\nDefinition " + vectors + " : seq (column_vectors big_integers) :=\n  " +
                        asking.vectors() + ".\n";
  const std::string step = coq_natural(evidence.step);
  claim_.term = "TokenForever" + problem_index() + solution + run + " pairs " + left.stages->name + " " +
                step + " " + future + " " + square + " " + vectors;
  claim_.proof = "token_forever_stated (I := instance) (alpha := " + alpha_ +
                 ") (pairs := pairs) (r := " + left.stages->name + ") (p := 0) (t := " + step +
                 ") (c := " + future + ") (square := " + square + ") (vectors := " + vectors + ")";
  claim_.statement =
      about_training(*left.stages, true) + "exists wstar, [/\\ max_margin " + alpha_ +
      " wstar, 0 < vnorm wstar &\n    " + every_training(*left.stages) + "let z n := w (" +
      std::to_string(evidence.step) + " + n)%nat in\n    let u := (/ vnorm wstar * wstar)%V in\n" +
      "    let height n := dot (z n) u in\n    " + height.text + " <= height 0%nat /\\\n" +
      "    vnorm (z 0%nat - height 0%nat * u)%V <= " + residual.text +
      " /\\\n    (forall n, head_loss h (z n.+1) <=\n      head_loss h (z n) - " + decrease.text + " * (" +
      left.stages->step + " * vnorm (head_gradient h (z n)))) /\\\n" +
      "    (forall n, head_loss h (z n) - least <= " + loss.text + " * (" + ratio.text +
      ") ^ n) /\\\n    (forall n i, 1 - attention (z n) (" + alpha_ + " i) <= " + off.text +
      ") /\\\n    (forall n, height n <= height n.+1) /\\\n" + "    (forall n, height 0%nat + " +
      growth.text + " * INR n - " + lag.text +
      " <= height n) /\\\n    (forall n, vnorm2 (z n - z 0%nat - (height n - height 0%nat) * u)%V <= " +
      path.text + " * INR n)]";
}

std::string ClaimExport::define_sentences(const std::vector<ShiftedSentence>& sentences, bool later) {
  const AskingSentences asking(problem_);
  std::string name = named("sentences");
  const auto sentence = [&](std::size_t k) {
    const ShiftedSentence& said = sentences[k];
    const bool proved = later && said.from.has_value();
    return "ShiftedSentence " + naturals(said.context) + " " + coq_natural(said.next) + " " +
           (proved ? "(Some " + coq_natural(*said.from) + ") " + asking.paths(said.context, said.next)
                   : std::string("None [::]"));
  };
  claim_.definitions +=
      "Definition " + name + " : seq shifted_sentence :=\n  " + coq_list(sentences.size(), sentence) + ".\n";
  return name;
}

void ClaimExport::state(const attest_check::TokenShift& evidence) {
  const std::string solution = citation(evidence.solution);
  if (!claim_.skipped.empty()) return;
  std::string later = "None", theorem = "token_shift_stated", named_training, training;
  CoqParts predicted, lasting;
  predicted.add("max_margin " + alpha_ + " wstar");
  if (evidence.forever) {
    const std::string cited = citation(*evidence.forever);
    if (!claim_.skipped.empty()) return;
    const ExportedStages& stages = *cited_->stages;
    later = "(Some (" + cited + "%nat, (" + stages.name + ", " + coq_natural(cited_->step) + ")))";
    theorem = "token_shift_later_stated";
    named_training = " (r := " + stages.name + ")";
    training = about_training(stages, false) + every_training(stages);
  }
  const std::string sentences = define_sentences(evidence.sentences, evidence.forever.has_value());
  for (const ShiftedSentence& said : evidence.sentences) {
    const std::string words = naturals(said.context) + " " + std::to_string(said.next);
    predicted.add("predicts_next pairs wstar " + words);
    if (said.from)
      lasting.add("(forall t, (" + std::to_string(*said.from) + " <= t)%nat -> attends_most pairs (w t) " +
                  words + ")");
  }
  claim_.term = "TokenShift" + problem_index() + solution + " " + later + " pairs " + sentences;
  claim_.proof = theorem + " (I := instance) (alpha := " + alpha_ + ") (pairs := pairs)" + named_training +
                 " (p := 0) (ss := " + sentences + ")";
  claim_.statement = "(exists wstar,\n    " + predicted.text() + ")";
  if (evidence.forever) {
    claim_.statement += " /\\\n    " + training + (lasting.text().empty() ? "True" : lasting.text());
  }
}

}  // namespace attest
