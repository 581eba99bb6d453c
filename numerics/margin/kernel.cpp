#include "numerics/margin/kernel.hpp"

#include <cmath>
#include <limits>

namespace attest {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// norm_squared is within 1e-12 of ||D_c||^2 (an inner product of non-negative terms) unless it underflows;
// the second term covers underflow of squares: entries below 2^-500 contribute less than 2^-500 sqrt(d e) to
// the norm.
MarginKernel::MarginKernel(const ScaledConstraints& constraints) : constraints_(constraints) {
  const double floor = 0x1p-480 * std::sqrt(static_cast<double>(constraints.d() * constraints.e()));
  norm_bound_ = constraints.norm_squared.array().sqrt() * (1 + 0x1p-30) + floor;
}

// The computed margin is fl(dx . fl(W z)) with dx and z within 2^-51 of the exact ones. In any order of
// summation
//     |error| <= (gamma_d + gamma_e + gamma_d gamma_e + 3 * 2^-51) ||dx|| ||z|| ||W||_F + underflow
// (Higham, section 3.1, with |x|'|A||y| <= ||x|| ||A||_F ||y||); (d + e + 20) 2^-52 is nearly twice that.
// Products that underflow lose at most 2^-1074 each; entries of dx and z are at most 2.
RigorousMargins MarginKernel::margins(const RowMatrix& w) const {
  RigorousMargins result;
  result.value = approx_margins(constraints_, w);
  const auto d = static_cast<double>(constraints_.d());
  const auto e = static_cast<double>(constraints_.e());
  const double norm = std::sqrt(w.squaredNorm()) * (1 + 0x1p-30) + 0x1p-480 * std::sqrt(d * e);
  result.error_factor = (d + e + 20) * 0x1p-52 * norm + 0x1p-500 * (d * e + d);
  if (!std::isfinite(result.error_factor)) result.error_factor = kInfinity;
  return result;
}

double MarginKernel::lower(const RigorousMargins& margins, std::size_t c) const {
  const double value = margins.value[static_cast<Eigen::Index>(c)];
  const double end = value - margins.error_factor * norm_bound(c) * (1 + 0x1p-50);
  return std::isfinite(end) ? std::nextafter(end, -kInfinity) : -kInfinity;
}

double MarginKernel::upper(const RigorousMargins& margins, std::size_t c) const {
  const double value = margins.value[static_cast<Eigen::Index>(c)];
  const double end = value + margins.error_factor * norm_bound(c) * (1 + 0x1p-50);
  return std::isfinite(end) ? std::nextafter(end, kInfinity) : kInfinity;
}

}  // namespace attest
