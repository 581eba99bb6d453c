// One claim of a certificate while it becomes a term and a statement of the Coq development: what
// coq/*_claims.cpp share. Not for other files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "certify/coq/claims.hpp"
#include "certify/coq/text.hpp"
#include "proofs/checker/claims/descent/finite_part.hpp"
#include "proofs/checker/claims/descent/forever.hpp"
#include "proofs/checker/claims/descent/path_inequality.hpp"
#include "proofs/checker/claims/descent/run.hpp"
#include "proofs/checker/claims/descent/smoothness.hpp"
#include "proofs/checker/claims/descent/stationary.hpp"
#include "proofs/checker/claims/factored/forever.hpp"
#include "proofs/checker/claims/factored/run.hpp"
#include "proofs/checker/claims/joint/attention.hpp"
#include "proofs/checker/claims/joint/label_margins.hpp"
#include "proofs/checker/claims/joint/path.hpp"
#include "proofs/checker/claims/margin/at_most.hpp"
#include "proofs/checker/claims/margin/conflicts.hpp"
#include "proofs/checker/claims/margin/enclosure.hpp"
#include "proofs/checker/claims/margin/finite_part.hpp"
#include "proofs/checker/claims/margin/infeasible.hpp"
#include "proofs/checker/claims/margin/rank.hpp"
#include "proofs/checker/claims/margin/robust_radius.hpp"
#include "proofs/checker/claims/margin/selection.hpp"
#include "proofs/checker/claims/margin/separable_without.hpp"
#include "proofs/checker/claims/margin/solution.hpp"
#include "proofs/checker/claims/margin/support.hpp"
#include "proofs/checker/claims/mirror/forever.hpp"
#include "proofs/checker/claims/mirror/run.hpp"
#include "proofs/checker/claims/norms/face.hpp"
#include "proofs/checker/claims/norms/near_rank.hpp"
#include "proofs/checker/claims/norms/optimum.hpp"
#include "proofs/checker/claims/norms/path.hpp"
#include "proofs/checker/claims/norms/support.hpp"
#include "proofs/checker/claims/paths/regularisation.hpp"
#include "proofs/checker/claims/paths/residual.hpp"
#include "proofs/checker/claims/tokens/forever.hpp"
#include "proofs/checker/claims/tokens/ray.hpp"
#include "proofs/checker/claims/tokens/run.hpp"
#include "proofs/checker/claims/tokens/shift.hpp"
#include "proofs/checker/forever/bounded.hpp"
#include "proofs/checker/forever/lock_in.hpp"
#include "proofs/checker/forever/residual.hpp"

namespace attest {

// Why a claim is skipped for which no hints were found.
inline constexpr const char* coq_no_hints = "no hints prove its eigenvalue bound; a smaller bound may do";

// A loss as Losses.v names it: of several outputs that of AttentionIntervals.v's loss_name.
std::string coq_loss(attest_check::Loss loss);

// A schedule as Schedules.v names it.
const char* coq_schedule(attest_check::Schedule schedule);

// Why claims of this kind about the instance's head are not exported; empty where they are. Coq's kinds are
// about scores where they are not listed for the head.
std::string unverified_of_head(const attest_check::Instance& instance, const std::string& kind);

inline std::string not_exported(std::size_t cited) {
  return "it cites claim " + std::to_string(cited) + ", which is not exported";
}

// What a run says of its iteration, for later claims about its steps.
struct ExportedRun {
  attest_check::Specification specification;
  attest_check::StartPoint start;
  std::size_t fraction_bits = 0;  // 0: none named
  // In Coq: the arguments of a specification, W_0 as a matrix and in statements, and why they are the same.
  std::string term, start_term, start_name, start_proof;
  std::string name;               // of the run
  std::string loss, head, alpha;  // of its problem, as loss_, output_head() and alpha_ name them
};

// K_0, Q_0 and the steps of a run of factors, as a name; K and Q at every step, as a term.
struct ExportedTraining {
  std::string name, iterate;
};

// Both stages' steps on sentences, as a name, and how long those of the attention are.
struct ExportedStages {
  std::string name, scale, step;  // of c as a term
};

// What later claims need of an exported one.
struct ExportedClaim {
  std::size_t position = 0;                      // in the exported certificate
  attest_check::ConstraintVector solution;       // of a claim about the solution: its multipliers
  std::vector<attest_check::Constraint> listed;  // where its multipliers are positive; of a support, it
  std::size_t rests_on = 0;                      // of a support, exact or not: the claim about it, exported
  bool gap = false;                              // of an enclosure: it is one by a gap
  std::optional<ExportedRun> run;                // of a claim about a run
  std::optional<ExportedTraining> training;      // of one about a run of factors
  std::optional<ExportedStages> stages;          // of one about training on sentences
  std::size_t step = 0;                          // of one about all later steps of it: from which on
  // Of a least norm and of label margins: what it shows, as a name; the rank of a least norm's factors.
  std::string evidence, rank;
  std::string rows, unit;   // of a least norm: the matrix's entries as terms
  std::string known, high;  // and the evidence, and its upper bound, as names
  std::size_t problem = 0;
};
using Exported = std::map<std::size_t, ExportedClaim>;  // by the claims' numbers in the certificate

class ClaimExport {
 public:
  // Where its problem stands among those of its instance, and the instance's refinement.
  struct Place {
    std::size_t problem = 0, refinement = 0;
  };
  ClaimExport(const attest_check::StatedClaim& stated, CoqClaim& claim, const Exported& exported, Place place)
      : problem_(stated.problem),
        alpha_("alpha_" + std::to_string(problem_.number)),
        rows_(coq_rows_of(problem_)),
        loss_(coq_loss(problem_.loss)),
        several_outputs_(problem_.features->outputs() != nullptr),
        training_loss_(several_outputs_ ? "head_loss h" : "training_loss " + loss_),
        gradient_(several_outputs_ ? "head_gradient h" : "gradient " + loss_),
        claim_(claim),
        exported_(exported),
        place_(place.problem),
        refinement_(place.refinement),
        keeps_path_(stated.path_asked) {}

