// From what the package's Python side hands over to an instance of exact numbers.
#pragma once

#include <pybind11/pybind11.h>

#include "certify/instance/instance.hpp"

namespace attest {

// `arrays` maps instance keys to a text, or to (shape, entries, lengths): entries is a contiguous binary64
// array or a list of texts, one number each (certify/INSTANCES.md), lengths None or the lengths of a ragged
// second axis. Throws InputFailure.
Instance instance_of(const pybind11::dict& arrays);

}  // namespace attest
