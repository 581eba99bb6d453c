// What the scores of tokens come from: the head, and the keys that it asks for.
#pragma once

#include "certify/instance/instance.hpp"
#include "certify/instance/named_arrays.hpp"

namespace attest {

// Reads the head and its keys into `instance`, whose X is read; keys of other heads are refused
// (InputFailure).
void read_scoring(NamedArrays& arrays, Instance& instance);

// Y: a label of +1 or -1 for each sequence.
void read_labels(NamedArrays& arrays, Instance& instance);

}  // namespace attest
