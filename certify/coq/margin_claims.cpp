// Claims about margin problems as Coq terms: one function for each claim kind of
// proofs/coq/theories/Certificates.v; the statements are the cases of claim_meaning there, in the words of
// Selection.v and Claims.v.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/gram_hints.hpp"
#include "certify/coq/text.hpp"

namespace attest {

using attest_check::Constraint;
using attest_check::ConstraintVector;
using attest_check::Integer;
using attest_check::Line;
using attest_check::Rational;

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

void ClaimExport::read_optimal() {
  line_.expect("norm-squared");
  const std::string norm = define_number("norm_squared", line_.rational());
  left.solution = text_.vector(problem_, "multipliers");
  const std::string vector = define_vector("multipliers", left.solution);
  claim_.term = "Optimal" + problem_index() + " " + norm + " " + vector;
  claim_.statement = "max_margin " + alpha_ + " (W " + alpha_ + " (values " + vector +
                     ")) /\\\n  vnorm2 (W " + alpha_ + " (values " + vector + ")) = fraction_real " + norm;
}

void ClaimExport::read_enclosure() {
  line_.expect("form");
  const std::string form = line_.word();
  line_.expect("norm-squared");
  const Rational lo = line_.rational(), hi = line_.rational();
  form == "gap" ? read_gap(lo, hi) : read_lambda_min(lo, hi);
}

void ClaimExport::read_gap(const Rational& low, const Rational& high) {
  line_.expect("distance-squared");
  const std::string lo = define_number("norm_squared_lo", low), hi = define_number("norm_squared_hi", high);
  const std::string distance = define_number("distance_squared", line_.rational());
  const std::string primal = define_vector("primal", text_.vector(problem_, "primal"));
  const std::string dual = define_vector("dual", text_.vector(problem_, "dual"));
  claim_.term =
      "EnclosureGap" + problem_index() + " " + lo + " " + hi + " " + distance + " " + primal + " " + dual;
  claim_.statement = "exists wstar, [/\\ max_margin " + alpha_ + " wstar,\n    fraction_real " + lo +
                     " <= vnorm2 wstar <= fraction_real " + hi + " &\n    vnorm2 (W " + alpha_ + " (values " +
                     primal + ") - wstar)%V <= fraction_real " + distance + "]";
}

void ClaimExport::read_lambda_min(const Rational& low, const Rational& high) {
  line_.expect("radius");
  const Rational r = line_.rational();
  line_.expect("multiplier-radius");
  const Rational q = line_.rational();
  Line eigenvalue = text_.next();
  const Rational bound = eigenvalue.eigenvalue_bound().bound;
  const ConstraintVector& listed = left.solution = text_.vector(problem_, "multipliers");
  const auto hints = find_gram_hints(problem_, listed.at, bound, refinement_);
  if (!hints) {
    claim_.skipped = coq_no_hints;
    return;
  }
  const std::string lo = define_number("norm_squared_lo", low), hi = define_number("norm_squared_hi", high);
  const std::string radius = define_number("radius", r),
                    multiplier_radius = define_number("multiplier_radius", q);
  const std::string least = define_number("least_eigenvalue", bound);
  const std::string vector = define_vector("multipliers", listed),
                    tokens = define_tokens("tokens", listed.at);
  claim_.term = "EnclosureBall" + problem_index() + " " + lo + " " + hi + " " + radius + " " +
                multiplier_radius + " " + least + " " + tokens + " " + vector + " " + define_hints(*hints);
  claim_.statement = "exists wstar lamstar, [/\\ max_margin " + alpha_ + " wstar /\\ multipliers " + alpha_ +
                     " wstar lamstar,\n"
                     "    forall t, support " +
                     alpha_ + " wstar t <-> member " + tokens +
                     " t,\n"
                     "    forall t, member " +
                     tokens +
                     " t -> 0 < lamstar t,\n"
                     "    vnorm2 (W " +
                     alpha_ + " (values " + vector + ") - wstar)%V <= fraction_real " + radius +
                     " * fraction_real " + radius + " /\\\n    \\sum_(t | member " + tokens + " t) (values " +
                     vector + " t - lamstar t) * (values " + vector + " t - lamstar t) <= fraction_real " +
                     multiplier_radius + " * fraction_real " + multiplier_radius + " &\n    fraction_real " +
                     lo + " <= vnorm2 wstar <= fraction_real " + hi + "]";
}

void ClaimExport::read_support() {
  const std::string cited = citation();
  line_.expect("size");
  const std::vector<Constraint> listed = text_.constraints(problem_, line_.index());
  if (!claim_.skipped.empty()) return;
  const std::string tokens = define_tokens("support", listed);
  claim_.term = "Support big_integers" + problem_index() + cited + " " + tokens;
  claim_.statement = "exists wstar, max_margin " + alpha_ + " wstar /\\ forall t, support " + alpha_ +
                     " wstar t <-> member " + tokens + " t";
}

void ClaimExport::read_strict() {
  const std::string cited = citation();
  Line evidence = text_.next();
  std::string multipliers = "None";
  if (!evidence.accept("evidence")) {
    multipliers =
        "(Some " + define_vector("multipliers", text_.vector(evidence, problem_, "multipliers")) + ")";
  }
  claim_.term = "StrictlyComplementary" + problem_index() + cited + " (" + multipliers +
                " : option (vector big_integers))";
  claim_.statement = "strictly_complementary " + alpha_;
}

void ClaimExport::read_not_strict() {
  const std::string cited = citation();
  line_.expect("at");
  const std::size_t group = line_.index(), token = line_.index();
  const std::string direction = define_vector("direction", text_.vector(problem_, "direction"));
  const std::string at = " " + std::to_string(group) + " " + std::to_string(token);
  claim_.term = "NotStrictlyComplementary" + problem_index() + cited + at + " " + direction;
  claim_.statement = "exists t, is_token" + at + " t /\\ multiplier_vanishes " + alpha_ + " t";
}

void ClaimExport::read_not_local() {
  const std::string cited = citation();
  std::string at = "None";
  if (line_.accept("at")) {
    const std::size_t group = line_.index(), token = line_.index();
    at = "(Some (" + std::to_string(group) + ", " + std::to_string(token) + ")%nat)";
  }
  claim_.term = "NotLocallyOptimal big_integers" + problem_index() + cited + " " + at;
  claim_.statement = "~ locally_optimal " + alpha_;
}

void ClaimExport::read_tie() {
  line_.expect("group");
  const std::string group = " " + std::to_string(line_.index());
  line_.expect("tokens");
  const std::string first = " " + std::to_string(line_.index()), second = " " + std::to_string(line_.index());
  claim_.term = "ScoreTie big_integers" + problem_index() + group + first + second;
  claim_.statement = "exists t t' : token attention_problem,\n    [/\\ is_token" + group + first +
                     " t, is_token" + group + second + " t' & score_tie t t']";
}

std::string ClaimExport::lower_bound(Line line) {
  line.expect("lower");
  if (line.accept("none")) return "(LowerNone big_integers)";
  if (line.accept("modulus")) {
    return "(@LowerModulus big_integers " + coq_number(Integer(static_cast<unsigned long>(line.index()))) +
           ")";
  }
  const Rational bound = line.eigenvalue_bound().bound;
  line.expect("columns");
  std::vector<std::size_t> columns(line.index());
  for (std::size_t& column : columns) column = line.index();
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

void ClaimExport::read_rank() {
  const std::string cited = citation();
  line_.expect("equals");
  const std::string rank = " " + std::to_string(line_.index());
  if (!claim_.skipped.empty()) return;
  const std::string lower = lower_bound(text_.next());
  if (!claim_.skipped.empty()) return;
  Line upper = text_.next();
  upper.expect("upper");
  static const std::map<std::string, std::string> reasons = {{"groups", "UpperGroups"},
                                                             {"left-dimension", "UpperLeftDimension"},
                                                             {"right-dimension", "UpperRightDimension"},
                                                             {"queries", "UpperQueries"},
                                                             {"tokens", "UpperTokens"},
                                                             {"elimination", "UpperElimination"}};
  claim_.term = "Rank" + problem_index() + cited + rank + " " + lower + " " + reasons.at(upper.word());
  claim_.statement =
      "exists wstar : vec [finType of 'I_(left_dimension data) * 'I_(right_dimension data)],\n"
      "    @max_margin attention_problem " +
      alpha_ + " wstar /\\ rank_is" + rank + " wstar";
}

void ClaimExport::read_smoothness() {
  line_.expect("beta");
  const std::string beta = define_number("beta", line_.rational());
  claim_.term = "SmoothnessBound" + problem_index() + " (Some " + loss_constructor() + ") " + beta;
  claim_.statement = "forall w w' : vec (coord attention_problem),\n    vdist (gradient " + loss_ +
                     " w') (gradient " + loss_ + " w) <= fraction_real " + beta + " * vdist w' w";
}

bool ClaimExport::read_margin_claim() {
  const std::string& kind = claim_.kind;
  if (kind == "feasible") {
    claim_.term =
        "Feasible" + problem_index() + " " + define_vector("separator", text_.vector(problem_, "separator"));
    claim_.statement = "feasible " + alpha_;
  } else if (kind == "infeasible") {
    claim_.term =
        "Infeasible" + problem_index() + " " + define_vector("farkas", text_.vector(problem_, "farkas"));
    claim_.statement = "~ feasible " + alpha_;
  } else if (kind == "optimal") {
    read_optimal();
  } else if (kind == "optimal-enclosure") {
    read_enclosure();
  } else if (kind == "support") {
    read_support();
  } else if (kind == "strictly-complementary") {
    read_strict();
  } else if (kind == "not-strictly-complementary") {
    read_not_strict();
  } else if (kind == "locally-optimal") {
    claim_.term = "LocallyOptimal big_integers" + problem_index() + citation();
    claim_.statement = "locally_optimal " + alpha_;
  } else if (kind == "not-locally-optimal") {
    read_not_local();
  } else if (kind == "globally-optimal") {
    claim_.term = "GloballyOptimal big_integers" + problem_index();
    claim_.statement = "globally_optimal " + alpha_;
  } else if (kind == "not-globally-optimal") {
    line_.expect("at");
    const std::string group = " " + std::to_string(line_.index()),
                      token = " " + std::to_string(line_.index());
    claim_.term = "NotGloballyOptimal big_integers" + problem_index() + group + token;
    claim_.statement = "~ globally_optimal " + alpha_;
  } else if (kind == "score-tie") {
    read_tie();
  } else if (kind == "rank") {
    read_rank();
  } else if (kind == "smoothness") {
    read_smoothness();
  } else {
    return false;
  }
  return true;
}

}  // namespace attest
