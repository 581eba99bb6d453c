// Numbers as cells of a table.
#pragma once

#include <cstdint>

#include "certify/reports/html/table.hpp"
#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

Cell count(std::uint64_t value);
// The digits that are certain, with both ends as a hint.
Cell number(const Interval& value);
// The same; "-", or on which side it is too large, where there are none.
Cell number(const Ball& ball);
// Measured.
Cell number(double value);

}  // namespace attest