  // States the claim. False when the evidence is of no kind that there is a `state` for.
  bool state_claim(const attest_check::ClaimEvidence& evidence) {
    using namespace attest_check;
    return state_one_of<Feasible, Infeasible, Optimal, OptimalEnclosure, Support, StrictlyComplementary,
                        NotStrictlyComplementary, JointAttention, LocallyOptimal, NotLocallyOptimal,
                        GloballyOptimal, NotGloballyOptimal, ScoreTie, RankOfSolution, Smoothness,
                        RegularisationPath, PathResidual, MarginAtMost, Conflicts, SeparableWithout,
                        RobustRadius, NormOptimum, NormSupportWithin, NormLocallyOptimal, NormPath, NearRank,
                        NormFace, FinitePart, NoFinitePart, LabelMargins, JointPath, Run, PathInequality,
                        Stationary, ForeverFromPoint, ForeverFromRun, MirrorRun, MirrorForever, TokenRay,
                        TokenRun, TokenForever, TokenShift, FactoredRun, FactoredForever, RunFinitePart>(
        evidence);
  }

  // What the claim leaves for later ones; `position` is not set.
  ExportedClaim left;

 private:
  // "max_margin alpha_1", or the same of rows with senses.
  std::string about(const std::string& word) const {
    return rows_.senses.empty() ? word + " " + alpha_ : "sensed_" + word + " " + alpha_ + " " + rows_.senses;
  }
  std::string solution(const std::string& vector) const {
    return "W " + alpha_ + " (" + rows_.values + " " + vector + ")";
  }
  std::string named(const std::string& word) const { return word + "_" + std::to_string(claim_.number); }
  std::string problem_index() const { return " " + std::to_string(place_); }
  // The loss as a constructor of loss_name.
  std::string loss_constructor() const;
  // Of several outputs: the instance's head with this loss, as a term, and the statement about gaps with its
  // theorem.
  std::string output_head() const;
  void state_gaps(const std::string& theorem, const std::string& evidence, const std::string& statement);

  // Define a number, a vector with one numerator for each token, a set of tokens; the result is the name.
  std::string define_number(const std::string& word, const attest_check::Rational& value);
  std::string define_vector(const std::string& word, const attest_check::ConstraintVector& vector);
  // With the numerators of these groups only.
  std::string define_vector(const std::string& word, const attest_check::ConstraintVector& vector,
                            const std::vector<std::size_t>& groups);
  std::string define_tokens(const std::string& word, const std::vector<attest_check::Constraint>& listed);
  // Defines the fraction that a number of the statement is.
  std::string define_real(const std::string& word, const CoqReal& value);

  // The cited claim's number in the exported certificate. Sets `skipped` when it is not there.
  std::string citation(const attest_check::Citation& from);

  template <class... Kinds>
  bool state_one_of(const attest_check::ClaimEvidence& evidence) {
    return (state_if(dynamic_cast<const Kinds*>(&evidence)) || ...);
  }
  template <class Kind>
  bool state_if(const Kind* evidence) {
    if (evidence != nullptr) state(*evidence);
    return evidence != nullptr;
  }

