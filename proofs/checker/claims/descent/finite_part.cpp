// The finite part of a run: see claims/descent/finite_part.hpp.
#include "proofs/checker/claims/descent/finite_part.hpp"

#include "proofs/checker/runs/fact.hpp"
#include "proofs/checker/runs/head.hpp"

namespace attest_check {
namespace {

constexpr unsigned point_bits = 384;  // beside those of the replay

std::vector<Constraint> equations(const Problem& problem) {
  std::vector<Constraint> found;
  for_each_constraint(problem, [&](const Constraint& c) {
    if (problem.sense(c) == Sense::equal_to_zero) found.push_back(c);
  });
  return found;
}

// One point of a run, seen from the selected sets of the claim's problem.
class SharedAttention {
 public:
  SharedAttention(const Claim& claim, const RunFinitePart& evidence, const RunPoint& point)
      : claim_(claim), evidence_(evidence), point_(point) {}

  // m_c(W_t).
  Interval margin(const Constraint& c) const {
    const std::vector<Interval>& margins = point_.margin[c.group];
    return margins[c.token] - margins[claim_.problem.selection[c.group]];
  }

  // A group of one token has all its attention on it.
  void require_attention() const {
    const Problem& problem = claim_.problem;
    const Features& features = *problem.features;
    for (std::size_t i = 0; i < features.groups(); ++i) {
      std::vector<Interval> odds(features.tokens_of(i));
      Interval total;
      for (std::size_t t = 0; t < odds.size(); ++t) {
        if (!features.present(i, t)) continue;
        odds[t] =
            by_multiplicity(features, i, t, problem.selection[i], exponential(-margin({i, t})), point_bits);
        total += odds[t];
      }
      for (std::size_t t = 0; t < odds.size(); ++t) {
        if (features.present(i, t)) require_share({i, t}, odds[t] / total);
      }
    }
  }

  // With f^2 = ||W_fin||^2 = <W_t, W_fin>, b = <W_t, W_mm> and m = ||W_mm||: <W_fin, W_mm> = 0, so that the
  // cosine is at most sqrt(f^2 + b^2/m^2)/||W_t||, which c = b/m^2 > 0 attains.
  void require_angle(const ReferenceDirection& solution) const {
    const Interval norm_squared = point_.norm * point_.norm, away = solution.radius * point_.norm;
    Interval along;
    const ConstraintVector& x = solution.centre->vector();
    for (std::size_t k = 0; k < x.size(); ++k)
      along += margin(x.at[k]) * Interval::ratio(x.numerator[k], x.denominator, point_bits);
    along = Interval::hull(along - away, along + away);
    claim_.require(along.positive(), "the run is not proved to be on the solution's side");
    const Interval size = solution.norm * solution.norm, factor = along / size;
    require_in(claim_, factor, *evidence_.factor, true, "factor");
    const Interval shared = finite_norm_squared() + along * factor;
    require_in(
        claim_,
        maximum(norm_squared - shared, Interval(0)) / (norm_squared + point_.norm * square_root(shared)),
        *evidence_.one_minus_corr, true, "one-minus-corr");
  }

 private:
  void require_share(const Constraint& at, const Interval& share) const {
    const std::vector<std::size_t>& set = claim_.problem.sets[at.group];
    const bool selected = std::binary_search(set.begin(), set.end(), at.token);
    const Interval bound(selected ? evidence_.selected : evidence_.masked, point_bits);
    claim_.require(selected ? certainly_less(bound, share) : certainly_less(share, bound),
                   "the attention on " + show(at) + " is not proved to be " +
                       (selected ? "above selected" : "below masked"));
  }

  // As LeastNorm has it: from the dual value up, by no more than the squared residuals over S.
  Interval finite_norm_squared() const {
    const Interval low = evidence_.part.dual_value(
        claim_, [this](const Constraint& c) { return margin(c); }, point_bits);
    const Interval radius(evidence_.part.radius, point_bits);
    return maximum(Interval::hull(low, low + radius * radius), Interval(0));
  }

  const Claim& claim_;
  const RunFinitePart& evidence_;
  const RunPoint& point_;
};

}  // namespace

void RunFinitePart::read(Reader& in) {
  words(in, *this);
  if (solution.has_value() != factor.has_value() || solution.has_value() != one_minus_corr.has_value())
    in.bad("factor and one-minus-corr are of a solution");
  in.asked(run).points_asked.push_back(step);
  const std::size_t count = equations(in.problem).size();
  part.read_spanning(in, count, "constraints = 0");
  for (std::size_t k = part.spanning.size(); k < count; ++k) combinations.push_back(in.vector("combination"));
}

std::unique_ptr<Fact> RunFinitePart::check(const Claim& claim) const {
  claim.require(!claim.problem.sets.empty(), "the problem is not one of selected sets");
  const Fact& cited = claim.cite_across(run);
  const auto* fact = dynamic_cast<const RunFact*>(&cited);
  if (fact == nullptr) claim.wrong_kind(cited, "run");
  claim.require(cited.claim->problem.features == claim.problem.features, "the run is about other features");
  const auto point = fact->points.find(step);
  claim.require(point != fact->points.end(),
                "step " + std::to_string(step) + " is not a checkpoint of the run");
  const std::vector<Constraint> equal = equations(claim.problem);
  part.require_form(claim, equal);
  auto combination = combinations.begin();
  for (const Constraint& c : equal) {
    if (part.spans(c)) continue;
    require_on_spanning(claim, part, c, *combination);
    require_vanishing(claim, *combination++);
  }
  const SharedAttention shared(claim, *this, point->second);
  try {
    part.require_near(
        claim, [&](const Constraint& c) { return shared.margin(c); }, point_bits);
    part.require_eigenvalue(claim);
    if (solution) shared.require_angle(reference_direction(claim, claim.cite(*solution), point_bits, false));
    shared.require_attention();
  } catch (const Imprecise&) {
    claim.fail("a number of the run's point is not known well enough");
  }
  return std::make_unique<Fact>();
}

void RunFinitePart::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  say("coefficients", hash_words(part.coefficients));
  say(static_cast<const RunFact&>(claim.cite_across(run)));
}

}  // namespace attest_check
