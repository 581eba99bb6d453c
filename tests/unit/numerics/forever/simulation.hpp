// The exact iteration followed in 320-bit MPFR arithmetic on a dense W, straight from the definition of the
// loss: an oracle that shares no formula with the theorems. A token counts by its multiplicity.
#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest_test {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<96>,
                                           boost::multiprecision::et_off>;

Real real(const attest::Rational& value);

struct Direction {
  std::vector<Real> unit;  // u, d x e
  Real margin = 0;         // gamma
};

// From an exact optimum.
Direction direction_of(const attest::TokenData& data, const attest::Selection& selection,
                       const attest::ExactOptimum& optimum);

class Simulation {
 public:
  // entries: d x e. The first step uses eta_0.
  Simulation(const attest::TokenData& data, const attest::Selection& selection,
             const attest::OptimizerSpec& spec, const std::vector<Real>& entries);

  void advance();
  std::uint64_t step() const { return step_; }

  const std::vector<Real>& weights() const { return weights_; }
  // <a_{i,alpha_i} - a_it, W> in increasing (group, token) order, of tokens that are present.
  std::vector<Real> margins() const;
  // 1 - s_{i,alpha_i}, per group of the data.
  std::vector<Real> unselected() const;
  Real norm() const;
  Real along(const Direction& direction) const;

 private:
  // The scores of a head of one output; or what stands for them at this attention, with the slope, of
  // several.
  std::vector<Real> scores_at(std::size_t group, const std::vector<Real>& attention, Real& slope) const;
  Real classifier_excess(std::size_t group, const std::vector<Real>& attention) const;

  const attest::TokenData* data_;
  attest::Selection selection_;
  attest::OptimizerSpec spec_;
  std::vector<Real> tokens_, queries_, scores_;
  std::vector<Real> weights_;
  std::uint64_t step_ = 0;
};

}  // namespace attest_test
