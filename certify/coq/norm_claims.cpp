// Claims about least norms other than the Euclidean one as Coq terms; the statements are those of
// proofs/coq/theories/claims/NormKinds.v with its definitions written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/text.hpp"

namespace attest {
namespace {

using attest_check::ExactMatrix;
using attest_check::Norm;

// "7%positive 4%positive", numerator and denominator of a power norm's exponent.
std::string exponent_words(const Norm& norm) {
  return norm.exponent.get_num().get_str() + "%positive " + norm.exponent.get_den().get_str() + "%positive";
}

// As a constructor of entrywise_norm.
std::string norm_constructor(const Norm& norm) {
  switch (norm.kind) {
    case Norm::Kind::one:
      return "SumNorm";
    case Norm::Kind::infinity:
      return "MaxNorm";
    default:
      return "(PowerNorm " + exponent_words(norm) + ")";
  }
}

// As a function of matrices.
std::string norm_function(const Norm& norm) {
  switch (norm.kind) {
    case Norm::Kind::nuclear:
      return "@nuclear_norm [finType of 'I_(left_dimension data)] [finType of 'I_(right_dimension data)]";
    case Norm::Kind::one:
      return "@sum_norm _";
    case Norm::Kind::infinity:
      return "@max_norm _";
    case Norm::Kind::power:
      break;
  }
  return "lp_norm (" + norm.exponent.get_num().get_str() + " / " + norm.exponent.get_den().get_str() + ")";
}

// "let norm : ... in", for what follows.
std::string let_norm(const Norm& norm) {
  return "let norm : vec (coord attention_problem) -> R := " + norm_function(norm) + " in\n    ";
}

std::string matrix_rows(const ExactMatrix& matrix) {
  return coq_list(matrix.rows, [&](std::size_t row) {
    return "numbers " + coq_list(matrix.columns, [&](std::size_t column) {
             return coq_digits(matrix.numerator[row * matrix.columns + column]);
           });
  });
}

}  // namespace

// The matrix's rows and their denominator, as arguments.
std::string ClaimExport::define_matrix(const std::string& word, const ExactMatrix& matrix) {
  const std::string rows = named(word), unit = named(word + "_unit");
  claim_.definitions += "Definition " + rows + " : seq (seq big_integers) := " + matrix_rows(matrix) +
                        ".\nDefinition " + unit + " : big_integers := " + coq_number(matrix.denominator) +
                        ".\n";
  return rows + " " + unit;
}

// For a claim about the path in this norm.
void ClaimExport::define_evidence(const std::string& term) {
  left.evidence = named("shown");
  claim_.definitions += "Definition " + left.evidence + " : norm_evidence big_integers := " + term + ".\n";
}

void ClaimExport::state(const attest_check::NormOptimum& evidence) {
  const Norm& norm = evidence.norm;
  const bool nuclear = norm.kind == Norm::Kind::nuclear;
  const std::string lo = define_number("least_norm_lo", evidence.lo),
                    hi = define_number("least_norm_hi", evidence.hi);
  const std::string multipliers = define_vector("multipliers", evidence.multipliers);
  const std::string dual = define_number("dual_norm", evidence.dual_bound);
  const std::string bits = " " + std::to_string(evidence.bits) + "%Z";
  const std::string first = define_matrix(nuclear ? "left" : "primal", evidence.primal.left);
  const std::string below = "forall w', separates " + alpha_ + " w' -> fraction_real " + lo + " <= norm w'";
  const std::string at_most = "norm w <= fraction_real " + hi;
  std::string matrix = "matrix_real " + named("primal") + " (real " + named("primal_unit") + ")";
  std::string said, shown = lo + " " + hi + " ";
  if (nuclear) {
    const std::string second = define_matrix("right", evidence.primal.right);
    const std::string rank = std::to_string(evidence.rank) + "%nat";
    shown += rank + " " + first + " " + second + " " + multipliers + " " + dual + bits;
    claim_.term = "NuclearOptimum" + problem_index() + " " + shown;
    left.rank = rank;
    left.known = named("known");
    left.high = hi;
    claim_.definitions +=
        "Definition " + left.known + " : nuclear_data big_integers := NuclearData " + shown + ".\n";
    define_evidence("NuclearEvidence " + left.known);
    left.rows = "factor_product " + named("left") + " " + named("right");
    left.unit = "mul " + named("left_unit") + " " + named("right_unit");
    matrix = "matrix_real (" + left.rows + ")\n      (real (" + left.unit + "))";
    said = "(" + below + ") /\\\n    [/\\ separates " + alpha_ + " w, " + at_most +
           " &\n        @rank_at_most [finType of 'I_(left_dimension data)] [finType of 'I_(right_dimension "
           "data)] " +
           rank + " w]";
  } else {
    std::string distance = "None", near;
    if (evidence.distance) {
      const std::string radius = define_number("distance", *evidence.distance);
      distance = "(Some " + radius + ")";
      near = "exists z, only_shortest " + alpha_ + " norm z /\\ norm (w - z)%V <= fraction_real " + radius;
    } else {
      claim_.proof = "two_of_three";
    }
    shown =
        norm_constructor(norm) + " " + shown + first + " " + multipliers + " " + dual + bits + " " + distance;
    claim_.term = "NormOptimum" + problem_index() + " " + shown;
    left.rows = named("primal");
    left.unit = named("primal_unit");
    left.known = named("known");
    claim_.definitions +=
        "Definition " + left.known + " : entrywise_data big_integers := EntrywiseData " + shown + ".\n";
    define_evidence("EntrywiseEvidence " + left.known);
    const std::string separated = "separates " + alpha_ + " w /\\ " + at_most;
    said = near.empty() ? "(" + below + ") /\\\n    " + separated
                        : "[/\\ " + below + ",\n        " + separated + " &\n        " + near + "]";
  }
  claim_.statement =
      let_norm(norm) + "let w : vec (coord attention_problem) := " + matrix + " in\n    " + said;
}

void ClaimExport::state(const attest_check::NormSupportWithin& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  left.rests_on = cited_->position;
  const std::string tokens = define_tokens("within", evidence.listed);
  claim_.term = "NormSupportWithin big_integers" + problem_index() + " (Some " +
                norm_constructor(evidence.norm) + ")" + cited + " " + tokens;
  claim_.statement = tight_where(evidence.norm, "member " + tokens + " t");
}

void ClaimExport::state(const attest_check::NormLocallyOptimal& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  claim_.term = "NormLocallyOptimal big_integers" + problem_index() + " (Some " +
                norm_constructor(evidence.norm) + ")" + cited;
  if (several_outputs_)
    state_gaps("output_norm_local_stated", " (k := 0)",
               tight_where(evidence.norm, "0 < output_gap instance " + alpha_ + " t"));
  else
    claim_.statement = tight_where(evidence.norm, "0 < gap " + alpha_ + " t");
}

void ClaimExport::state(const attest_check::NormPath& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string from = define_number("radius", evidence.radius),
                    rate = define_number("constant", evidence.constant);
  const bool nuclear = evidence.norm.kind == Norm::Kind::nuclear;
  const std::string& shown = cited_->evidence;
  claim_.term = "NormPath" + problem_index() + cited + " " +
                (nuclear ? "None" : "(Some " + norm_constructor(evidence.norm) + ")") + " (Some " +
                loss_constructor() + ") (Some " + shown + ") " + from + " " + rate;
  const std::string about = alpha_ + " " + shown;
  claim_.statement = let_norm(evidence.norm) + "[/\\ dual_norm_le norm (dual_matrix " + about +
                     ") 1,\n        forall r (w : vec (coord attention_problem)), fraction_real " + from +
                     " <= r -> least_over " + loss_ +
                     " (fun w' => norm w' <= r) w ->\n          fraction_real (evidence_low " + shown +
                     ") / fraction_real (evidence_high " + shown + ") * r - fraction_real " + rate +
                     " <= dot (dual_matrix " + about + ") w &\n        " +
                     (nuclear ? "factors_far_along " + about + " " + loss_constructor() + " " + from + " " +
                                    rate + " " + cited_->rank
                              : "True") +
                     "]";
}

void ClaimExport::state(const attest_check::NearRank& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string rank = std::to_string(evidence.rank) + "%nat";
  const std::string distance = define_number("distance", evidence.distance);
  const std::string first = define_matrix("left", evidence.left),
                    second = define_matrix("right", evidence.right);
  const std::string dual = define_number("dual_norm", evidence.dual_bound),
                    slope = define_number("slope", evidence.slope),
                    step = define_number("step", evidence.step);
  claim_.term = "NormNearRank" + problem_index() + cited + " (Some " + cited_->known + ") " + rank + " " +
                distance + " " + first + " " + second + " " + dual + " " + std::to_string(evidence.bits) +
                "%Z " + slope + " " + step;
  claim_.statement = let_norm(evidence.norm) + "forall w, separates " + alpha_ +
                     " w -> norm w <= fraction_real " + cited_->high +
                     " ->\n      exists v, @rank_at_most [finType of 'I_(left_dimension data)] [finType of "
                     "'I_(right_dimension data)] " +
                     rank + " v /\\\n        norm (w - v)%V <= fraction_real " + distance;
}

void ClaimExport::state(const attest_check::NormFace& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string tokens = define_tokens("tight", evidence.listed), face = named("face");
  const std::size_t columns = problem_.features->right_dimension();
  const std::string entries = coq_list(evidence.entries.size(), [&](std::size_t k) {
    return "(" + std::to_string(evidence.entries[k] / columns) + ", " +
           std::to_string(evidence.entries[k] % columns) + ")";
  });
  std::vector<std::string> others;
  for (const ExactMatrix& other : evidence.others)
    others.push_back(define_matrix("other_" + std::to_string(others.size()), other));
  claim_.definitions +=
      "Definition " + face + " : norm_face_data big_integers :=\n  NormFaceData (Some " + cited_->known +
      ") " + tokens + " " + coq_number(attest_check::Integer(std::to_string(evidence.modulus))) + " " +
      entries + "%nat\n  " +
      coq_list(others.size(),
               [&](std::size_t k) { return "(" + others[k].replace(others[k].find(' '), 1, ", ") + ")"; }) +
      ".\n";
  claim_.term = "NormFace" + problem_index() + cited + " " + norm_constructor(evidence.norm) + " " + face;
  claim_.statement = let_norm(evidence.norm) + "let solves := shortest (constraint " + alpha_ + ") (Delta " +
                     alpha_ + ") (fun=> 1) norm in\n    [/\\ solves (matrix_real " + cited_->rows +
                     " (real " + cited_->unit + ")),\n        affine_dimension_at_least solves " +
                     coq_natural(evidence.at_least) + ",\n        affine_dimension_at_most solves " +
                     coq_natural(evidence.at_most) + " &\n        forall t, member " + tokens +
                     " t -> forall w, solves w -> margin " + alpha_ + " w t = 1]";
}

// The constraints with margin 1 at the only shortest vector.
std::string ClaimExport::tight_where(const Norm& norm, const std::string& holds) const {
  return let_norm(norm) + "exists z, only_shortest " + alpha_ + " norm z /\\\n      forall t, constraint " +
         alpha_ + " t -> margin " + alpha_ + " z t = 1 -> " + holds;
}

}  // namespace attest
