// From what the package's Python side hands over to an instance of exact numbers.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "certify/instance/instance.hpp"
#include "certify/instance/raw.hpp"

namespace attest {

// `arrays` maps instance keys to a text, or to (shape, entries, lengths): entries is a contiguous binary64
// array or a list of texts, one number each (certify/INSTANCES.md), lengths None or the lengths of a ragged
// second axis. Throws InputFailure.
Instance instance_of(const pybind11::dict& arrays);

// One array as a file would hold it; `value` as above. Throws InputFailure.
RawArray raw_array(const std::string& key, const pybind11::handle& value);

}  // namespace attest
