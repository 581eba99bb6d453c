// Heads other than the scalar one as Coq terms, and which kinds are exported of them; the statements are
// those of proofs/coq/theories/claims/StatedOutputs.v, written out.
#include <algorithm>
#include <iterator>

#include "certify/coq/claim_export.hpp"

namespace attest {
namespace {

template <std::size_t count>
bool listed(const char* const (&kinds)[count], const std::string& kind) {
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

// Those that the verified checker decides, whatever the head (proofs/coq/ocaml/kinds.ml): about margins,
constexpr const char* about_margins[] = {"feasible",
                                         "infeasible",
                                         "margin-at-most",
                                         "optimal",
                                         "optimal-enclosure",
                                         "support",
                                         "strictly-complementary",
                                         "not-strictly-complementary",
                                         "rank",
                                         "joint-attention",
                                         "label-margins",
                                         "joint-path",
                                         "finite-part",
                                         "no-finite-part",
                                         "conflicts",
                                         "separable-without",
                                         "robust-radius",
                                         "norm-optimum",
                                         "norm-support-within",
                                         "norm-near-rank",
                                         "norm-face"};
// and of heads of several outputs, and of selection cross-entropy, besides; then of the former and of the
// latter.
constexpr const char* about_outputs[] = {"locally-optimal",
                                         "not-locally-optimal",
                                         "globally-optimal",
                                         "not-globally-optimal",
                                         "norm-locally-optimal",
                                         "smoothness",
                                         "run",
                                         "path-inequality",
                                         "forever-from-point",
                                         "forever-from-run",
                                         "run-finite-part"};
constexpr const char* of_several[] = {"regularisation-path"};
constexpr const char* about_targets[] = {"score-tie",    "stationary",          "mirror-run",
                                         "factored-run", "regularisation-path", "path-residual",
                                         "norm-path",    "factored-forever"};

}  // namespace

std::string unverified_of_head(const attest_check::Instance& instance, const std::string& kind) {
  const bool outputs = instance.outputs.has_value();
  if (!outputs && !instance.cross_entropy()) return {};
  if (listed(about_margins, kind) || listed(about_outputs, kind)) return {};
  if (outputs ? listed(of_several, kind) : listed(about_targets, kind)) return {};
  return std::string("of ") + (outputs ? "heads of several outputs" : "selection cross-entropy") +
         " Coq does not check this kind yet; attest-check does";
}

std::string ClaimExport::output_head() const {
  if (problem_.features->outputs()->classifier()) return "class_layer_head instance data y U U_denominator";
  return "unit_layer_head instance data Y A A_denominator bias bias_denominator r r_denominator " +
         loss_constructor();
}

// Of the claims about gaps that claim_.term is about.
void ClaimExport::state_gaps(const std::string& theorem, const std::string& evidence,
                             const std::string& statement) {
  claim_.proof = theorem + " (I := instance) (alpha := " + alpha_ + ") erefl (p := 0)" + evidence;
  claim_.statement = statement;
}

// Of the feed-forward stage of sentences, whose loss is the mean cross-entropy of the outputs.
void ClaimExport::state(const attest_check::TokenRay& evidence) {
  const CoqReal length = coq_real(evidence.step);
  const std::string step = define_real("step", length);
  CoqParts parts;
  parts.add("(forall t, w t = (INR t * (" + length.text + ") / vnorm wstar * wstar)%V)");
  const std::string checkpoints = coq_list(evidence.checkpoints.size(), [&](std::size_t k) {
    const attest_check::RayCheckpoint& at = evidence.checkpoints[k];
    const CoqBand scale = coq_band(at.scale.lo, at.scale.hi), loss = coq_band(at.loss.lo, at.loss.hi);
    const std::string w = "(w " + coq_natural(at.at) + ")";
    parts.comment("step " + std::to_string(at.at));
    parts.add("(forall t, constraint " + alpha_ + " t -> " + scale.lo.text + " <= margin " + alpha_ + " " +
              w + " t <= " + scale.hi.text + ")");
    parts.add(loss.lo.text + " <= head_loss h " + w + " <= " + loss.hi.text);
    return "RayCheckpoint " + coq_natural(at.at) + " (" + scale.lo.fraction() + ", " + scale.hi.fraction() +
           ") (" + loss.lo.fraction() + ", " + loss.hi.fraction() + ")";
  });
  const std::string listed = named("checkpoints");
  claim_.definitions +=
      "Definition " + listed + " : seq (ray_checkpoint big_integers) :=\n  " + checkpoints + ".\n";
  claim_.term = "TokenRay" + problem_index() + " " + step + " " + listed;
  claim_.proof = "token_ray_stated (I := instance) (alpha := " + alpha_ + ") (p := 0) (step := " + step +
                 ") (ks := " + listed + ")";
  claim_.statement = "exists wstar, [/\\ max_margin " + alpha_ +
                     " wstar, 0 < vnorm wstar &\n    let h := cross_entropy_head " + alpha_ +
                     " in\n    (* every training from 0 by normalised steps of this length *)\n"
                     "    forall w : nat -> vec (coord attention_problem), w 0%nat = vzero ->\n"
                     "      head_follows h 0 NormalisedSteps (fun=> " +
                     length.text + ") w ->\n    " + parts.text() + "]";
}

}  // namespace attest
