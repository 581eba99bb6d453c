// The registry of claim kinds.
#include "proofs/checker/claims/descent/finite_part.hpp"
#include "proofs/checker/claims/descent/forever.hpp"
#include "proofs/checker/claims/descent/path_inequality.hpp"
#include "proofs/checker/claims/descent/smoothness.hpp"
#include "proofs/checker/claims/descent/stationary.hpp"
#include "proofs/checker/claims/factored/forever.hpp"
#include "proofs/checker/claims/factored/run.hpp"
#include "proofs/checker/claims/joint/attention.hpp"
#include "proofs/checker/claims/joint/forever.hpp"
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
#include "proofs/checker/claims/norms/face.hpp"
#include "proofs/checker/claims/norms/near_rank.hpp"
#include "proofs/checker/claims/norms/path.hpp"
#include "proofs/checker/claims/norms/solution.hpp"
#include "proofs/checker/claims/paths/regularisation.hpp"
#include "proofs/checker/claims/paths/residual.hpp"
#include "proofs/checker/claims/tokens/ray.hpp"
#include "proofs/checker/claims/tokens/shift.hpp"

namespace attest_check {
namespace {

template <class Kind>
std::unique_ptr<const ClaimEvidence> read(Reader& in) {
  auto evidence = std::make_unique<Kind>();
  evidence->read(in);
  in.end();
  return evidence;
}

constexpr ClaimKind kinds[] = {
    {"feasible", read<Feasible>, true},
    {"infeasible", read<Infeasible>, true},
    {"margin-at-most", read<MarginAtMost>, true},
    {"optimal", read<Optimal>, true},
    {"optimal-enclosure", read<OptimalEnclosure>, true},
    {"support", read<Support>, true},
    {"strictly-complementary", read<StrictlyComplementary>, true},
    {"not-strictly-complementary", read<NotStrictlyComplementary>, true},
    {"locally-optimal", read<LocallyOptimal>},
    {"not-locally-optimal", read<NotLocallyOptimal>},
    {"globally-optimal", read<GloballyOptimal>},
    {"not-globally-optimal", read<NotGloballyOptimal>},
    {"score-tie", read<ScoreTie>},
    {"rank", read<RankOfSolution>, true},
    {"smoothness", read<Smoothness>},
    {"stationary", read<Stationary>},
    {"run", read<Run>},
    {"path-inequality", read<PathInequality>},
    {"run-finite-part", read<RunFinitePart>, true},
    {"forever-from-point", read<ForeverFromPoint>},
    {"forever-from-run", read<ForeverFromRun>},
    {"regularisation-path", read<RegularisationPath>},
    {"path-residual", read<PathResidual>},
    {"conflicts", read<Conflicts>},
    {"separable-without", read<SeparableWithout>},
    {"robust-radius", read<RobustRadius>},
    {"joint-attention", read<JointAttention>, true},
    {"label-margins", read<LabelMargins>, true},
    {"joint-path", read<JointPath>, true},
    {"joint-run", read<JointRun>, true},
    {"joint-forever", read<JointForever>, true},
    {"finite-part", read<FinitePart>, true},
    {"no-finite-part", read<NoFinitePart>, true},
    {"norm-optimum", read<NormOptimum>},
    {"norm-support-within", read<NormSupportWithin>},
    {"norm-locally-optimal", read<NormLocallyOptimal>},
    {"norm-path", read<NormPath>},
    {"norm-near-rank", read<NearRank>},
    {"norm-face", read<NormFace>},
    {"norm-solution", read<NuclearSolution>},
    {"mirror-run", read<MirrorRun>},
    {"mirror-forever", read<MirrorForever>},
    {"token-ray", read<TokenRay>},
    {"token-run", read<TokenRun>},
    {"token-forever", read<TokenForever>},
    {"token-shift", read<TokenShift>},
    {"factored-run", read<FactoredRun>},
    {"factored-forever", read<FactoredForever>},
};

}  // namespace

const ClaimKind* find_claim_kind(std::string_view name) {
  for (const ClaimKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace attest_check
