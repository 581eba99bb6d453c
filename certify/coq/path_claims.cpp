// Claims about minimisers over balls and about label margins as Coq terms; the statements are those of
// proofs/coq/theories/claims/StatedRuns.v and StatedPaths.v, written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"

namespace attest {

// Both numbers are rounded up, which only weakens the claim.
void ClaimExport::state(const attest_check::RegularisationPath& evidence) {
  const std::string cited = citation(evidence.from);
  const CoqReal radius = coq_upper(evidence.radius), constant = coq_upper(evidence.constant);
  const std::string from = define_real("radius", radius), rate = define_real("constant", constant);
  claim_.term = "RegularisationPath" + problem_index() + cited + " (Some " + loss_constructor() + ") " +
                from + " " + rate;
  const std::string numbers = " (k := 0)" +
                              (several_outputs_ ? std::string() : " (l := " + loss_constructor() + ")") +
                              " (from := " + from + ") (K := " + rate + ")";
  claim_.proof = (several_outputs_ ? run_theorem("regularisation_path_stated", true)
                                   : "regularisation_path_stated (I := instance) erefl (p := 0)") +
                 numbers;
  const std::string solution =
      "exists wstar, [/\\ max_margin " + alpha_ +
      " wstar, 0 < vnorm wstar &\n    forall (r : R) (w : vec (coord attention_problem)), " +
      coq_about(radius) + " <= r ->\n      ";
  const std::string minimal =
      several_outputs_ ? "vnorm w <= r -> (forall w' : vec (coord attention_problem), vnorm w' <= r -> "
                         "head_loss h w <= head_loss h w') ->\n      "
                       : "regularised " + loss_ + " r w -> ";
  claim_.statement = (several_outputs_ ? "let h : head attention_problem := " + output_head() + " in\n    "
                                       : std::string()) +
                     solution + minimal + "1 - dot w wstar / (vnorm wstar * r) <= " + coq_about(constant) +
                     " / r]";
}

// As above.
void ClaimExport::state(const attest_check::PathResidual& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const attest_check::Rational& least = evidence.eigenvalue.bound;
  const auto hints = find_gram_hints(problem_, cited_->listed, least, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const CoqReal radius = coq_upper(evidence.radius), residual = coq_upper(evidence.residual);
  const std::string from = define_real("radius", radius), rest = define_real("residual", residual);
  const std::string eigenvalue = define_number("least_eigenvalue", least);
  const std::string proved = define_hints(*hints), pull = define_vector("pull", evidence.pull);
  claim_.term = "PathResidual" + problem_index() + cited + " (Some " + loss_constructor() + ") " + from +
                " " + rest + " " + eigenvalue + " " + proved + " " + pull;
  claim_.proof = "path_residual_stated (I := instance) (p := 0) (k := 0) (l := " + loss_constructor() +
                 ") (from := " + from + ") (X := " + rest + ") (least := " + eigenvalue +
                 ") (hints := " + proved + ") (pull := " + pull + ")";
  claim_.statement =
      "exists wstar, [/\\ max_margin " + alpha_ +
      " wstar, 0 < vnorm wstar &\n    let u := (/ vnorm wstar * wstar)%V in\n    forall (r : R) "
      "(w : vec (coord attention_problem)), " +
      coq_about(radius) + " <= r ->\n      regularised " + loss_ +
      " r w -> vnorm (w - dot w u * u)%V <= " + coq_about(residual) + "]";
}

namespace {

std::string cover_node(const attest_check::HalvedPiece&) {
  return "HalvedPiece _";
}

std::string cover_node(const attest_check::OpenedPiece& node) {
  return "OpenedPiece _ " + std::to_string(node.group);
}

std::string cover_node(const attest_check::ProvedPiece& node) {
  const std::string tokens =
      coq_list(node.tokens.size(), [&](std::size_t k) { return std::to_string(node.tokens[k]); }) + "%nat";
  if (node.weights.empty()) {
    return "ProvedByMultipliers _ " + std::to_string(node.multipliers) + " " + tokens;
  }
  return "ProvedByWeights (numbers " +
         coq_list(node.weights.size(), [&](std::size_t k) { return coq_digits(node.weights[k]); }) + ") " +
         tokens;
}

}  // namespace

void ClaimExport::state(const attest_check::LabelMargins& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const CoqReal cost = coq_real(evidence.cost);
  const std::string nu = define_real("nu", cost);
  const std::string vectors = coq_list(evidence.vectors.size(), [&](std::size_t k) {
    return define_vector("multipliers_" + std::to_string(k + 1), evidence.vectors[k]);
  });
  const std::string cover = named("cover");
  claim_.definitions +=
      "Definition " + cover + " : seq (cover_node big_integers) :=\n  " +
      coq_list(evidence.nodes.size(),
               [&](std::size_t k) {
                 return std::visit([](const auto& node) { return cover_node(node); }, evidence.nodes[k]);
               }) +
      ".\n";
  const std::string shown =
      cited + " " + std::to_string(cited_->rests_on) + " " + nu + " " + vectors + " " + cover;
  claim_.term = "LabelMargins" + problem_index() + shown;
  left.evidence = named("shown");
  claim_.definitions += "Definition " + left.evidence +
                        " : label_margins_data big_integers :=\n  LabelMarginsData" + shown + ".\n";
  const std::string number = std::to_string(problem_.number);
  claim_.needs_chosen = true;
  claim_.proof = "label_margins_stated (I := instance) " + alpha_ + "_selects (other := " + alpha_ +
                 ") (p := 0) (k := 0) (j := 0) (nu := " + nu + ") (vs := " + vectors +
                 ") (nodes := " + cover + ") chosen_" + number + "_selects";
  claim_.statement = "exists v, [/\\ max_margin " + alpha_ +
                     " v, 0 < vnorm v &\n    (* However s shares the attention; labelled_output s i is its "
                     "Y_i sum_t s_t x_it. *)\n"
                     "    forall s : token attention_problem -> R,\n"
                     "    (forall t, 0 <= s t) -> (forall i, \\sum_(t | group_of t == i) s t = 1) ->\n"
                     "    forall u, vnorm u <= 1 ->\n    exists i : data_group data, supports_decoder " +
                     alpha_ + " v i /\\\n      forall i' : data_group data, supports_decoder " + alpha_ +
                     " v i' ->\n      dot (labelled_output s i) u <= / vnorm v - " + coq_about(cost) +
                     " * (1 - s (chosen_" + number + " i'))]";
}

// Constants are rounded up but for those of the theorem, which are given.
void ClaimExport::state(const attest_check::JointPath& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  std::string plain = "None";
  if (evidence.plain) plain = "(Some" + citation(*evidence.plain) + "%nat)";
  const std::string margins_position = citation(evidence.margins);
  if (!claim_.skipped.empty()) return;
  const std::string margins = cited_->evidence;
  const std::string decoder = "alpha_" + std::to_string(cited_->problem);
  const std::string loss = attest_check::tailed_loss_names[static_cast<std::size_t>(evidence.loss)];
  const std::string constructor =
      evidence.loss == attest_check::TailedLoss::logistic ? "Logistic" : "Exponential";
  const std::string constants = named("constants");
  std::string listed;
  const auto rounded = [&](const attest_check::Rational& x) {
    const CoqReal up = coq_upper(x);
    listed += "\n    " + up.fraction();
    return coq_about(up);
  };
  const std::string from = rounded(evidence.radius), decoder_from = rounded(evidence.decoder_radius),
                    slope = rounded(evidence.slope), decay = rounded(evidence.decay),
                    decoder_rate = rounded(evidence.decoder_rate), rate = rounded(evidence.rate);
  claim_.definitions += "Definition " + constants + " : joint_constants big_integers :=\n  JointConstants" +
                        listed + "\n    " + coq_fraction(evidence.excess) + " " +
                        coq_fraction(evidence.window) + ".\n";
  claim_.term = "JointPath" + problem_index() + cited + " " + margins + " " + plain + " " + constructor +
                " " + constants;
  const std::string relaxed =
      coq_list(problem_.relaxed.size(), [&](std::size_t k) { return std::to_string(problem_.relaxed[k]); }) +
      "%nat";
  const std::string number = std::to_string(problem_.number);
  claim_.proof = "joint_path_stated (I := instance) (sel := selection_" + number + ") " + decoder +
                 "_selects\n  (q := posing_of problem_" + number + ") (other := " + alpha_ +
                 ") (p := 0) (k := 0) (margins := " + margins + ") (plain := " + plain +
                 ") (l := " + constructor + ") (c := " + constants + ") (groups := " + relaxed +
                 ") (erefl _) " + alpha_ + "_selects";
  claim_.statement =
      "exists vstar wstar,\n  [/\\ max_margin " + decoder +
      " vstar /\\ 0 < vnorm vstar,\n    forall t, constraint " + decoder + " t ->\n      (margin " + decoder +
      " vstar t = 1 <-> (tag (t : data_token data_" + std::to_string(cited_->problem) + ") : nat) \\notin " +
      relaxed + "),\n    " + about("max_margin") +
      " wstar /\\ 0 < vnorm wstar &\n    forall (radius r : R) v (w : vec (coord attention_problem)), " +
      from + " <= radius -> 0 < radius ->\n      " + decoder_from + " <= r -> " + slope +
      " * radius <= r ->\n      (* over |v| <= r and |w| <= radius *)\n      jointly_regularised "
      "(@labelled_value _ instance) " +
      loss + " r radius v w ->\n      1 - dot v vstar / (vnorm vstar * r) <=\n        " + decay +
      " * exp (- (radius / vnorm wstar)) + " + decoder_rate +
      " / r /\\\n      1 - dot w wstar / (vnorm wstar * radius) <= " + rate + " / radius]";
}

}  // namespace attest
