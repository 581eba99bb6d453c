// Vectors of balls each of which is an enclosure by itself, and how their errors grow.
#pragma once

#include <vector>

#include "numerics/numbers/ball.hpp"

namespace attest {

// log2 of the largest radius; -infinity where all are exact. Radii may be far below the least double.
double log2_radius(const std::vector<Ball>& x);
bool all_finite(const std::vector<Ball>& x);
bool all_zero(const std::vector<Ball>& x);
void make_exact(std::vector<Ball>& x);
// By 2^-60 of the largest size: errors whose growth a pilot measures.
void widen_for_pilot(std::initializer_list<std::vector<Ball>*> vectors);

}  // namespace attest
