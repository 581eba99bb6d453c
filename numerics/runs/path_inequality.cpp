#include "numerics/runs/path_inequality.hpp"

namespace attest {

PathPoint path_point(const RunPoint& point, long bits) {
  return {point.along, sub(square(point.norm, bits), square(point.along, bits), bits)};
}

std::optional<Ball> record_path(PathRecord& path, std::uint64_t t, const PathPoint& here,
                                const PathPoint& next, long bits) {
  const Ball rise = sub(next.height, here.height, bits);
  if (!certainly_positive(rise) ||
      rise.accuracy_bits() < 8) {  // a checker's own enclosures must show it, too
    path = {};
    return std::nullopt;
  }
  Ball needed = div(sub(next.residual_squared, here.residual_squared, bits), rise, bits);
  const double lo = needed.lower_double(), hi = needed.upper_double();
  take_in(path.whole, t, t + 1, lo, hi);
  if (path.blocks.empty() || (t & (t - 1)) == 0) path.blocks.emplace_back();
  take_in(path.blocks.back(), t, t + 1, lo, hi);
  return needed;
}

}  // namespace attest
