// The registry of claim kinds.
#include "proofs/checker/claims/conflicts.hpp"
#include "proofs/checker/claims/enclosure.hpp"
#include "proofs/checker/claims/factored_forever.hpp"
#include "proofs/checker/claims/factored_run.hpp"
#include "proofs/checker/claims/finite_part.hpp"
#include "proofs/checker/claims/forever.hpp"
#include "proofs/checker/claims/infeasible.hpp"
#include "proofs/checker/claims/joint_attention.hpp"
#include "proofs/checker/claims/joint_forever.hpp"
#include "proofs/checker/claims/joint_path.hpp"
#include "proofs/checker/claims/joint_run.hpp"
#include "proofs/checker/claims/label_margins.hpp"
#include "proofs/checker/claims/margin_at_most.hpp"
#include "proofs/checker/claims/mirror_forever.hpp"
#include "proofs/checker/claims/norm_path.hpp"
#include "proofs/checker/claims/path.hpp"
#include "proofs/checker/claims/path_residual.hpp"
#include "proofs/checker/claims/rank.hpp"
#include "proofs/checker/claims/regularisation_path.hpp"
#include "proofs/checker/claims/robust_radius.hpp"
#include "proofs/checker/claims/run.hpp"
#include "proofs/checker/claims/selection.hpp"
#include "proofs/checker/claims/separable_without.hpp"
#include "proofs/checker/claims/smoothness.hpp"
#include "proofs/checker/claims/solution.hpp"
#include "proofs/checker/claims/stationary.hpp"
#include "proofs/checker/claims/support.hpp"
#include "proofs/checker/claims/token_ray.hpp"
#include "proofs/checker/claims/token_shift.hpp"

namespace attest_check {
namespace {

struct ClaimKind {
  std::string_view name;
  ClaimReader read;
  bool any_rows = false;  // it may be about problems that are not plain
};

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
    {"mirror-run", read<MirrorRun>},
    {"mirror-forever", read<MirrorForever>},
    {"token-ray", read<TokenRay>},
    {"token-run", read<TokenRun>},
    {"token-forever", read<TokenForever>},
    {"token-shift", read<TokenShift>},
    {"factored-run", read<FactoredRun>},
    {"factored-forever", read<FactoredForever>},
    {"", nullptr},  // every other name
};

const ClaimKind& find(std::string_view name) {
  return *std::find_if(kinds, std::end(kinds) - 1, [&](const ClaimKind& kind) { return kind.name == name; });
}

}  // namespace

ClaimReader find_claim_kind(std::string_view name) {
  return find(name).read;
}

bool is_about_any_rows(std::string_view name) {
  return find(name).any_rows;
}

}  // namespace attest_check
