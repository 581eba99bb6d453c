// How often each token stands in its sequence: the key `counts`.
#pragma once

#include <string>

#include "proofs/checker/instance/array.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace attest_check {

// The counts of all token rows, from one list of them or a table with the padding of X; empty when all are 1.
NumberArray token_counts(const Array& counts, const Array& X, const Instance& instance,
                         const std::string& path);

}  // namespace attest_check
