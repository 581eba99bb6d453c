// Claims about margin problems as Coq terms: one function for each claim kind of
// proofs/coq/theories/claims/Certificates.v; the statements are the cases of claim_meaning there, in the
// words of Selection.v and Claims.v.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"
#include "certify/coq/tokens.hpp"

namespace attest {

using attest_check::Constraint;
using attest_check::ConstraintVector;
using attest_check::Integer;
using attest_check::Rational;

namespace {

// The gaps of a head of several outputs.
std::string all_gaps(const std::string& alpha) {
  return "(forall t, constraint " + alpha + " t -> 0 < output_gap instance " + alpha + " t)";
}

std::string support_gaps(const std::string& alpha) {
  return "(exists wstar, max_margin " + alpha + " wstar /\\\n    forall t, support " + alpha +
         " wstar t -> 0 < output_gap instance " + alpha + " t)";
}

std::string token_words(const attest_check::Problem& problem, const Constraint& c) {
  return " " + std::to_string(c.group) + " " + std::to_string(data_constraint(problem, c));
}

std::string not_global_words(const attest_check::Problem& problem, const Constraint& c) {
  return " (i := " + std::to_string(c.group) + ") (s := " + std::to_string(data_constraint(problem, c)) + ")";
}

}  // namespace

std::string ClaimExport::define_hints(const GramHints& hints) {
  claim_.definitions += "Definition " + named("hints") + " : gram_hints big_integers := GramHints";
  for (const std::size_t bits : {hints.token_bits, hints.query_bits, hints.entry_bits}) {
    claim_.definitions += " " + std::to_string(bits) + "%Z";
  }
  for (const auto& hint : {hints.shift, hints.residual_bound, hints.distance_bound}) {
    claim_.definitions += "\n  " + coq_number(hint);
  }
  claim_.definitions += hints.in_words ? " true.\n" : " false.\n";
  return named("hints");
}

void ClaimExport::state(const attest_check::Feasible& evidence) {
  claim_.term = "Feasible" + problem_index() + " " + define_vector("separator", evidence.separator);
  claim_.statement = about("feasible");
}

void ClaimExport::state(const attest_check::Infeasible& evidence) {
  claim_.statement = "~ " + about("feasible");
  std::visit([&](const auto& form) { state_form(form); }, evidence.form);
}

void ClaimExport::state_form(const attest_check::FarkasEvidence& vanishing) {
  claim_.term = "Infeasible" + problem_index() + " " + define_vector("farkas", vanishing.farkas);
}

void ClaimExport::state_form(const attest_check::SpanningEvidence& nearly) {
  const Rational& bound = nearly.eigenvalue.bound;
  const auto hints = find_gram_hints(problem_, nearly.spanning, bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const std::string combination = define_vector("combination", nearly.combination);
  const std::string least = define_number("least_eigenvalue", bound);
  claim_.term = "InfeasibleSpanning" + problem_index() + " " + combination + " " + least + " " +
                define_tokens("spanning", nearly.spanning) + " " + define_hints(*hints);
}

void ClaimExport::state(const attest_check::Optimal& evidence) {
  const std::string norm = define_number("norm_squared", evidence.stated);
  left.solution = evidence.multipliers;
  for (std::size_t k = 0; k < left.solution.size(); ++k) {
    if (left.solution.numerator[k] > 0) left.listed.push_back(left.solution.at[k]);
  }
  const std::string vector = define_vector("multipliers", left.solution);
  claim_.term = "Optimal" + problem_index() + " " + norm + " " + vector;
  claim_.statement = about("max_margin") + " (" + solution(vector) + ") /\\\n  vnorm2 (" + solution(vector) +
                     ") = fraction_real " + norm;
}

void ClaimExport::state(const attest_check::OptimalEnclosure& evidence) {
  std::visit([&](const auto& form) { state_form(form); }, evidence.form);
}

void ClaimExport::state_form(const attest_check::GapEvidence& gap) {
  left.gap = true;
  const std::string lo = define_number("norm_squared_lo", gap.lo),
                    hi = define_number("norm_squared_hi", gap.hi);
  const std::string distance = define_number("distance_squared", gap.distance_squared);
  const std::string primal = define_vector("primal", gap.primal), dual = define_vector("dual", gap.dual);
  claim_.term =
      "EnclosureGap" + problem_index() + " " + lo + " " + hi + " " + distance + " " + primal + " " + dual;
  claim_.statement = "exists wstar, [/\\ " + about("max_margin") + " wstar,\n    fraction_real " + lo +
                     " <= vnorm2 wstar <= fraction_real " + hi + " &\n    vnorm2 (" + solution(primal) +
                     " - wstar)%V <= fraction_real " + distance + "]";
}

void ClaimExport::state_form(const attest_check::BallEvidence& ball) {
  const Rational& bound = ball.eigenvalue.bound;
  const ConstraintVector& listed = left.solution = ball.multipliers;
  left.listed = listed.at;
  const auto hints = find_gram_hints(problem_, listed.at, bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const std::string lo = define_number("norm_squared_lo", ball.lo),
                    hi = define_number("norm_squared_hi", ball.hi);
  const std::string radius = define_number("radius", ball.radius),
                    multiplier_radius = define_number("multiplier_radius", ball.multiplier_radius);
  const std::string least = define_number("least_eigenvalue", bound);
  const std::string vector = define_vector("multipliers", listed),
                    tokens = define_tokens("tokens", listed.at);
  claim_.term = "EnclosureBall" + problem_index() + " " + lo + " " + hi + " " + radius + " " +
                multiplier_radius + " " + least + " " + tokens + " " + vector + " " + define_hints(*hints);
  const std::string member = rows_.member + " " + tokens + " t",
                    at = rows_.values + " " + vector + " t - lamstar t";
  const bool senses = !rows_.senses.empty();
  const std::string tight = senses ? "constraint " + alpha_ + " t /\\ margin " + alpha_ +
                                         " wstar t = asked (" + rows_.senses + " t)"
                                   : "support " + alpha_ + " wstar t";
  const std::string inequality = senses ? "~~ is_equality (" + rows_.senses + " t) -> " : "";
  claim_.statement = "exists wstar lamstar, [/\\ " + about("max_margin") + " wstar /\\ " +
                     about("multipliers") + " wstar lamstar,\n    forall t, " + tight + " <-> " + member +
                     ",\n    forall t, " + member + " -> " + inequality + "0 < lamstar t,\n    vnorm2 (" +
                     solution(vector) + " - wstar)%V <= fraction_real " + radius + " * fraction_real " +
                     radius + " /\\\n    \\sum_(t | " + member + ") (" + at + ") * (" + at +
                     ") <= fraction_real " + multiplier_radius + " * fraction_real " + multiplier_radius +
                     " &\n    fraction_real " + lo + " <= vnorm2 wstar <= fraction_real " + hi + "]";
}

void ClaimExport::state(const attest_check::Support& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string tokens = define_tokens("support", evidence.support);
  left.rests_on = cited_->position;
  left.listed = evidence.support;
  claim_.term = "Support big_integers" + problem_index() + cited + " " + tokens;
  claim_.statement = "exists wstar, " + about("max_margin") + " wstar /\\ forall t, " + about("support") +
                     " wstar t <-> " + rows_.member + " " + tokens + " t";
}

void ClaimExport::state(const attest_check::StrictlyComplementary& evidence) {
  const std::string cited = citation(evidence.from);
  std::string multipliers = "None";
  if (evidence.multipliers)
    multipliers = "(Some " + define_vector("multipliers", *evidence.multipliers) + ")";
  claim_.term = "StrictlyComplementary" + problem_index() + cited + " (" + multipliers +
                " : option (vector big_integers))";
  claim_.statement = about("strictly_complementary");
}

void ClaimExport::state(const attest_check::NotStrictlyComplementary& evidence) {
  const std::string cited = citation(evidence.from);
  const std::string direction = define_vector("direction", evidence.direction);
  const std::string at = token_words(problem_, evidence.at);
  claim_.term = "NotStrictlyComplementary" + problem_index() + cited + at + " " + direction;
  claim_.statement = "exists t, is_token" + at + " t /\\ " + about("multiplier_vanishes") + " t";
}

void ClaimExport::state(const attest_check::JointAttention& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string decoder = "_" + std::to_string(cited_->problem);
  const std::string relaxed =
      coq_list(problem_.relaxed.size(), [&](std::size_t k) { return std::to_string(problem_.relaxed[k]); });
  claim_.term = "JointAttention big_integers" + problem_index() + cited;
  claim_.proof = "joint_stated (q := problem_" + std::to_string(problem_.number) + ") (groups := " + relaxed +
                 "%nat) (erefl _) " + alpha_ + "_selects alpha" + decoder + "_selects";
  claim_.statement = "exists vstar, max_margin alpha" + decoder + " vstar /\\ forall t, constraint alpha" +
                     decoder + " t ->\n    (margin alpha" + decoder +
                     " vstar t = 1 <-> (tag (t : data_token data" + decoder + ") : nat) \\notin " + relaxed +
                     "%nat)";
}

void ClaimExport::state(const attest_check::LocallyOptimal& evidence) {
  const std::string cited = citation(evidence.from);
  claim_.term = "LocallyOptimal big_integers" + problem_index() + cited;
  claim_.statement = "locally_optimal " + alpha_;
  if (several_outputs_) state_gaps("output_local_stated", " (k := 0)", support_gaps(alpha_));
}

void ClaimExport::state(const attest_check::NotLocallyOptimal& evidence) {
  const std::string cited = citation(evidence.from);
  std::string at = "None";
  if (evidence.at) {
    const std::size_t token = data_token(*problem_.features, evidence.at->group, evidence.at->token);
    at = "(Some (" + std::to_string(evidence.at->group) + ", " + std::to_string(token) + ")%nat)";
  }
  claim_.term = "NotLocallyOptimal big_integers" + problem_index() + cited + " " + at;
  claim_.statement = "~ locally_optimal " + alpha_;
  if (several_outputs_)
    state_gaps("output_not_local_stated", " (k := 0) (at_ := " + at + ")", "~ " + support_gaps(alpha_));
}

void ClaimExport::state(const attest_check::GloballyOptimal&) {
  claim_.term = "GloballyOptimal big_integers" + problem_index();
  claim_.statement = "globally_optimal " + alpha_;
  if (several_outputs_) state_gaps("output_global_stated", "", all_gaps(alpha_));
}

void ClaimExport::state(const attest_check::NotGloballyOptimal& evidence) {
  claim_.term = "NotGloballyOptimal big_integers" + problem_index() + token_words(problem_, evidence.at);
  claim_.statement = "~ globally_optimal " + alpha_;
  if (several_outputs_)
    state_gaps("output_not_global_stated", not_global_words(problem_, evidence.at), "~ " + all_gaps(alpha_));
}

void ClaimExport::state(const attest_check::ScoreTie& evidence) {
  const std::string group = " " + std::to_string(evidence.group);
  const auto words = [&](std::size_t token) {
    return " " + std::to_string(data_token(*problem_.features, evidence.group, token));
  };
  const std::string first = words(evidence.first), second = words(evidence.second);
  claim_.term = "ScoreTie big_integers" + problem_index() + group + first + second;
  claim_.statement = "exists t t' : token attention_problem,\n    [/\\ is_token" + group + first +
                     " t, is_token" + group + second + " t' & score_tie t t']";
}

std::string ClaimExport::lower_bound(const attest_check::RankOfSolution& evidence) {
  if (const auto* prime = std::get_if<attest_check::Prime>(&evidence.lower)) {
    return "(@LowerModulus big_integers " + coq_number(Integer(static_cast<unsigned long>(prime->value))) +
           ")";
  }
  const auto* proof = std::get_if<attest_check::ColumnEvidence>(&evidence.lower);
  if (proof == nullptr) return "(LowerNone big_integers)";
  const Rational& bound = proof->eigenvalue.bound;
  const std::vector<std::size_t>& columns = proof->columns;
  const auto hints = find_column_hints({problem_, cited_->solution}, columns, bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return {};
  }
  const std::string list =
      coq_list(columns.size(), [&](std::size_t k) { return std::to_string(columns[k]); });
  const std::string least = define_number("least_eigenvalue", bound);
  return "(LowerEigenvalue " + least + " " + list + "%nat " + define_hints(*hints) + ")";
}

void ClaimExport::state(const attest_check::RankOfSolution& evidence) {
  const std::string cited = citation(evidence.from);
  const std::string rank = " " + std::to_string(evidence.rank);
  if (!claim_.skipped.empty()) return;
  const std::string lower = lower_bound(evidence);
  if (!claim_.skipped.empty()) return;
  constexpr const char* reasons[] = {"UpperGroups",  "UpperLeftDimension", "UpperRightDimension",
                                     "UpperQueries", "UpperTokens",        "UpperElimination"};
  claim_.term = "Rank" + problem_index() + cited + rank + " " + lower + " " +
                reasons[static_cast<std::size_t>(evidence.reason)];
  claim_.statement = "exists wstar : vec [finType of 'I_(left_dimension " + rows_.data +
                     ") * 'I_(right_dimension " + rows_.data + ")],\n    @" +
                     (rows_.senses.empty() ? "max_margin " : "sensed_max_margin ") + rows_.problem + " " +
                     alpha_ + (rows_.senses.empty() ? "" : " " + rows_.senses) + " wstar /\\ rank_is" + rank +
                     " wstar";
}

void ClaimExport::state(const attest_check::Smoothness& evidence) {
  const std::string beta = define_number("beta", evidence.beta);
  claim_.term = "SmoothnessBound" + problem_index() + " (Some " + loss_constructor() + ") " + beta;
  if (several_outputs_) claim_.proof = run_theorem("smoothness_stated", true);
  claim_.statement = (several_outputs_ ? "let h : head attention_problem := " + output_head() + " in\n    "
                                       : std::string()) +
                     "forall w w' : vec (coord attention_problem),\n    vdist (" + gradient_ + " w') (" +
                     gradient_ + " w) <= fraction_real " + beta + " * vdist w' w";
}

}  // namespace attest
