// Theorem T6's smoothness constant, decided against a rational with ball arithmetic of growing precision.
#pragma once

#include <string>

#include "tests/oracle/dataset.hpp"

namespace reference {

// Whether beta >= sum_i (1/n)(M1_i G_i D_i^2/(6 sqrt 3) + M0_i G_i^2 D_i^2/16) for the loss named (logistic,
// exponential or correlation).
bool at_least_smoothness_constant(const Dataset& data, const std::string& loss, const Number& beta);

// A double near the constant, for tests that want a value slightly above or below it.
double approximate_smoothness_constant(const Dataset& data, const std::string& loss);

}  // namespace reference
