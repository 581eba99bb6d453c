// Whether claims about optimiser runs are true, by following the iteration from its definition: dense
// features, 150 decimal digits, no error bounds. Token by token: equal ones are not merged, each has its own
// score and stands there as often as its count says. What is off by less than 10^-90 passes for true.
#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"
#include "tests/oracle/margin.hpp"

namespace reference {

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
  // From a point, or from step claim.at of the run `cited`. Follows `later` steps: what first fails after
  // them passes for true.
  std::string forever_objection(const ForeverClaim& claim, const RunClaim* cited, std::size_t later);

 private:
  using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<150>,
                                             boost::multiprecision::et_off>;
  using Vector = std::vector<Real>;
  struct Point {
    Vector w;
    Real norm, along, loss_gap, gradient;
    Real unselected;        // largest attention that a group's other tokens have together
    bool dominated = true;  // every selected token has more than half of its group's attention
    Vector velocity;        // -grad L
  };

  static Real real(const Number& x);
  static Real dot(const Vector& a, const Vector& b);
  Point at(Vector w) const;
  void descend_cross_entropy(std::size_t group, const Vector& share, Point& point) const;
  Real slope_of(const Real& f) const;
  Real excess(const Real& f, const Real& best) const;  // l(f) - l(best)
  Real step_size(const Iteration& iteration, std::size_t t) const;
  // A point of this norm that the loss cannot be lowered from by some hundred steps on the sphere.
  Point low_point(const Real& norm) const;
  // The points 0, ..., steps; fewer when the gradient vanishes.
  const std::vector<Point>& follow(const Iteration& iteration, std::size_t steps);

  std::string loss_;
  std::size_t dimension_ = 0;
  std::vector<std::vector<Vector>> features_;  // group, token
  std::vector<Vector> scores_, counts_;
  std::vector<std::vector<bool>> chosen_;  // the selected token and its equals
  std::vector<std::vector<bool>> wanted_;  // cross-entropy: y and its equals; else empty
  Vector best_;                            // per group: what the output tends to at most
  Choice selection_;
  Vector unit_;  // W*/||W*||
  Real gamma_;
  std::map<std::string, std::vector<Point>> followed_;
};

}  // namespace reference
