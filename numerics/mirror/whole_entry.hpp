// P > 2: an entry's share of kappa as a whole (MIRROR.md section 5): with b = a/u and t = w/u it is |u|^P
// times
//
//   (t - b) - (g(t) - g(b))/(P-1) - share d(b, t),      g = grad psi, d its divergence.
#pragma once

#include <vector>

#include "numerics/mirror/exponents.hpp"

namespace attest {

template <typename Number>
class WholeEntry {
 public:
  explicit WholeEntry(const Exponents& exponents);

  // At least the supremum over all t and all b between two numbers; at least 0.
  double operator()(double from, double to, double share) const;

 private:
  // Sizes of t, and what a function of them may rise above its values at the ends of a cell.
  struct Grid {
    std::vector<double> points;
    std::vector<Number> gradient, power;          // points^(P-1), points^P
    std::vector<Number> bend_first, bend_second;  // of the cell from a point on
  };
  Grid grid(double ratio) const;
  Number moving(const Grid& grid, double slope, double weight, int sign) const;
  Number still(double b, double share) const;

  Exponents exponents_;
  Grid ahead_, behind_;
};
extern template class WholeEntry<double>;
extern template class WholeEntry<DoubleInterval>;

}  // namespace attest
