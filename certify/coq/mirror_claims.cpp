// Claims about mirror descent as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedMirror.v, written out.
#include <algorithm>

#include "certify/coq/claim_export.hpp"
#include "certify/coq/text.hpp"

namespace attest {
namespace {

using attest_check::MirrorCheckpoint;
using attest_check::StatedBand;

// Bits that the replay works with beyond those that the claim says: a guess that nothing trusts.
constexpr std::size_t spare_bits = 32;

std::string pair(const CoqBand& band) {
  return "(" + band.lo.fraction() + ", " + band.hi.fraction() + ")";
}

// A checkpoint as a term; adds what it says of the iterate, and of the solution's direction.
class Stated {
 public:
  Stated(const MirrorCheckpoint& at, const std::string& alpha, const std::string& loss, CoqParts& seen,
         CoqParts& directed)
      : step_(coq_natural(at.at)), seen_(seen), directed_(directed) {
    const std::string w = "(w " + step_ + ")", z = "(z " + step_ + ")";
    const std::string along = "dot " + z + " y / lp_norm p y";
    seen_.comment("step " + std::to_string(at.at));
    directed_.comment("step " + std::to_string(at.at));
    say(at.norm, "lp_norm p " + w);
    say(at.dual_norm, "lp_norm q " + z);
    say(at.loss_gap, "training_loss " + loss + " " + w + " - least");
    const CoqBand band = coq_band(at.unselected.lo, at.unselected.hi);
    seen_.add("(forall i, 1 - attention " + w + " (" + alpha + " i) <= " + band.hi.text + ")");
    seen_.add("(exists i, " + band.lo.text + " <= 1 - attention " + w + " (" + alpha + " i))");
    term_ += " " + pair(band);
    say(at.along, {"0 < lp_norm p y"}, along);
    say(at.bregman, {"0 < lp_norm p y", "0 < lp_norm q " + z}, "1 - " + along + " / lp_norm q " + z);
    say(at.one_minus_corr, {"0 < vnorm " + w + " * vnorm y"},
        "1 - dot " + w + " y / (vnorm " + w + " * vnorm y)");
  }

  std::string term() const { return "(MirrorCheckpoint " + step_ + term_ + ")"; }

 private:
  static std::string between(const CoqBand& band, const std::string& what) {
    return band.lo.text + " <= " + what + " <= " + band.hi.text;
  }

  void say(const StatedBand& is, const std::string& what) {
    const CoqBand band = coq_band(is.lo, is.hi);
    seen_.add(between(band, what));
    term_ += " " + pair(band);
  }

  void say(const std::optional<StatedBand>& is, const std::vector<std::string>& defined,
           const std::string& what) {
    if (!is) {
      term_ += " None";
      return;
    }
    const CoqBand band = coq_band(is->lo, is->hi);
    for (const std::string& positive : defined) directed_.add(positive);
    directed_.add(between(band, what));
    term_ += " (Some " + pair(band) + ")";
  }

  std::string step_, term_;
  CoqParts &seen_, &directed_;
};

std::string inequality_between(std::size_t since, std::size_t until, const CoqReal& constant) {
  return "(forall t, (" + std::to_string(since) + " <= t < " + std::to_string(until) +
         ")%nat -> 0 < lp_norm p (w t) /\\ 0 < lp_norm p y /\\\n"
         "      lp_norm q (z t.+1) - lp_norm q (z t) <=\n        (1 + " +
         constant.text +
         " * lp_norm p y / lp_norm p (w t)) *\n"
         "          (dot (z t.+1 - z t)%V y / lp_norm p y) +\n"
         "        dual_divergence q (w t) (z t) (z t.+1) / lp_norm p (w t))";
}

}  // namespace

void ClaimExport::state(const attest_check::MirrorRun& evidence) {
  std::string from = "None";
  if (evidence.from) from = "(Some" + citation(*evidence.from) + "%nat)";
  if (!claim_.skipped.empty()) return;
  using attest_check::Rule;
  const bool normalised = evidence.specification.rule == attest_check::MirrorRule::nmd;
  attest_check::Specification specification;
  specification.rule = normalised ? Rule::ngd : Rule::gd;
  specification.schedule = evidence.specification.schedule;
  specification.step = evidence.specification.step;
  const ExportedRun run = define_iteration(specification, evidence.start, 0);
  CoqParts parts, directed;
  directed.add("only_shortest " + alpha_ + " (lp_norm p) y");
  std::size_t last = 0;
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    last = std::max(last, evidence.checkpoints[k].at);
    return Stated(evidence.checkpoints[k], alpha_, loss_, parts, directed).term();
  });
  std::string inequality = "None";
  if (evidence.inequality) {
    const CoqReal constant = coq_upper(evidence.inequality->constant);
    inequality =
        "(Some (" + define_real("constant", constant) + ", " + coq_natural(evidence.inequality->since) + "))";
    directed.comment("T13's inequality");
    directed.add(inequality_between(evidence.inequality->since, last, constant));
  }
  if (evidence.from) parts.add("(exists y,\n    " + directed.text() + ")");
  const attest_check::Integer &a = evidence.norm.exponent.get_num(), &c = evidence.norm.exponent.get_den();
  const std::string listed = named("checkpoints"), specified = named("specification");
  claim_.definitions += "Definition " + listed + " : seq (mirror_checkpoint big_integers) :=\n  " +
                        checkpoints + ".\nDefinition " + specified +
                        " : specification big_integers :=\n  Specification " + run.term + " " +
                        run.start_term + ".\n";
  claim_.term = "MirrorRun" + problem_index() + " (" + a.get_str() + ", " + c.get_str() + ")%positive " +
                from + " " + loss_constructor() + " " + specified + " " + coq_natural(evidence.steps) +
                "\n  " + inequality + " " + listed + " " + std::to_string(evidence.bits + spare_bits) + "%Z";
  claim_.needs_best = true;
  claim_.proof = "mirror_run_stated (I := instance) (alpha := " + alpha_ +
                 ") best_tokens_best (p := 0) (cited := " + from + ") (s := " + specified +
                 ") (said := " + inequality + ") (ks := " + listed + ") " + run.start_proof;
  const std::string dual = attest_check::Integer(a - c).get_str();
  claim_.statement = "let p := " + a.get_str() + " / " + c.get_str() + " in let q := " + a.get_str() + " / " +
                     dual + " in\n    let least := least_loss best_tokens " + loss_ +
                     " in\n    let z : nat -> vec (coord attention_problem) :=\n      mirror_iterate " +
                     loss_ + " q " + (normalised ? "true " : "false ") + step_sizes(run) + " (mirror p " +
                     run.start_name + ") in\n    let w t := mirror q (z t) in\n    " +
                     (parts.text().empty() ? "True" : parts.text());
}

}  // namespace attest
