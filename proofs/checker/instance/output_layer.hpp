// The last layer of a head of several outputs, and its keys: U and y of a classifier; A, bias and r of ReLU
// units.
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/base/numbers.hpp"

namespace attest_check {

class NamedArrays;

struct OutputLayer {
  bool classifier = true;
  NumberArray weights;               // V x d or m x d
  NumberArray bias, r;               // m each
  std::vector<std::size_t> classes;  // n, below V
};

// For tokens of that dimension; the classifier has a class for each of the sequences.
OutputLayer read_classifier(NamedArrays& arrays, std::size_t dimension, std::size_t sequences);
OutputLayer read_units(NamedArrays& arrays, std::size_t dimension);

}  // namespace attest_check
