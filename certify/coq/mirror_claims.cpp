// Claims about mirror descent as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedMirror.v, written out.
#include <algorithm>

#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"
#include "certify/coq/tokens.hpp"

namespace attest {
namespace {

using attest_check::MirrorCheckpoint;
using attest_check::StatedBand;

// Bits that the replay works with beyond those that the claim says: a guess that nothing trusts.
constexpr std::size_t mirror_spare_bits = 32;

// A checkpoint as a term; adds what it says of the iterate, and of the solution's direction.
class StatedIterate {
 public:
  StatedIterate(const MirrorCheckpoint& at, const std::string& alpha, const std::string& loss, CoqParts& seen,
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
    add_unselected(seen_, band, w, alpha);
    term_ += " " + band.pair();
    say(at.along, {"0 < lp_norm p y"}, along);
    say(at.bregman, {"0 < lp_norm p y", "0 < lp_norm q " + z}, "1 - " + along + " / lp_norm q " + z);
    say(at.one_minus_corr, {"0 < vnorm " + w + " * vnorm y"},
        "1 - dot " + w + " y / (vnorm " + w + " * vnorm y)");
  }

  std::string term() const { return "(MirrorCheckpoint " + step_ + term_ + ")"; }

 private:
  void say(const StatedBand& is, const std::string& what) {
    const CoqBand band = coq_band(is.lo, is.hi);
    seen_.add(band.around(what));
    term_ += " " + band.pair();
  }

