// The registry of claim kinds.
#include "proofs/checker/claims/conflicts.hpp"
#include "proofs/checker/claims/enclosure.hpp"
#include "proofs/checker/claims/forever.hpp"
#include "proofs/checker/claims/infeasible.hpp"
#include "proofs/checker/claims/margin_at_most.hpp"
#include "proofs/checker/claims/norm_support.hpp"
#include "proofs/checker/claims/path.hpp"
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

namespace attest_check {
namespace {

struct ClaimKind {
  std::string_view name;
  ClaimReader read;
};

template <class Kind>
std::unique_ptr<const ClaimEvidence> read(Reader& in) {
  auto evidence = std::make_unique<Kind>();
  evidence->read(in);
  in.end();
  return evidence;
}

constexpr ClaimKind kinds[] = {
    {"feasible", read<Feasible>},
    {"infeasible", read<Infeasible>},
    {"margin-at-most", read<MarginAtMost>},
    {"optimal", read<Optimal>},
    {"optimal-enclosure", read<OptimalEnclosure>},
    {"support", read<Support>},
    {"strictly-complementary", read<StrictlyComplementary>},
    {"not-strictly-complementary", read<NotStrictlyComplementary>},
    {"locally-optimal", read<LocallyOptimal>},
    {"not-locally-optimal", read<NotLocallyOptimal>},
    {"globally-optimal", read<GloballyOptimal>},
    {"not-globally-optimal", read<NotGloballyOptimal>},
    {"score-tie", read<ScoreTie>},
    {"rank", read<RankOfSolution>},
    {"smoothness", read<Smoothness>},
    {"stationary", read<Stationary>},
    {"run", read<Run>},
    {"path-inequality", read<PathInequality>},
    {"forever-from-point", read<ForeverFromPoint>},
    {"forever-from-run", read<ForeverFromRun>},
    {"regularisation-path", read<RegularisationPath>},
    {"conflicts", read<Conflicts>},
    {"separable-without", read<SeparableWithout>},
    {"robust-radius", read<RobustRadius>},
    {"norm-optimum", read<NormOptimum>},
    {"norm-support-within", read<NormSupportWithin>},
    {"norm-locally-optimal", read<NormLocallyOptimal>},
};

}  // namespace

ClaimReader find_claim_kind(std::string_view name) {
  for (const ClaimKind& candidate : kinds)
    if (candidate.name == name) return candidate.read;
  return nullptr;
}

}  // namespace attest_check
