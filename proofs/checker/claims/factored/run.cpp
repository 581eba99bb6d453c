// Training of factors at some of its steps: see claims/factored/run.hpp.
#include "proofs/checker/claims/factored/run.hpp"

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/norms/optimum.hpp"
#include "proofs/checker/claims/replays/solution_entries.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

constexpr std::size_t most_rank = 4096;

// The matrix that a claim about the nuclear norm writes out.
struct NuclearMatrix {
  Vector entries;
  Interval length;

  NuclearMatrix(const Claim& claim, const Citation& cited, unsigned bits) {
    const NormOptimum& optimum = *claim.cite_as<NormSolution>(cited, "norm-optimum").optimum;
    claim.require(optimum.norm.kind == Norm::Kind::nuclear, "the claim cited is not about the nuclear norm");
    Vector factors;
    for (const Rational& entry : optimum.primal.entries()) factors.emplace_back(entry, bits);
    const auto right = factors.begin() + static_cast<std::ptrdiff_t>(optimum.primal.left.numerator.size());
    entries = product_of({factors.begin(), right}, {right, factors.end()}, optimum.rank);
    length = length_of(entries);
  }
};

// What the run is seen against.
struct FactoredDirections {
  std::optional<SolutionEntries> euclidean;
  std::optional<NuclearMatrix> nuclear;
};

void require_checkpoint(const Claim& claim, const FactoredCheckpoint& stated, const FactoredReplay& run,
                        const FactoredDirections& directions) {
  const std::string at = " at step " + std::to_string(stated.at);
  const Vector w = run.product();
  const Interval norm = length_of(w);
  require_within(claim, length_of(run.left()), stated.left, "left-norm" + at);
  require_within(claim, length_of(run.right()), stated.right, "right-norm" + at);
  require_within(claim, norm, stated.norm, "norm" + at);
  require_within(claim, run.balance(), stated.balance, "balance" + at);
  require_within(claim, run.loss_gap(), stated.loss_gap, "loss-gap" + at);
  require_within(claim, run.unselected(), stated.unselected, "unselected" + at);
  claim.require((!stated.one_minus_corr || directions.euclidean) &&
                    (!stated.nuclear_one_minus_corr || directions.nuclear),
                "a correlation" + at + " with a solution that is not cited");
  if (stated.one_minus_corr)
    require_within(claim, Interval(1) - directions.euclidean->along(w, norm) / norm, *stated.one_minus_corr,
                   "one-minus-corr" + at);
  if (!stated.nuclear_one_minus_corr) return;
  const Interval lengths = norm * directions.nuclear->length;
  require_within(claim, Interval(1) - inner_product(w, directions.nuclear->entries) / lengths,
                 *stated.nuclear_one_minus_corr, "nuclear-one-minus-corr" + at);
}

}  // namespace

void FactoredRun::read(Reader& in) {
  in("rank", rank);
  if (rank == 0 || rank > most_rank) in.bad("ranks are from 1 to " + std::to_string(most_rank));
  in.perhaps("from", from);
  in.perhaps("nuclear", nuclear);
  in("steps", steps);
  in.next(specification);
  start.left = read_matrix(in, "left", in.features().left_dimension(), rank);
  start.right = read_matrix(in, "right", in.features().right_dimension(), rank);
  read_checkpoints(in);
}

void FactoredRun::describe_iteration(Statement& say) const {
  say(specification, "start", hash_words(start.entries()));
}

void FactoredRun::describe(const Claim&, Statement& say) const {
  say("rank", rank);
  say.perhaps("from", from);
  say.perhaps("nuclear", nuclear);
  say("steps", steps);
  describe_iteration(say);
  describe_checkpoints(say);
}

std::unique_ptr<Fact> FactoredRun::check(const Claim& claim) const {
  const Features& features = *claim.problem.features;
  claim.require(claim.problem.loss != Loss::none, "the problem names no loss");
  claim.require(features.outputs() == nullptr, "the head has several outputs");
  claim.require(features.instance().offsets.size() == 0, "the instance has offsets");
  auto fact = std::make_unique<FactoredRunFact>();
  fact->said = this;
  FactoredDirections directions;
  if (from)
    directions.euclidean.emplace(reference_direction(claim, claim.cite(*from), working_bits(), false),
                                 working_bits());
  if (nuclear) directions.nuclear.emplace(claim, *nuclear, working_bits());
  FactoredReplay run(claim.problem, specification, start, working_bits());
  follow(claim, run, [&](std::size_t t, const FactoredCheckpoint* stated) {
    if (stated == nullptr) return;
    require_checkpoint(claim, *stated, run, directions);
    if (!is_asked(claim, t)) return;
    const Interval left = length_of(run.left()), right = length_of(run.right());
    fact->points.emplace(t, FactoredPoint{run.loss_gap(), left * left + right * right});
  });
  return fact;
}

}  // namespace attest_check
