// Whether claims about optimiser runs are true, by following the iteration from its definition: dense
// features, 150 decimal digits, no error bounds. Token by token: equal ones are not merged, each has its own
// score and stands there as often as its count says. What is off by less than 10^-90 passes for true. Far
// out, where all attention but some e^-10^9 lies on one token, a step is as small: differences are summed
// from their terms, and points are kept relative to the start.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"
#include "tests/oracle/margin.hpp"
#include "tests/oracle/real.hpp"

namespace reference {

// What a claim about the path in another norm says: at r ray, of norm r at most, and whatever loses no more,
// <direction, W> >= reach r - K.
struct NormPath {
  std::vector<Real> ray, direction;
  Real reach;
  std::function<Real(const std::vector<Real>&)> size;  // the norm
};

class RunTruth {
 public:
  // `answer` is the feasible problem's exact answer and outlives this.
  RunTruth(const Dataset& data, const Problem& problem, const MarginAnswer& answer);

  // Empty when the claim is true; otherwise says what is not.
  std::string stationary_objection(const RunClaim& claim);
  std::string run_objection(const RunClaim& claim);
  std::string path_objection(const PathClaim& claim, const RunClaim& cited);
  // Looks at some radii: a point that loses no more than r u, found by descending from it on the sphere, is
  // as near to u as the claim says. (Minimisers lose no more than r u.)
  std::string regularisation_objection(const Number& radius, const Number& constant);
  // At these radii the point of least loss on the sphere that descent finds is as near to the ray as said.
  std::string residual_objection(const Number& radius, const Number& residual) const;
  // The first in another norm.
  std::string norm_path_objection(const NormPath& path, const Number& radius, const Number& constant);
  // From a point, or from step claim.at of the run `cited`. Follows `later` steps: what first fails after
  // them passes for true.
  std::string forever_objection(const ForeverClaim& claim, const RunClaim* cited, std::size_t later);

 private:
  using Vector = std::vector<Real>;
  struct Point {
    Vector w;
    Vector moved;  // from the iteration's start
    Real risen;    // how far along u
    Real norm, along, loss_gap, gradient;
    Real unselected;        // largest attention that a group's other tokens have together
    bool dominated = true;  // every selected token has more than half of its group's attention
    Vector velocity;        // -grad L
    Real summed;            // what the terms of -grad L have in size together
    bool stands() const;    // no gradient, as far as can be told
  };

  static Real dot(const Vector& a, const Vector& b);
  Point at(Vector w) const;
  // Adds what a group has in -grad L and in the loss, its tokens having these shares of attention.
  void descend(std::size_t group, const Vector& share, Point& point) const;
  void descend_cross_entropy(std::size_t group, const Vector& share, Point& point) const;
  void descend_outputs(std::size_t group, const Vector& share, Point& point) const;
  struct OutputLoss {
    Real value;
    Vector score;  // -dl/ds_t
  };
  OutputLoss output_loss(std::size_t group, const Vector& share) const;
  void read_layer(const Dataset& data);
  // Adds factor (a_t - a_s) to -grad L.
  void pull(std::size_t group, std::size_t t, std::size_t s, const Real& factor, Point& point) const;
  Real slope_of(const Real& f) const;
  Real excess(const Real& gap, const Real& best) const;  // l(best - gap) - l(best)
  Real step_size(const Iteration& iteration, std::size_t t) const;
  std::string bounds_objection(const ForeverClaim& claim, const std::vector<Point>& points, std::size_t first,
                               std::size_t last, const Iteration& iteration) const;
  // A point of the same size that the loss cannot be lowered from by some hundred steps on the sphere.
  using Size = std::function<Real(const Vector&)>;
  Point low_point(const Vector& start, const Size& size) const;
  // The points 0, ..., steps; fewer when the gradient vanishes.
  const std::vector<Point>& follow(const Iteration& iteration, std::size_t steps);
  static std::string name_of(const Iteration& iteration);

  std::string loss_;
  std::size_t dimension_ = 0;
  std::vector<std::vector<Vector>> features_;  // group, token
  std::vector<Vector> scores_, counts_;
  std::vector<std::vector<bool>> chosen_;  // the selected token and its equals
  std::vector<std::vector<bool>> wanted_;  // cross-entropy: y and its equals; else empty
  Vector best_;                            // per group: what the output tends to at most
  // Of a head of several outputs: U x_t or A x_t, and the loss where all attention is on the selected token.
  std::optional<Layer> layer_;
  std::vector<std::vector<Vector>> outputs_;
  std::vector<int> labels_;
  Vector limit_;
  Choice selection_;
  Vector unit_;  // W*/||W*||
  Real gamma_;
  std::map<std::string, std::vector<Point>> followed_;
  // Claims found true, by iteration and step: what one of them implies is true.
  std::map<std::string, std::vector<ForeverClaim>> forever_true_;
  std::vector<std::pair<Number, Number>> regularisation_true_;  // radius and constant
};

}  // namespace reference
