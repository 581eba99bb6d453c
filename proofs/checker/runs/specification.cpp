// The iteration of a run and its losses: see runs/specification.hpp.
#include "proofs/checker/runs/specification.hpp"

#include <algorithm>

namespace attest_check {

std::string words_of(const StartPoint& start) {
  const bool zero = std::all_of(start.begin(), start.end(), [](const Rational& entry) { return entry == 0; });
  return "start " + (zero ? "zero" : hash_words(start));
}

StartPoint read_start(Reader& in) {
  StartPoint start;
  in.next("start");
  if (in.accept("zero")) return start;
  std::size_t count = 0;
  in(count);
  if (count != in.features().left_dimension() * in.features().right_dimension())
    in.bad("the start must have one number for each entry of W");
  for (std::size_t k = 0; k < count; ++k) in(start.emplace_back());
  return start;
}

Rational token_distance_squared(const Features& features, std::size_t group, std::size_t a, std::size_t b) {
  const Integer sum = features.tokens().distance_squared(features.row(group, a), features.row(group, b));
  return fraction(sum * features.queries().dot(group, features.queries(), group),
                  features.product_denominator());
}

}  // namespace attest_check
