// Bits that are used up: see claims/replays/spent_bits.hpp.
#include "proofs/checker/claims/replays/spent_bits.hpp"

#include <algorithm>

namespace attest_check {
namespace {

// None of a number that may be 0, all of an exact one that is not.
long correct_bits(const Interval& x, unsigned bits) {
  const Interval width = x.upper_end() - x.lower_end();
  if (width.positive()) return x.top() - width.top();
  return x.positive() || x.negative() ? bits : 0;
}

}  // namespace

unsigned bits_in_use(std::initializer_list<const std::vector<Interval>*> vectors, unsigned bits) {
  constexpr long spare = 64;
  long sharpest = 0;
  for (const std::vector<Interval>* numbers : vectors) {
    for (const Interval& x : *numbers) sharpest = std::max(sharpest, correct_bits(x, bits));
  }
  return sharpest + 2 * spare > bits ? bits : static_cast<unsigned>(sharpest + spare);
}

void round_to(unsigned bits, std::vector<Interval>& numbers) {
  for (Interval& x : numbers) x = x.rounded(bits);
}

void round_to(unsigned bits, std::vector<std::vector<Interval>>& rows) {
  for (std::vector<Interval>& row : rows) round_to(bits, row);
}

}  // namespace attest_check
