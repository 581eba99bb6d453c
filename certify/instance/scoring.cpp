#include "certify/instance/scoring.hpp"

#include <string>
#include <string_view>

#include "certify/process/input_error.hpp"

namespace attest {
namespace {

// Where the second axis of X is as long as asked: what transposes X, in words of NumPy.
std::string transposition(NamedArrays& arrays, std::size_t expected, const char* axes) {
  const RawArray& X = arrays.require("X");
  if (X.shape.size() != 3 || X.lengths || X.shape[1] != expected) return {};
  return " (if X is not (n, T, d): X.transpose(" + std::string(axes) + "))";
}

// What the head is; keys of other heads are refused.
void read_head(NamedArrays& arrays, Instance& instance) {
  const std::string word = arrays.has("head") ? arrays.word("head") : "linear";
  if (word == "classifier" || word == "relu") {
    instance.outputs.emplace();
    if (word == "relu") instance.outputs->kind = OutputHead::relu;
  } else if (word == "cross-entropy") {
    if (!arrays.has("y")) fail_input("missing (the token each sequence is to select)", "y");
  } else if (word != "linear") {
    fail_input("expected \"linear\", \"cross-entropy\", \"classifier\" or \"relu\"", "head");
  } else if (arrays.has("head") && arrays.has("y")) {
    fail_input("given although the head is linear", "y");
  }
  for (const char* key : {"U", "A", "bias", "r"}) {
    const char* const owner = std::string_view(key) == "U" ? "classifier" : "relu";
    if (arrays.has(key) && word != owner)
      fail_input(std::string("given although the key head does not say \"") + owner + "\"", key);
  }
}

// A matrix with as many columns as tokens have numbers.
ExactArray take_layer(NamedArrays& arrays, std::size_t dimension, const char* key, std::size_t least_rows) {
  RawArray& array = arrays.require(key);
  if (array.lengths || array.shape.size() != 2 || array.shape[0] < least_rows ||
      array.shape[1] != dimension) {
    fail_shape(key, array,
               "at least " + std::to_string(least_rows) + " rows of " + std::to_string(dimension) +
                   " numbers (d of X)");
  }
  return take_finite(array, key);
}

ExactArray take_unit_numbers(NamedArrays& arrays, const char* key, std::size_t units) {
  RawArray& array = arrays.require_list(key);
  if (array.lengths || array.shape != std::vector<std::size_t>{units})
    fail_shape(key, array, std::to_string(units) + " numbers (rows of A)");
  return take_finite(array, key);
}

void read_outputs(NamedArrays& arrays, Instance& instance) {
  OutputLayer& layer = *instance.outputs;
  for (const char* key : {"v", "scores"}) {
    if (arrays.has(key)) fail_input("given although the head has several outputs", key);
  }
  if (layer.kind == OutputHead::relu) {
    if (arrays.has("y")) fail_input("given although the head is relu, whose labels are Y", "y");
    read_labels(arrays, instance);
    layer.weights = take_layer(arrays, instance.dimension, "A", 1);
    layer.bias = take_unit_numbers(arrays, "bias", layer.weights.size() / instance.dimension);
    layer.r = take_unit_numbers(arrays, "r", layer.bias.size());
    return;
  }
  if (arrays.has("Y")) fail_input("given although the head is a classifier, whose classes are y", "Y");
  layer.weights = take_layer(arrays, instance.dimension, "U", 2);
  const std::size_t classes = layer.weights.size() / instance.dimension;
  const RawArray& chosen = arrays.require_list("y");
  if (chosen.lengths || chosen.shape != std::vector<std::size_t>{instance.sequences()})
    fail_shape("y", chosen, std::to_string(instance.sequences()) + " class indices");
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    layer.classes.push_back(natural(chosen, "y", i, "a class index"));
    if (layer.classes[i] >= classes) {
      fail_input(
          "class " + std::to_string(layer.classes[i]) + ", but U has " + std::to_string(classes) + " rows",
          "y", chosen.index(i));
    }
  }
}

// The head of selection cross-entropy: one token of each sequence, and no scores.
void read_targets(NamedArrays& arrays, Instance& instance) {
  for (const char* key : {"Y", "v", "scores"}) {
    if (arrays.has(key)) fail_input("given although the head is cross-entropy, which has no scores", key);
  }
  instance.y = arrays.token_choice("y");
}

void read_scores(NamedArrays& arrays, Instance& instance) {
  if (arrays.has("Y") || arrays.has("v"))
    fail_input("given although Y or v is, which they stand for", "scores");
  instance.scores = arrays.take_token_numbers("scores");
}

void read_vector_v(NamedArrays& arrays, Instance& instance) {
  RawArray& v = arrays.require_list("v");
  if (v.lengths || v.shape != std::vector<std::size_t>{instance.dimension}) {
    const std::size_t found = v.shape.size() == 1 ? v.shape[0] : 0;
    fail_input("expected " + std::to_string(instance.dimension) + " numbers (d of X), found " +
                   shape_text(v) + transposition(arrays, found, "0, 2, 1"),
               "v");
  }
  instance.v = take_finite(v, "v");
}

}  // namespace

void read_labels(NamedArrays& arrays, Instance& instance) {
  if (!arrays.has("Y")) fail_input("missing (Y and v, or scores instead of both)", "Y");
  const RawArray& Y = arrays.require_list("Y");
  if (Y.lengths || Y.shape != std::vector<std::size_t>{instance.sequences()}) {
    const std::size_t found = Y.shape.size() == 1 ? Y.shape[0] : 0;
    fail_input("expected " + std::to_string(instance.sequences()) + " labels, found " + shape_text(Y) +
                   transposition(arrays, found, "1, 0, 2"),
               "Y");
  }
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    const Rational label = Y.values.finite(i) ? Y.values.exact(i) : Rational(2);
    if (label == 0) fail_input("label is not +1 or -1 (it is 0; labels 0 and 1: 2*Y - 1)", "Y", Y.index(i));
    if (label != 1 && label != -1) fail_input("label is not +1 or -1", "Y", Y.index(i));
    instance.Y.push_back(label == 1 ? 1 : -1);
  }
}

void read_scoring(NamedArrays& arrays, Instance& instance) {
  read_head(arrays, instance);
  if (instance.outputs) {
    read_outputs(arrays, instance);
  } else if (arrays.has("y")) {
    read_targets(arrays, instance);
  } else if (arrays.has("scores")) {
    read_scores(arrays, instance);
  } else {
    read_labels(arrays, instance);
    read_vector_v(arrays, instance);
  }
}

}  // namespace attest
