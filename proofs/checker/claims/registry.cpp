// The registry of claim kinds.
#include "proofs/checker/claims/enclosure.hpp"
#include "proofs/checker/claims/forever.hpp"
#include "proofs/checker/claims/path.hpp"
#include "proofs/checker/claims/rank.hpp"
#include "proofs/checker/claims/regularisation_path.hpp"
#include "proofs/checker/claims/run.hpp"
#include "proofs/checker/claims/selection.hpp"
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
constexpr ClaimKind kind = {Kind::name, [](Reader& in) -> std::unique_ptr<const ClaimEvidence> {
                              auto evidence = std::make_unique<Kind>();
                              evidence->read(in);
                              in.end();
                              return evidence;
                            }};

constexpr ClaimKind kinds[] = {
    kind<Feasible>,
    kind<Infeasible>,
    kind<Optimal>,
    kind<OptimalEnclosure>,
    kind<Support>,
    kind<StrictlyComplementary>,
    kind<NotStrictlyComplementary>,
    kind<LocallyOptimal>,
    kind<NotLocallyOptimal>,
    kind<GloballyOptimal>,
    kind<NotGloballyOptimal>,
    kind<ScoreTie>,
    kind<RankOfSolution>,
    kind<Smoothness>,
    kind<Stationary>,
    kind<Run>,
    kind<PathInequality>,
    kind<ForeverFromPoint>,
    kind<ForeverFromRun>,
    kind<RegularisationPath>,
};

}  // namespace

ClaimReader find_claim_kind(std::string_view name) {
  for (const ClaimKind& candidate : kinds) {
    if (candidate.name == name) return candidate.read;
  }
  return nullptr;
}

}  // namespace attest_check
