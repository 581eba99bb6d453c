// Rigorous double-precision margins: all constraints of a dense W at the cost of the plain matrix product.
//
// The error bound is a priori (norms, not interval operations): one number for W and one precomputed number
// for each constraint, so that rigour costs a few per cent.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "numerics/problem/scaled_constraints.hpp"

namespace attest {

// Margins of one W. With D_c = dx_c z_i' the exact scaled constraint (Delta_c = 2^exponent D_c):
//     |<D_c, W> - value[c]| <= error_factor * norm_bound[c].
// error_factor is infinite when W has a NaN or the bound overflows, so that no comparison is certain.
struct RigorousMargins {
  Eigen::VectorXd value;
  double error_factor = 0;
};

class MarginKernel {
 public:
  // Keeps a reference. O(constraints d) once.
  explicit MarginKernel(const ScaledConstraints& constraints);

  // w: d x e, exact binary64 entries. O(groups d e + constraints d).
  RigorousMargins margins(const RowMatrix& w) const;

  // Upper bound of ||D_c|| by which error_factor is multiplied.
  double norm_bound(std::size_t c) const { return norm_bound_[static_cast<Eigen::Index>(c)]; }

  // True only if <D_c, W> > threshold (< threshold) for certain.
  bool certainly_above(const RigorousMargins& margins, std::size_t c, double threshold) const {
    return lower(margins, c) > threshold;
  }
  bool certainly_below(const RigorousMargins& margins, std::size_t c, double threshold) const {
    return upper(margins, c) < threshold;
  }
  // Ends of an interval that contains <D_c, W>.
  double lower(const RigorousMargins& margins, std::size_t c) const;
  double upper(const RigorousMargins& margins, std::size_t c) const;

 private:
  const ScaledConstraints& constraints_;
  Eigen::VectorXd norm_bound_;
};

}  // namespace attest
