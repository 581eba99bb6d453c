// The residual of the regularisation path: see claims/paths/residual.hpp. Names are those of SOUNDNESS.md
// section 7.
#include "proofs/checker/claims/paths/residual.hpp"

#include <algorithm>

#include "proofs/checker/claims/paths/rate.hpp"
#include "proofs/checker/problem/constraint_gram.hpp"
#include "proofs/checker/runs/reference_direction.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

class ResidualTheorem {
 public:
  ResidualTheorem(const Claim& claim, const PathResidual& evidence, const ReferenceDirection& direction,
                  const PathTheorem& theorem)
      : claim_(claim), evidence_(evidence), direction_(direction), theorem_(theorem) {}

  Interval squared() const {
    const Centre p = centre();
    const Interval height = Interval(evidence_.radius, path_bits) -
                            direction_.norm * theorem_.rate(direction_.active, direction_.weight);
    claim_.require(height.positive(), "<u, W> is not proved to be positive from from-radius on");
    return p.norm * p.norm +
           Interval(2) * height * far_weight(p.norm, height) / (direction_.margin * exponential(p.mean));
  }

 private:
  struct Centre {
    Interval norm, mean;  // at least ||p||; sum mu_c log(b_c/mu_c)
  };

  bool active(const Constraint& c) const {
    return std::binary_search(direction_.active.begin(), direction_.active.end(), c);
  }

  // p lies in the span of S with <Delta_c, p> = v_c = log(b_c/mu_c) less their mean. With p~ = sum pull_c
  // Delta_c the difference has the products r_c = v_c - <Delta_c, p~>: its squared length is r'G^-1 r <=
  // ||r||^2/lambda_min(G).
  Centre centre() const {
    const EigenvalueBound& eigenvalue = evidence_.eigenvalue;
    claim_.require(eigenvalue.bound > 0, "the bound of the smallest eigenvalue is not positive");
    claim_.require(smallest_eigenvalue_at_least(constraint_gram(claim_.problem, direction_.active),
                                                eigenvalue.bound, eigenvalue.bits),
                   "the smallest eigenvalue of the Gram matrix of the support is not proved to be at least " +
                       show(eigenvalue.bound) + " with " + std::to_string(eigenvalue.bits) + " bits");
    claim_.require(std::includes(direction_.active.begin(), direction_.active.end(),
                                 evidence_.pull.at.begin(), evidence_.pull.at.end()),
                   "pull has an entry off the support");
    const SpanElement pulled(claim_.problem, evidence_.pull);
    const std::vector<Integer> products = pulled.margins_at(direction_.active);
    std::vector<Interval> level;  // log(b_c/mu_c)
    Centre found;
    for (std::size_t k = 0; k < direction_.active.size(); ++k) {
      level.push_back(logarithm(theorem_.weight(direction_.active[k]) / direction_.weight[k]));
      found.mean += direction_.weight[k] * level.back();
    }
    Interval squares;  // ||r||^2
    for (std::size_t k = 0; k < direction_.active.size(); ++k) {
      const Interval rest = level[k] - found.mean - Interval::ratio(products[k], pulled.scale(), path_bits);
      squares += rest * rest;
    }
    found.norm = square_root(Interval(pulled.norm_squared(), path_bits)) +
                 square_root(squares / Interval(eigenvalue.bound, path_bits));
    return found;
  }

  // At least sum b_c e^{-(gamma_c - gamma) y + d_c ||p||} over the other constraints, at this height y and,
  // times the height, at all larger ones.
  Interval far_weight(const Interval& norm, const Interval& height) const {
    const Features& features = *claim_.problem.features;
    Interval sum;
    for (std::size_t i = 0; i < features.groups(); ++i) {
      const std::size_t selected = claim_.problem.selection[i];
      const std::vector<Interval> slopes = direction_.slopes(i);
      for (std::size_t t = 0; t < slopes.size(); ++t) {
        const Constraint c{i, t};
        if (t == selected || !features.present(i, t) || active(c)) continue;
        const Interval beyond = slopes[t] - direction_.margin;
        claim_.require(beyond.positive() && certainly_at_most(Interval(1), beyond * height),
                       show(c) + " is not proved to be far enough from the support");
        const Interval length2(token_distance_squared(features, i, selected, t), path_bits);
        const Interval across = square_root(maximum(length2 - slopes[t] * slopes[t], Interval(0)));
        sum +=
            theorem_.weight(c) * exponential(maximum(across * norm - beyond * height, -Interval(decay_cut)));
      }
    }
    return sum;
  }

  const Claim& claim_;
  const PathResidual& evidence_;
  const ReferenceDirection& direction_;
  const PathTheorem& theorem_;
};

}  // namespace

void PathResidual::read(Reader& in) {
  words(in, *this);
  in.next(eigenvalue);
  pull = in.vector("pull");
}

std::unique_ptr<Fact> PathResidual::check(const Claim& claim) const {
  require_path(claim, radius);
  claim.require(residual > 0, "residual is not positive");
  claim.require(claim.problem.features->outputs() == nullptr, "not known of heads of several outputs");
  const ReferenceDirection direction = reference_direction(claim, claim.cite(from), path_bits, true);
  const PathTheorem theorem(claim, direction.margin, radius);
  const Interval squared = ResidualTheorem(claim, *this, direction, theorem).squared();
  claim.require_at_most(squared.upper(), Rational(residual * residual),
                        "squared residual of the theorem against that of residual");
  return std::make_unique<Fact>();
}

}  // namespace attest_check
