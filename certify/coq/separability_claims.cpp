// Claims about norms that do not separate, groups that are left out and rows that move as Coq terms; the
// statements are those of proofs/coq/theories/claims/SeparabilityKinds.v with the definitions of
// Separability.v and RobustRadius.v written out.
#include "certify/coq/claim_export.hpp"
#include "certify/coq/text.hpp"

namespace attest {
namespace {

std::string scoped_nat_list(const std::vector<std::size_t>& numbers) {
  return coq_list(numbers.size(), [&](std::size_t k) { return std::to_string(numbers[k]); }) + "%nat";
}

}  // namespace

void ClaimExport::state(const attest_check::MarginAtMost& evidence) {
  const std::string bound = define_number("bound", evidence.bound);
  claim_.term = "MarginAtMost" + problem_index() + " " + bound + " " +
                define_vector("combination", evidence.combination);
  claim_.statement = "forall w, " + about("separates") + " w -> 1 <= fraction_real " + bound + " * vnorm w";
}

void ClaimExport::state(const attest_check::Conflicts& evidence) {
  const auto conflict = [&](std::size_t k) {
    const attest_check::ConstraintVector& vector = evidence.farkas[k];
    std::vector<std::size_t> groups;
    for (const attest_check::Constraint& c : vector.at) {
      if (groups.empty() || groups.back() != c.group) groups.push_back(c.group);
    }
    return "(" + scoped_nat_list(groups) + ", " +
           define_vector("farkas_" + std::to_string(k + 1), vector, groups) + ")";
  };
  claim_.term = "Conflicts" + problem_index() + " " + coq_list(evidence.farkas.size(), conflict);
  claim_.statement = "forall left_out : pred (group attention_problem), (#|left_out| < " +
                     std::to_string(evidence.at_least) +
                     ")%nat ->\n    ~ exists w : vec (coord attention_problem), forall t, constraint " +
                     alpha_ + " t ->\n      ~~ left_out (group_of t) -> 1 <= margin " + alpha_ + " w t";
}

void ClaimExport::state(const attest_check::SeparableWithout& evidence) {
  const std::string left_out = scoped_nat_list(evidence.left_out);
  claim_.term = "SeparableWithout" + problem_index() + " " + left_out + " " +
                define_vector("separator", evidence.separator);
  claim_.statement = "exists w : vec (coord attention_problem), forall t, constraint " + alpha_ +
                     " t ->\n    (tag (t : data_token data) : nat) \\notin " + left_out + " -> 1 <= margin " +
                     alpha_ + " w t";
}

void ClaimExport::state(const attest_check::RobustRadius& evidence) {
  const std::string cited = citation(evidence.from);
  if (!claim_.skipped.empty()) return;
  const std::string radius = define_number("radius", evidence.radius);
  const bool queries_move = problem_.features->instance().setting == attest_check::Setting::self_attention;
  const std::string query = "(TokenData.z (D := data) i)";
  claim_.term = "RobustRadius" + problem_index() + cited + " " + radius + (queries_move ? " true" : " false");
  claim_.statement =
      "forall (rows : token attention_problem -> vec [finType of 'I_(left_dimension data)])\n"
      "    (queries : group attention_problem -> vec [finType of 'I_(right_dimension data)]),\n"
      "    (forall t, vdist (rows t) (TokenData.x (D := data) t) <= fraction_real " +
      radius + ") ->\n    (forall i, " +
      (queries_move ? "vdist (queries i) " + query + " <= fraction_real " + radius : "queries i = " + query) +
      ") ->\n    exists w, forall t, constraint " + alpha_ + " t ->\n      1 <= dot (outer (rows (selected " +
      alpha_ + " t) - rows t)%V (queries (group_of t))) w";
}

}  // namespace attest
