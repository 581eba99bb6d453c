// Later steps of training of factors: see claims/factored/forever.hpp. Names are those of FACTORED.md
// section 4.
#include "proofs/checker/claims/factored/forever.hpp"

#include <algorithm>

#include "proofs/checker/claims/factored/run.hpp"
#include "proofs/checker/claims/norms/optimum.hpp"
#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

constexpr unsigned theorem_bits = 192;

class FactoredTheorem {
 public:
  FactoredTheorem(const Claim& claim, const FactoredPoint& point, const Rational& step)
      : claim_(claim),
        gap_(point.loss_gap.rounded(theorem_bits)),
        size_(point.size.rounded(theorem_bits)),
        eta_(step, theorem_bits) {
    claim.require(gap_.positive(), "the loss is not proved to be above its infimum");
    for (std::size_t i = 0; i < claim.problem.features->groups(); ++i)
      if (claim.problem.features->different(i) > 1) take_in(i);
    require_small();
  }

  Interval margin() const { return margin_; }        // a
  Interval growth() const { return growth_; }        // mu
  Interval attention() const { return attention_; }  // least s of a best token
  Interval drift() const { return eta_ * gap_ / damped_; }

 private:
  // nu, b, phi, D, h.
  void take_in(std::size_t group) {
    const Problem& problem = claim_.problem;
    const Features& features = *problem.features;
    const std::size_t best = problem.selection[group];
    std::optional<Rational> second;
    Rational widest = 0;
    Interval count = 1;
    for (std::size_t t = 0; t < features.tokens_of(group); ++t) {
      if (!features.present(group, t)) continue;
      for (std::size_t u = 0; u < t; ++u)
        if (features.present(group, u))
          widest = std::max(widest, token_distance_squared(features, group, t, u));
      if (t == best) continue;
      const Rational score = features.exact_score(group, t);
      second = second ? std::max(*second, score) : score;
      count = minimum(count, by_multiplicity(features, group, t, best, 1, theorem_bits));
    }
    const Rational score = features.exact_score(group, best);
    const Interval top(score, theorem_bits), next(*second, theorem_bits), lead = top - next;
    const Interval low =
        score_above_loss(problem.loss, top, gap_ * Interval(static_cast<long>(features.groups())));
    const Interval ahead = low - next;
    claim_.require(ahead.positive(), "the loss does not keep the selected token of group " +
                                         std::to_string(group) + " ahead of the others");
    const Interval slope = loss_slope(problem.loss, top);
    const Interval weight = slope * Interval::ratio(1, Integer(features.groups()), theorem_bits);
    const Interval curvature =
        loss_is_linear(problem.loss) ? Interval(0) : most_curvature_ratio(problem.loss, low);
    const Interval b = weight * ahead * ahead / lead * count;
    least_weight_ = least_weight_ ? minimum(*least_weight_, b) : b;
    slope_ratio_ = minimum(slope_ratio_, slope / loss_slope(problem.loss, low));
    bend_ = maximum(bend_, curvature * (top - low));
    reach_ = maximum(reach_, square_root(Interval(widest, theorem_bits)));
    deficit_rate_ = maximum(deficit_rate_, Interval(1) / (weight * lead));
    attention_ = minimum(attention_, ahead / lead);
  }

  void require_small() {
    const Interval one(1), half = Interval::ratio(1, 2, theorem_bits);
    claim_.require(least_weight_.has_value(), "no group has two different tokens");
    const Interval mass = gap_ / slope_ratio_, pushed = eta_ * mass * reach_;  // O, eta O D
    const Interval longer = one + pushed;
    const Interval delta = eta_ * mass * (reach_ * reach_ * (one + bend_) * size_ * longer * longer + reach_);
    claim_.require(certainly_at_most(delta, one), "the step is too long for the loss to fall");
    damped_ = one - half * delta;
    const Interval lost = deficit_rate_ * gap_;  // h S
    const Interval excess = half * delta + lost + half * pushed, kept = one - excess;
    const Interval level = logarithm(slope_ratio_ * *least_weight_) - logarithm(gap_);
    const Interval spare = kept * level - one;
    claim_.require(kept.positive() && spare.positive(), "the loss is not small enough");
    margin_ = level / (half * size_) * exponential(-(excess / spare));
    const Interval steady = one - lost;
    growth_ = Interval(2) * eta_ * damped_ * margin_ * level * steady * steady;
  }

  const Claim& claim_;
  const Interval gap_, size_, eta_;
  Interval slope_ratio_ = 1, bend_, reach_, deficit_rate_, attention_ = 1;
  std::optional<Interval> least_weight_;
  Interval damped_, margin_, growth_;
};

}  // namespace

void FactoredForever::read(Reader& in) {
  words(in, *this);
  in.asked(run).points_asked.push_back(step);
}

std::unique_ptr<Fact> FactoredForever::check(const Claim& claim) const {
  const auto& fact = claim.cite_as<FactoredRunFact>(run, "factored-run");
  const FactoredSteps& steps = fact.said->specification;
  const auto point = fact.points.find(step);
  claim.require(point != fact.points.end(),
                "step " + std::to_string(step) + " is not a checkpoint of the run");
  claim.require(steps.rule == FactoredRule::gd && steps.schedule == Schedule::constant,
                "T22 speaks of constant steps of gd");
  const FactoredTheorem later(claim, point->second, steps.step);
  claim.require_at_most(margin, later.margin().lower(), "margins over half of ||K||^2 + ||Q||^2");
  claim.require_at_most(growth, later.growth().lower(), "growth of 1/(L - L*)");
  claim.require_at_most(attention, later.attention().lower(), "attention on the selected tokens");
  claim.require_at_most(later.drift().upper(), drift, "the way of K'K - Q'Q");
  if (nuclear) {
    const NormOptimum& optimum = *claim.cite_as<NormSolution>(nuclear->optimum, "norm-optimum").optimum;
    claim.require(optimum.norm.kind == Norm::Kind::nuclear, "the claim cited is not about the nuclear norm");
    claim.require_at_most(nuclear->share, margin * optimum.lo, "the share of the best nuclear margin");
  }
  return std::make_unique<Fact>();
}

void FactoredForever::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  const FactoredRun& of = *claim.cite_as<FactoredRunFact>(run, "factored-run").said;
  say("rank", of.rank);
  of.describe_iteration(say);
}

}  // namespace attest_check