  void state(const attest_check::Feasible& evidence);
  void state(const attest_check::Infeasible& evidence);
  void state(const attest_check::Optimal& evidence);
  void state(const attest_check::OptimalEnclosure& evidence);
  void state(const attest_check::Support& evidence);
  void state(const attest_check::StrictlyComplementary& evidence);
  void state(const attest_check::NotStrictlyComplementary& evidence);
  void state(const attest_check::JointAttention& evidence);
  void state(const attest_check::LocallyOptimal& evidence);
  void state(const attest_check::NotLocallyOptimal& evidence);
  void state(const attest_check::GloballyOptimal& evidence);
  void state(const attest_check::NotGloballyOptimal& evidence);
  void state(const attest_check::ScoreTie& evidence);
  void state(const attest_check::RankOfSolution& evidence);
  void state(const attest_check::Smoothness& evidence);
  void state(const attest_check::RegularisationPath& evidence);
  void state(const attest_check::PathResidual& evidence);
  void state(const attest_check::LabelMargins& evidence);
  void state(const attest_check::JointPath& evidence);
  void state(const attest_check::MarginAtMost& evidence);
  void state(const attest_check::Conflicts& evidence);
  void state(const attest_check::SeparableWithout& evidence);
  void state(const attest_check::RobustRadius& evidence);
  void state(const attest_check::FinitePart& evidence);
  void state(const attest_check::NoFinitePart& evidence);
  void state(const attest_check::RunFinitePart& evidence);
  void state(const attest_check::NormOptimum& evidence);
  void state(const attest_check::NormSupportWithin& evidence);
  void state(const attest_check::NormLocallyOptimal& evidence);
  void state(const attest_check::NormPath& evidence);
  void state(const attest_check::NearRank& evidence);
  void state(const attest_check::NormFace& evidence);
  void state(const attest_check::Stationary& evidence);
  void state(const attest_check::Run& evidence);
  void state(const attest_check::PathInequality& evidence);
  void state(const attest_check::MirrorRun& evidence);
  void state(const attest_check::MirrorForever& evidence);
  void state(const attest_check::FactoredRun& evidence);
  void state(const attest_check::FactoredForever& evidence);
  void state(const attest_check::TokenRay& evidence);
  void state(const attest_check::TokenRun& evidence);
  void state(const attest_check::TokenForever& evidence);
  void state(const attest_check::TokenShift& evidence);
  void state(const attest_check::ForeverFromPoint& evidence);
  void state(const attest_check::ForeverFromRun& evidence);

  void state_form(const attest_check::FarkasEvidence& vanishing);
  void state_form(const attest_check::SpanningEvidence& nearly);
  void state_form(const attest_check::GapEvidence& gap);
  void state_form(const attest_check::BallEvidence& ball);
  void define_evidence(const std::string& term);
  std::string define_matrix(const std::string& word, const attest_check::ExactMatrix& matrix);
  std::string tight_where(const attest_check::Norm& norm, const std::string& holds) const;
  std::string define_floors(const std::vector<attest_check::Rational>& floors);
  std::string define_ratios(const attest_check::Ratios& ratios);
  std::string let_ratios() const;
  std::string state_shares(const attest_check::RunFinitePart& evidence);
  std::string state_angle(const attest_check::RunFinitePart& evidence, const std::string& w, CoqParts& parts);
  std::string lower_bound(const attest_check::RankOfSolution& evidence);
  std::string define_hints(const struct GramHints& hints);

  // The evidence as a term of ForeverEvidence.v; nothing, and `unknown` set, when that does not have the
  // theorem.
  std::string theorem_term(const attest_check::Theorem& theorem);
  std::string constants(const attest_check::Absorbing& theorem);
  std::string constants(const attest_check::Local& theorem);
  std::string term(const attest_check::Residual& theorem);
  std::string term(const attest_check::Bounded& theorem);
  std::string ranges(const std::vector<attest_check::Rational>& values) const;
  std::string define_outside(const std::vector<attest_check::Constraint>& outside);
  std::string eigenvalue_bound(const attest_check::EigenvalueBound& eigenvalue);
  void define_start(ExportedRun& run);
  ExportedRun define_iteration(const attest_check::Specification& specification,
                               const attest_check::StartPoint& start, std::size_t fraction_bits);
  ExportedTraining define_training(const attest_check::FactoredRun& evidence);
  ExportedStages define_stages(const attest_check::TokenTraining& steps);
  std::string about_training(const ExportedStages& stages, bool with_least) const;
  std::string every_training(const ExportedStages& stages) const;
  std::string define_sentences(const std::vector<attest_check::ShiftedSentence>& sentences, bool later);
  std::string state_iteration(const ExportedRun& run);
  std::string run_theorem(const std::string& name, bool of_loss = false) const;
  std::string step_sizes(const ExportedRun& run) const;
  std::string define_run(const ExportedRun& run, std::size_t steps, const std::string& evidence);
  std::string state_later(const ExportedRun& run, std::size_t t,
                          const attest_check::ForeverConclusion& said) const;
  std::string define_conclusion(const attest_check::ForeverConclusion& said);

  const attest_check::Problem& problem_;
  const std::string alpha_;  // the problem's selection, as coq/file.cpp names it
  const CoqRows rows_;
  const std::string loss_;  // as a loss of Losses.v, of several outputs that of their one number
  const bool several_outputs_;
  const std::string training_loss_, gradient_;  // as functions of a matrix; h is the head
  CoqClaim& claim_;
  const Exported& exported_;
  std::size_t place_, refinement_;
  bool keeps_path_;  // a later claim speaks about the places that this run passes
  const ExportedClaim* cited_ = nullptr;
  bool natural_centre_ = true;  // of what holds for all later steps
};

}  // namespace attest
