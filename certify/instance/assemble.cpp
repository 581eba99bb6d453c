// Checks and assembles an instance; see instance/assemble.hpp.
#include "certify/instance/assemble.hpp"

#include <algorithm>
#include <utility>

#include "certify/instance/queries.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

std::string RawArray::index(std::size_t flat) const {
  if (shape.empty()) return {};
  std::vector<std::size_t> position(shape.size());
  if (lengths && shape.size() == 3) {
    const std::size_t width = std::max<std::size_t>(shape[2], 1);
    std::size_t row = flat / width, sequence = 0;
    while (sequence < lengths->size() && row >= (*lengths)[sequence]) row -= (*lengths)[sequence++];
    position = {sequence, row, flat % width};
  } else {
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::size_t extent = std::max<std::size_t>(shape[axis], 1);
      position[axis] = flat % extent;
      flat /= extent;
    }
  }
  std::string out = "[";
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    if (axis > 0) out.push_back(',');
    out += std::to_string(position[axis]);
  }
  return out + "]";
}

bool is_instance_key(const std::string& key) {
  return std::any_of(std::begin(instance_keys), std::end(instance_keys),
                     [&](const char* known) { return key == known; });
}

std::string known_keys() {
  std::string text = "known:";
  for (const char* key : instance_keys) text += std::string(text.ends_with(':') ? " " : ", ") + key;
  return text;
}

namespace {

std::string shape_text(const RawArray& array) {
  if (array.text) return "a string";
  if (array.lengths) return "a ragged list";
  std::string text = "shape (";
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(array.shape[axis]);
  }
  return text + (array.shape.size() == 1 ? ",)" : ")");
}

[[noreturn]] void fail_shape(const std::string& key, const RawArray& array, const std::string& expected) {
  fail_input("expected " + expected + ", found " + shape_text(array), key);
}

std::string sequence_index(std::size_t i) {
  std::string text = "[";
  text += std::to_string(i);
  return text += "]";
}

// Entry `flat` as an integer of at least `least`; `what` says what is expected there.
long integer(const RawArray& array, const std::string& key, std::size_t flat, long least, const char* what) {
  if (array.values.finite(flat)) {
    const Rational value = array.values.exact(flat);
    if (denominator(value) == 1 && value >= least && value < Rational(Integer(1) << 62)) {
      return numerator(value).convert_to<long>();
    }
  }
  fail_input(std::string("expected ") + what, key, array.index(flat));
}

std::size_t natural(const RawArray& array, const std::string& key, std::size_t flat, const char* what) {
  return static_cast<std::size_t>(integer(array, key, flat, 0, what));
}

void require_finite(const RawArray& array, const std::string& key, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k) {
    if (!array.values.finite(k)) fail_input("not a finite number", key, array.index(k));
  }
}

ExactArray take_finite(RawArray& array, const std::string& key) {
  require_finite(array, key, 0, array.values.size());
  return std::move(array.values).take();
}

class Assembly {
 public:
  explicit Assembly(RawInstance raw) : raw_(std::move(raw)) {}

  Instance run() {
    for (const auto& [key, array] : raw_) {
      if (!is_instance_key(key)) fail_input("unknown key (" + known_keys() + ")", key);
      if (array.text && key != "query" && key != "head" && key != "setting")
        fail_shape(key, array, "an array of numbers");
    }
    if (has("embeddings")) fail_input("given without sentences or ids", "embeddings");
    read_lengths();
    shape_of_X_ = require("X").lengths ? std::vector<std::size_t>{} : require("X").shape;
    instance_.X = take_tokens("X", instance_.dimension);
    read_counts();
    read_offsets();
    if (has("setting")) {
      read_queries();
    } else {
      read_scoring();
      read_setting();
    }
    read_alpha();
    read_W0();
    return std::move(instance_);
  }

 private:
  // The head and what it asks for.
  void read_scoring() {
    read_head();
    if (instance_.outputs) {
      read_outputs();
    } else if (has("y")) {
      read_targets();
    } else if (has("scores")) {
      read_scores();
    } else {
      read_labels();
      read_vector_v();
    }
  }

