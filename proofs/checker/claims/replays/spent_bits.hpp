// Bits that the steps of a replay have used up: to go on with them costs time only.
#pragma once

#include <initializer_list>
#include <vector>

#include "proofs/checker/base/interval.hpp"

namespace attest_check {

// As many as the sharpest of the numbers has, and some more; `bits` where that is not far fewer.
unsigned bits_in_use(std::initializer_list<const std::vector<Interval>*> vectors, unsigned bits);

// All numbers rounded outward to so many bits.
void round_to(unsigned bits, std::vector<Interval>& numbers);
void round_to(unsigned bits, std::vector<std::vector<Interval>>& rows);

}  // namespace attest_check
