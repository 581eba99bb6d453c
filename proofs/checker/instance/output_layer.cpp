// Heads of several outputs: see output_layer.hpp.
#include "proofs/checker/instance/output_layer.hpp"

#include "proofs/checker/instance/named_arrays.hpp"

namespace attest_check {
namespace {

// The rows of a layer, each as long as a token.
NumberArray read_rows(NamedArrays& arrays, const char* key, std::size_t least, std::size_t dimension) {
  Array& rows = arrays.required(key);
  if (rows.shape.size() != 2 || rows.shape[0] < least || rows.shape[1] != dimension)
    arrays.bad(key, "at least " + std::to_string(least) + " rows of the dimension of X expected");
  return arrays.finite(key, rows);
}

}  // namespace

OutputLayer read_classifier(NamedArrays& arrays, std::size_t dimension, std::size_t sequences) {
  OutputLayer layer;
  layer.weights = read_rows(arrays, "U", 2, dimension);
  const std::size_t classes = layer.weights.size() / dimension;
  for (const long chosen : arrays.integers("y", 0, static_cast<long>(classes) - 1))
    layer.classes.push_back(static_cast<std::size_t>(chosen));
  if (layer.classes.size() != sequences) arrays.bad("y", "its length is not the number of sequences");
  return layer;
}

OutputLayer read_units(NamedArrays& arrays, std::size_t dimension) {
  OutputLayer layer;
  layer.classifier = false;
  layer.weights = read_rows(arrays, "A", 1, dimension);
  const std::size_t units = layer.weights.size() / dimension;
  for (const auto& [key, values] : {std::pair("bias", &layer.bias), std::pair("r", &layer.r)}) {
    Array& given = arrays.listed(key);
    if (given.shape[0] != units) arrays.bad(key, "its length is not the number of rows of A");
    *values = arrays.finite(key, given);
  }
  return layer;
}

}  // namespace attest_check