  // Every token is a query: what there is one of a sequence otherwise is here one a token.
  void read_queries() {
    const std::string word = raw_.at("setting").text.value_or("");
    if (word != "seq2seq" && word != "causal") fail_input("expected \"seq2seq\" or \"causal\"", "setting");
    for (const char* key : {"K", "z", "query", "scores"}) {
      if (has(key)) fail_input("given although the setting is " + word, key);
    }
    for (const char* key : {"Y", "y", "alpha"}) {
      if (has(key)) keep_one_a_token(key);
    }
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < n(); ++i) lengths.push_back(instance_.tokens(i));
    one_group_a_query(instance_, word == "causal");
    const bool linear = !has("y") && (!has("head") || raw_.at("head").text.value_or("") == "linear");
    const bool places = has("v") && !raw_.at("v").lengths && raw_.at("v").shape.size() == 2 &&
                        raw_.at("v").shape[1] == instance_.dimension;
    if (!linear || !places) return read_scoring();
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    if (raw_.at("v").shape[0] != longest)
      fail_shape("v", raw_.at("v"), std::to_string(longest) + " rows, one for each place of a query");
    const ExactArray decoders = take_finite(require("v"), "v");
    read_labels();
    instance_.scores = scores_by_place(instance_, lengths, decoders);
    instance_.Y.clear();
  }

  void keep_one_a_token(const std::string& key) {
    const ExactArray values = take_token_numbers(key);
    RawArray list;
    list.shape = {values.size()};
    for (std::size_t k = 0; k < values.size(); ++k) list.values.push(values.exact(k));
    raw_[key] = std::move(list);
  }

  RawArray& require(const std::string& key) {
    const auto found = raw_.find(key);
    if (found == raw_.end()) fail_input("missing", key);
    // The product of two sizes (rows, columns, sequences, tokens) is then less than 2^62.
    if (found->second.values.size() >> 31 != 0) fail_resource("has 2^31 numbers or more", key);
    return found->second;
  }
  // The same, where a list is expected: a column of one is read as one.
  RawArray& require_list(const std::string& key) {
    RawArray& array = require(key);
    if (array.shape.size() == 2 && array.shape[1] == 1 && !array.lengths) array.shape.pop_back();
    return array;
  }
  bool has(const std::string& key) const { return raw_.count(key) != 0; }
  std::size_t n() const { return instance_.sequences(); }

  // Sequence lengths, from `lengths` or from the shape of X, become first_row.
  void read_lengths() {
    const RawArray& X = require("X");
    std::vector<std::size_t> tokens;
    if (has("lengths")) {
      const RawArray& lengths = require_list("lengths");
      if (lengths.shape.size() != 1 || lengths.lengths)
        fail_shape("lengths", lengths, "a list of n integers");
      if (X.lengths) fail_input("given although X is already a ragged list", "lengths");
      for (std::size_t i = 0; i < lengths.values.size(); ++i) {
        tokens.push_back(natural(lengths, "lengths", i, "a positive integer"));
      }
    } else if (X.lengths) {
      tokens = *X.lengths;
    } else if (X.shape.size() == 3) {
      tokens.assign(X.shape[0], X.shape[1]);
    } else if (X.shape.size() == 2) {
      fail_input("a 2-dimensional X needs the key lengths (else X.reshape(n, T, d))", "X");
    } else {
      fail_shape("X", X, "3 dimensions (n, T, d)");
    }
    if (tokens.empty()) fail_input("no sequences", has("lengths") ? "lengths" : "X");
    const std::string key = has("lengths") ? "lengths" : "X";
    instance_.first_row.assign(1, 0);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == 0) fail_input("sequence without tokens", key, sequence_index(i));
      if (tokens[i] > (std::size_t{1} << 62) - instance_.first_row.back())
        fail_input("lengths add up to more than 2^62", key);
      instance_.first_row.push_back(instance_.first_row.back() + tokens[i]);
    }
  }

  // X or K: one row of `dimension` numbers per token; padding is dropped before finiteness is looked at.
  ExactArray take_tokens(const std::string& key, std::size_t& dimension) {
    RawArray& array = require(key);
    const std::size_t rows = instance_.first_row.back();
    if (array.lengths) {
      if (array.lengths->size() != n()) fail_shape(key, array, std::to_string(n()) + " sequences");
      for (std::size_t i = 0; i < n(); ++i) {
        if ((*array.lengths)[i] != instance_.tokens(i)) {
          fail_input("sequence has " + std::to_string((*array.lengths)[i]) + " tokens, expected " +
                         std::to_string(instance_.tokens(i)),
                     key, sequence_index(i));
        }
      }
      dimension = array.shape[2];
    } else if (array.shape.size() == 3) {
      drop_padding(key, array);
      dimension = array.shape[2];
    } else if (array.shape.size() == 2 && has("lengths")) {
      if (array.shape[0] != rows) {
        fail_input(
            "has " + std::to_string(array.shape[0]) + " rows, but lengths add up to " + std::to_string(rows),
            key);
      }
      dimension = array.shape[1];
    } else {
      fail_shape(key, array, "3 dimensions (n, T, d)");
    }
    if (dimension == 0) fail_shape(key, array, "tokens of at least one number");
    return take_finite(array, key);
  }

  void drop_padding(const std::string& key, RawArray& array) {
    if (array.shape[0] != n()) {
      fail_input("has " + std::to_string(array.shape[0]) + " sequences, expected " + std::to_string(n()),
                 key);
    }
    const std::size_t width = array.shape[1], dimension = array.shape[2];
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    bool padded = false;
    for (std::size_t i = 0; i < n(); ++i) {
      const std::size_t tokens = instance_.tokens(i);
      if (tokens > width || (tokens < width && !has("lengths"))) {
        fail_input("sequence has " + std::to_string(tokens) + " tokens, but the array holds " +
                       std::to_string(width),
                   key, sequence_index(i));
      }
      padded = padded || tokens < width;
      const std::size_t begin = i * width * dimension;
      require_finite(array, key, begin, begin + tokens * dimension);
      ranges.emplace_back(begin, begin + tokens * dimension);
    }
    if (padded) array.values.keep_ranges(ranges);
  }

  // What the head is; keys of other heads are refused.
  void read_head() {
    const RawArray linear{{}, {}, {}, "linear"};
    const RawArray& head = has("head") ? raw_.at("head") : linear;
    const std::string word = head.text.value_or("");
    if (word == "classifier" || word == "relu") {
      instance_.outputs.emplace();
      if (word == "relu") instance_.outputs->kind = OutputHead::relu;
    } else if (word == "cross-entropy") {
      if (!has("y")) fail_input("missing (the token each sequence is to select)", "y");
    } else if (word != "linear") {
      fail_input("expected \"linear\", \"cross-entropy\", \"classifier\" or \"relu\"", "head");
    } else if (has("head") && has("y")) {
      fail_input("given although the head is linear", "y");
    }
    for (const char* key : {"U", "A", "bias", "r"}) {
      const char* const owner = std::string_view(key) == "U" ? "classifier" : "relu";
      if (has(key) && word != owner) fail_input(std::string("given although the head is not ") + owner, key);
    }
  }

  // A matrix with as many columns as tokens have numbers.
  ExactArray take_layer(const char* key, std::size_t least_rows) {
    RawArray& array = require(key);
    if (array.lengths || array.shape.size() != 2 || array.shape[0] < least_rows ||
        array.shape[1] != instance_.dimension) {
      fail_shape(key, array,
                 "at least " + std::to_string(least_rows) + " rows of " +
                     std::to_string(instance_.dimension) + " numbers (d of X)");
    }
    return take_finite(array, key);
  }
  ExactArray take_unit_numbers(const char* key, std::size_t units) {
    RawArray& array = require_list(key);
    if (array.lengths || array.shape != std::vector<std::size_t>{units})
      fail_shape(key, array, std::to_string(units) + " numbers (rows of A)");
    return take_finite(array, key);
  }

  void read_outputs() {
    OutputLayer& layer = *instance_.outputs;
    for (const char* key : {"v", "scores"}) {
      if (has(key)) fail_input("given although the head has several outputs", key);
    }
    if (layer.kind == OutputHead::relu) {
      if (has("y")) fail_input("given although the head is relu, whose labels are Y", "y");
      read_labels();
      layer.weights = take_layer("A", 1);
      layer.bias = take_unit_numbers("bias", layer.weights.size() / instance_.dimension);
      layer.r = take_unit_numbers("r", layer.bias.size());
      return;
    }
    if (has("Y")) fail_input("given although the head is a classifier, whose classes are y", "Y");
    layer.weights = take_layer("U", 2);
    const std::size_t classes = layer.weights.size() / instance_.dimension;
    const RawArray& chosen = require_list("y");
    if (chosen.lengths || chosen.shape != std::vector<std::size_t>{n()})
      fail_shape("y", chosen, std::to_string(n()) + " class indices");
    for (std::size_t i = 0; i < n(); ++i) {
      layer.classes.push_back(natural(chosen, "y", i, "a class index"));
      if (layer.classes[i] >= classes) {
        fail_input(
            "class " + std::to_string(layer.classes[i]) + ", but U has " + std::to_string(classes) + " rows",
            "y", chosen.index(i));
      }
    }
  }

  // The head of selection cross-entropy: one token of each sequence, and no scores.
  void read_targets() {
    for (const char* key : {"Y", "v", "scores"}) {
      if (has(key)) fail_input("given although the head is cross-entropy, which has no scores", key);
    }
    instance_.y = token_choice("y");
  }

  // One row of one number per token: (n, T), (n, T, 1), a ragged list, or with `lengths` one list.
  ExactArray take_token_numbers(const std::string& key) {
    RawArray& numbers = require(key);
    const RawArray given{numbers.shape, numbers.lengths, {}, {}};
    const bool list = given.shape.size() == 1 && has("lengths");
    if (list || given.shape.size() == 2) numbers.shape.push_back(1);
    if (numbers.shape.size() < 2 || numbers.shape.back() != 1) {
      fail_shape(key, given, "one number per token (n, T)");
    }
    std::size_t width = 1;
    return take_tokens(key, width);
  }

  void read_scores() {
    if (has("Y") || has("v")) fail_input("given although Y or v is, which they stand for", "scores");
    instance_.scores = take_token_numbers("scores");
  }

  void read_offsets() {
    if (!has("offsets")) return;
    instance_.offsets = take_token_numbers("offsets");
    bool all_zero = true;
    for (std::size_t row = 0; all_zero && row < instance_.offsets.size(); ++row)
      all_zero = instance_.offsets.exact(row) == 0;
    if (all_zero) instance_.offsets = {};
  }

  // Where the second axis of X is as long as asked: what transposes X, in words of NumPy.
  std::string transposition(std::size_t expected, const char* axes) const {
    const RawArray& X = raw_.at("X");
    if (X.shape.size() != 3 || X.lengths || X.shape[1] != expected) return {};
    return " (if X is not (n, T, d): X.transpose(" + std::string(axes) + "))";
  }

  void read_labels() {
    if (!has("Y")) fail_input("missing (Y and v, or scores instead of both)", "Y");
    const RawArray& Y = require_list("Y");
    if (Y.lengths || Y.shape != std::vector<std::size_t>{n()}) {
      const std::size_t found = Y.shape.size() == 1 ? Y.shape[0] : 0;
      fail_input("expected " + std::to_string(n()) + " labels, found " + shape_text(Y) +
                     transposition(found, "1, 0, 2"),
                 "Y");
    }
    for (std::size_t i = 0; i < n(); ++i) {
      const Rational label = Y.values.finite(i) ? Y.values.exact(i) : Rational(2);
      if (label == 0) fail_input("label is not +1 or -1 (it is 0; labels 0 and 1: 2*Y - 1)", "Y", Y.index(i));
      if (label != 1 && label != -1) fail_input("label is not +1 or -1", "Y", Y.index(i));
      instance_.Y.push_back(label == 1 ? 1 : -1);
    }
  }

  void read_vector_v() {
    RawArray& v = require_list("v");
    if (v.lengths || v.shape != std::vector<std::size_t>{instance_.dimension}) {
      const std::size_t found = v.shape.size() == 1 ? v.shape[0] : 0;
      fail_input("expected " + std::to_string(instance_.dimension) + " numbers (d of X), found " +
                     shape_text(v) + transposition(found, "0, 2, 1"),
                 "v");
    }
    instance_.v = take_finite(v, "v");
  }

  void read_setting() {
    const int given = int{has("K")} + int{has("z")} + int{has("query")};
    if (given > 1) fail_input("more than one of K, z and query is given", has("K") ? "K" : "z");
    if (has("K")) {
      instance_.setting = Setting::prompt;
      instance_.K = take_tokens("K", instance_.factor_dimension);
    } else if (has("z")) {
      instance_.setting = Setting::cross_attention;
      RawArray& z = require("z");
      if (z.lengths || z.shape.size() != 2 || z.shape[0] != n() || z.shape[1] == 0) {
        fail_shape("z", z, "shape (" + std::to_string(n()) + ", e)");
      }
      instance_.factor_dimension = z.shape[1];
      instance_.z = take_finite(z, "z");
    } else {
      instance_.setting = Setting::self_attention;
      if (has("query")) read_query(require("query"));
      for (std::size_t i = 0; i < n(); ++i) {
        const auto tokens = static_cast<long>(instance_.tokens(i));
        if (instance_.query >= tokens || -instance_.query > tokens) {
          fail_input("sequence " + std::to_string(i) + " has only " + std::to_string(tokens) +
                         " tokens, so no query token " + std::to_string(instance_.query),
                     "query");
        }
      }
    }
  }

  void read_query(const RawArray& query) {
    if (query.text) {
      if (*query.text != "last") fail_input("expected a token index or \"last\"", "query");
      instance_.query = -1;
      return;
    }
    if (query.values.size() != 1 || query.shape.size() > 1)
      fail_shape("query", query, "one index or \"last\"");
    constexpr long least = -(1L << 62);
    instance_.query =
        integer(query, "query", 0, least, "a token index, from the end if negative, or \"last\"");
  }

  // One number a token, in one list or in a row a sequence with the padding of X.
  void read_counts() {
    if (!has("counts")) return;
    const RawArray& counts = require("counts");
    const bool table = counts.shape.size() == 2 && shape_of_X_.size() == 3 &&
                       counts.shape[0] == shape_of_X_[0] && counts.shape[1] == shape_of_X_[1];
    const std::size_t rows = instance_.first_row.back();
    if (counts.lengths || (!table && counts.shape != std::vector<std::size_t>{rows})) {
      fail_shape("counts", counts, "a number for each of the " + std::to_string(rows) + " tokens");
    }
    bool all_one = true;
    for (std::size_t i = 0; i < n(); ++i) {
      const std::size_t first = table ? i * counts.shape[1] : instance_.first_row[i];
      for (std::size_t t = 0; t < instance_.tokens(i); ++t) {
        const char* const expected = "an integer from 1 to 2147483647";
        const std::size_t count = natural(counts, "counts", first + t, expected);
        if (count == 0 || count > most_count)
          fail_input(std::string("expected ") + expected, "counts", counts.index(first + t));
        instance_.counts.push_back(count);
        all_one = all_one && count == 1;
      }
    }
    if (all_one) instance_.counts.clear();
  }

  void read_alpha() {
    if (has("alpha")) instance_.alpha = token_choice("alpha");
  }

  // One token index per sequence.
  Selection token_choice(const std::string& key) {
    const RawArray& chosen = require_list(key);
    if (chosen.lengths || chosen.shape != std::vector<std::size_t>{n()}) {
      fail_shape(key, chosen, std::to_string(n()) + " token indices");
    }
    Selection selection;
    for (std::size_t i = 0; i < n(); ++i) {
      selection.push_back(natural(chosen, key, i, "a token index"));
      if (selection[i] >= instance_.tokens(i)) {
        fail_input("token " + std::to_string(selection[i]) + " chosen, but the sequence has " +
                       std::to_string(instance_.tokens(i)) + " tokens",
                   key, chosen.index(i));
      }
    }
    return selection;
  }

  void read_W0() {
    if (!has("W0")) return;
    RawArray& W0 = require("W0");
    std::vector<std::size_t> expected{instance_.dimension, instance_.dimension};
    if (instance_.setting == Setting::cross_attention) expected[1] = instance_.factor_dimension;
    if (instance_.setting == Setting::prompt) expected = {instance_.factor_dimension};
    const bool column =
        instance_.setting == Setting::prompt && W0.shape == std::vector{expected[0], std::size_t{1}};
    if (W0.lengths || (W0.shape != expected && !column)) {
      RawArray wanted;
      wanted.shape = expected;
      fail_shape("W0", W0, shape_text(wanted));
    }
    instance_.W0 = take_finite(W0, "W0");
  }

  // So a sequence's counts together are less than 2^62.
  static constexpr std::size_t most_count = 2147483647;

  RawInstance raw_;
  std::vector<std::size_t> shape_of_X_;  // padding included; empty when X is ragged
  Instance instance_;
};

}  // namespace

Instance assemble_instance(RawInstance raw) {
  return Assembly(std::move(raw)).run();
}

}  // namespace attest