  void say(const std::optional<StatedBand>& is, const std::vector<std::string>& defined,
           const std::string& what) {
    if (!is) {
      term_ += " None";
      return;
    }
    const CoqBand band = coq_band(is->lo, is->hi);
    for (const std::string& positive : defined) directed_.add(positive);
    directed_.add(band.around(what));
    term_ += " (Some " + band.pair() + ")";
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

// What holds from step T on, in the words of lasting_parts (StatedMirror.v).
std::string lasting_statement(const attest_check::MirrorConclusion& said, const std::string& alpha,
                              const std::string& sizes, std::size_t step) {
  const std::string later = " (" + std::to_string(step) + " + t)%nat";
  const std::string rises =
      said.growth ? "height t + " + coq_real(*said.growth).text + " * " + sizes + later : "height t";
  return "exists y,\n    let u := (/ lp_norm p y * y)%V in\n    let height t := dot (z t) u in\n"
         "    only_shortest " +
         alpha + " (lp_norm p) y /\\\n    (forall t, " + rises + (said.growth ? " <= " : " < ") +
         "height t.+1) /\\\n    (forall t, 0 < height t) /\\\n"
         "    (forall t, 1 - height t / lp_norm q (z t) <= " +
         coq_upper(said.rate).text +
         " / abs_power (height t) (Rmin 1 (q - 1))) /\\\n    (forall t i, 1 - attention (w t) (" + alpha +
         " i) <= " + coq_upper(said.unselected).text +
         ") /\\\n    is_lim_seq height p_infty /\\\n"
         "    (forall j, is_lim_seq (fun t => (/ lp_norm p (w t) * w t)%V j) (u j)) /\\\n"
         "    (forall i, is_lim_seq (fun t => attention (w t) (" +
         alpha + " i)) 1)";
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
  ExportedRun run = define_iteration(specification, evidence.start, 0);
  CoqParts parts, directed;
  directed.add("only_shortest " + alpha_ + " (lp_norm p) y");
  std::size_t last = 0;
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    last = std::max(last, evidence.checkpoints[k].at);
    return StatedIterate(evidence.checkpoints[k], alpha_, loss_, parts, directed).term();
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
                "\n  " + inequality + " " + listed + " " + std::to_string(evidence.bits + mirror_spare_bits) +
                "%Z";
  run.name = specified;
  left.run = run;
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

// Of the constraints, one for each token of the data; 0 where there is no constraint.
std::string ClaimExport::define_floors(const std::vector<attest_check::Rational>& floors) {
  std::vector<attest_check::Constraint> places;
  attest_check::for_each_constraint(problem_,
                                    [&](const attest_check::Constraint& c) { places.push_back(c); });
  std::size_t k = 0;
  const std::string table = coq_list(problem_.features->groups(), [&](std::size_t i) {
    const std::vector<std::size_t> tokens = problem_tokens(problem_, i);
    return coq_list(tokens.size(), [&](std::size_t t) {
      const bool stated = k < places.size() && places[k] == attest_check::Constraint{i, tokens[t]};
      return coq_fraction(stated ? floors[k++] : attest_check::Rational(0));
    });
  });
  claim_.definitions +=
      "Definition " + named("floors") + " : seq (seq (fraction big_integers)) :=\n  " + table + ".\n";
  return named("floors");
}

void ClaimExport::state(const attest_check::MirrorForever& evidence) {
  const std::string support = citation(evidence.support);
  if (!claim_.skipped.empty()) return;
  const std::string from = " " + std::to_string(cited_->rests_on);
  const std::string cited = citation(evidence.run);
  if (!claim_.skipped.empty()) return;
  const ExportedRun run = *cited_->run;
  const auto hints =
      find_gram_hints(problem_, evidence.multipliers.at, evidence.eigenvalue.bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const attest_check::Integer &a = evidence.norm.exponent.get_num(), &c = evidence.norm.exponent.get_den();
  const attest_check::MirrorConclusion& said = evidence.conclusion;
  const std::string growth =
      said.growth ? "(Some " + define_real("growth", coq_real(*said.growth)) + ")" : "None";
  const std::string rate = define_real("rate", coq_upper(said.rate)),
                    unselected = define_real("unselected", coq_upper(said.unselected));
  const std::string tokens = define_tokens("within", evidence.multipliers.at),
                    multipliers = define_vector("multipliers", evidence.multipliers);
  const std::string floors = define_floors(evidence.plan.floors), least = define_hints(*hints);
  const auto& pieces = evidence.plan.pieces;
  const std::string heights =
      coq_list(pieces.size(), [&](std::size_t k) { return coq_fraction(pieces[k].until); });
  const std::string slopes = coq_list(pieces.size() + 1, [&](std::size_t k) {
    return coq_fraction(k < pieces.size() ? pieces[k].slope : evidence.plan.last_slope);
  });
  const std::string data = named("lasting"), step = coq_natural(evidence.step);
  claim_.definitions += "Definition " + data + " : mirror_forever_data big_integers :=\n  MirrorForeverData" +
                        support + "%nat" + cited + "%nat (" + a.get_str() + ", " + c.get_str() +
                        ")%positive" + from + "%nat " + loss_constructor() + " " + run.name + " " + step +
                        "\n  " + rate + " " + growth + " " + unselected + " " + tokens + " " + multipliers +
                        " " + coq_fraction(evidence.eigenvalue.bound) + " " + least + " " + floors + "\n  " +
                        heights + "\n  " + slopes + ".\n";
  claim_.term = "MirrorForever" + problem_index() + " " + data;
  claim_.proof = "mirror_forever_stated (I := instance) (alpha := " + alpha_ + ") (p := 0) (x := " + data +
                 ") (a := " + a.get_str() + "%positive) (c := " + c.get_str() +
                 "%positive) (erefl _) (erefl _) " + run.start_proof;
  const std::string sizes = step_sizes(run), dual = attest_check::Integer(a - c).get_str();
  const bool normalised = run.specification.rule == attest_check::Rule::ngd;
  claim_.statement =
      "let p := " + a.get_str() + " / " + c.get_str() + " in let q := " + a.get_str() + " / " + dual +
      " in\n    let z (t : nat) : vec (coord attention_problem) :=\n      mirror_iterate " + loss_ + " q " +
      (normalised ? "true " : "false ") + sizes + " (mirror p " + run.start_name + ") (" +
      std::to_string(evidence.step) + " + t)%nat in\n    let w t := mirror q (z t) in\n    " +
      lasting_statement(said, alpha_, sizes, evidence.step);
}

}  // namespace attest
