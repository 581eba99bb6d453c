#include "numerics/mirror/whole_entry.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/sizes.hpp"

namespace attest {
namespace {

constexpr double first_ratio = 1e-3, last_ratio = 300;
constexpr double fine = 1.02, rough = 1.08;  // where t has the sign of u, and where it has not

}  // namespace

template <typename Number>
WholeEntry<Number>::WholeEntry(const Exponents& exponents)
    : exponents_(exponents), ahead_(grid(fine)), behind_(grid(rough)) {}

// Over a cell of length L a function f is at most its larger end plus L^2/8 sup (-f'')^+; for k s^(P-1) that
// is (P-1)(P-2)|k| s^(P-3), for (share/Q) s^P share (P-1)^2 s^(P-2).
template <typename Number>
typename WholeEntry<Number>::Grid WholeEntry<Number>::grid(double ratio_of_points) const {
  Grid found;
  const Number p1 = ratio<Number>(exponents_.p_minus_1), p2 = ratio<Number>(exponents_.p_minus_2);
  for (double t = first_ratio; t < last_ratio * ratio_of_points; t *= ratio_of_points) {
    found.points.push_back(t);
    found.gradient.push_back(pow(Number(t), exponents_.p_minus_1));
    found.power.push_back(found.gradient.back() * Number(t));
  }
  for (std::size_t k = 0; k + 1 < found.points.size(); ++k) {
    const Number one(found.points[k]), other(found.points[k + 1]), length = other - one;
    const Number share = length * length / Number(8.0);
    const double steep =
        std::max(high(pow(one, exponents_.p_minus_2) / one), high(pow(other, exponents_.p_minus_2) / other));
    found.bend_first.push_back(share * p1 * p2 * Number(steep));
    found.bend_second.push_back(share * p1 * p1 * pow(other, exponents_.p_minus_2));
  }
  return found;
}

// At least sup over s >= 0 of sign s + slope s^(P-1) - (weight/Q) s^P.
template <typename Number>
Number WholeEntry<Number>::moving(const Grid& grid, double slope, double weight, int sign) const {
  const Number rise(slope), fall = Number(weight) / ratio<Number>(exponents_.q), unit(sign);
  const Number bent(std::max(0.0, -slope)), share(weight), upward(std::max(0.0, slope));
  // Beyond the last point it falls.
  const Number last(grid.points.back());
  const Number steep = pow(last, exponents_.two_minus_p) + upward;
  if (!(low(fall * last - steep) >= 0)) return Number(infinity);
  const double near = std::max(0, sign) * grid.points.front();
  double most = std::max(0.0, high(Number(near) + upward * grid.gradient.front()));
  double before = -infinity;
  for (std::size_t k = 0; k < grid.points.size(); ++k) {
    const double here = high(unit * Number(grid.points[k]) + rise * grid.gradient[k] - fall * grid.power[k]);
    if (k > 0) {
      const Number bend = bent * grid.bend_first[k - 1] + share * grid.bend_second[k - 1];
      most = std::max(most, high(Number(std::max(before, here)) + bend));
    }
    before = here;
  }
  return Number(most);
}

// -b + g(b)/(P-1) - share |b|^P/P, which does not depend on t.
template <typename Number>
Number WholeEntry<Number>::still(double b, double share) const {
  const Number size(std::abs(b)), gradient = pow(size, exponents_.p_minus_1);
  const Number part = gradient / ratio<Number>(exponents_.p_minus_1);
  const Number cost = Number(share) * gradient * size / ratio<Number>(exponents_.p);
  return (b >= 0 ? part : -part) - Number(b) - cost;
}

// d(b, t) = |b|^P/P + |t|^P/Q - b g(t): what depends on t is t + k g(t) - (share/Q)|t|^P, k = share b -
// 1/(P-1). For fixed t the whole is, between two b of one sign, at most its larger end plus what the second
// derivative of `still` may add; where b may be 0, each part is taken at its better end.
template <typename Number>
double WholeEntry<Number>::operator()(double from, double to, double share) const {
  const Number p1 = ratio<Number>(exponents_.p_minus_1), own = Number(1.0) / p1;
  const auto slope = [&](double b) { return Number(share) * Number(b) - own; };
  const auto moved = [&](double least, double most) {
    return Number(std::max(high(moving(ahead_, most, share, 1)), high(moving(behind_, -least, share, -1))));
  };
  if (from <= 0 && to >= 0) {
    const Number gradient = pow(Number(to), exponents_.p_minus_1) * own;
    return std::max(0.0, high(moved(low(slope(from)), high(slope(to))) + gradient - Number(from)));
  }
  double most = 0;
  for (const double b : {from, to}) {
    const Number k = slope(b);
    most = std::max(most, high(moved(low(k), high(k)) + still(b, share)));
  }
  const double least_size = std::min(std::abs(from), std::abs(to)),
               most_size = std::max(std::abs(from), std::abs(to));
  const Number p2 = ratio<Number>(exponents_.p_minus_2);
  Number bend = Number(share) * p1 * pow(Number(most_size), exponents_.p_minus_2);
  if (to < 0) {
    double steep = 0;
    for (const double size : {least_size, most_size})
      steep = std::max(steep, high(pow(Number(size), exponents_.p_minus_2) / Number(size)));
    bend += p2 * Number(steep);
  }
  const Number length = Number(to) - Number(from);
  return high(Number(most) + bend * length * length / Number(8.0));
}

template class WholeEntry<double>;
template class WholeEntry<DoubleInterval>;

}  // namespace attest
