// Checks and assembles an instance; see instance/assemble.hpp.
#include "certify/instance/assemble.hpp"

#include <algorithm>
#include <utility>

#include "certify/instance/named_arrays.hpp"
#include "certify/instance/queries.hpp"
#include "certify/instance/scoring.hpp"
#include "certify/process/input_error.hpp"

namespace attest {
namespace {

class Assembly {
 public:
  explicit Assembly(RawInstance raw) : arrays_(std::move(raw), instance_) {}

  Instance run() {
    arrays_.check_keys();
    if (has("embeddings")) fail_input("given without sentences or ids", "embeddings");
    read_lengths();
    shape_of_X_ = arrays_.require("X").lengths ? std::vector<std::size_t>{} : arrays_.require("X").shape;
    instance_.X = arrays_.take_tokens("X", instance_.dimension);
    read_counts();
    read_offsets();
    if (has("setting")) {
      read_queries();
    } else {
      read_scoring(arrays_, instance_);
      read_setting();
    }
    read_alpha();
    read_W0();
    return std::move(instance_);
  }

 private:
  // Every token is a query: what there is one of a sequence otherwise is here one a token.
  void read_queries() {
    const std::string word = arrays_.word("setting");
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
    const bool linear = !has("y") && (!has("head") || arrays_.word("head") == "linear");
    if (!linear || !has_decoders()) return read_scoring(arrays_, instance_);
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    RawArray& v = arrays_.require("v");
    if (v.shape[0] != longest)
      fail_shape("v", v, std::to_string(longest) + " rows, one for each place of a query");
    const ExactArray decoders = take_finite(v, "v");
    read_labels(arrays_, instance_);
    instance_.scores = scores_by_place(instance_, lengths, decoders);
    instance_.Y.clear();
  }

  // One vector v for each place of a query.
  bool has_decoders() {
    if (!has("v")) return false;
    const RawArray& v = arrays_.require("v");
    return !v.lengths && v.shape.size() == 2 && v.shape[1] == instance_.dimension;
  }

  void keep_one_a_token(const std::string& key) {
    const ExactArray values = arrays_.take_token_numbers(key);
    RawArray list;
    list.shape = {values.size()};
    for (std::size_t k = 0; k < values.size(); ++k) list.values.push(values.exact(k));
    arrays_.replace(key, std::move(list));
  }

  bool has(const std::string& key) const { return arrays_.has(key); }
  std::size_t n() const { return instance_.sequences(); }

  // Sequence lengths, from `lengths` or from the shape of X, become first_row.
  void read_lengths() {
    const RawArray& X = arrays_.require("X");
    std::vector<std::size_t> tokens;
    if (has("lengths")) {
      const RawArray& lengths = arrays_.require_list("lengths");
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

  void read_offsets() {
    if (!has("offsets")) return;
    instance_.offsets = arrays_.take_token_numbers("offsets");
    bool all_zero = true;
    for (std::size_t row = 0; all_zero && row < instance_.offsets.size(); ++row)
      all_zero = instance_.offsets.exact(row) == 0;
    if (all_zero) instance_.offsets = {};
  }

  void read_setting() {
    const int given = int{has("K")} + int{has("z")} + int{has("query")};
    if (given > 1) fail_input("more than one of K, z and query is given", has("K") ? "K" : "z");
    if (has("K")) {
      instance_.setting = Setting::prompt;
      instance_.K = arrays_.take_tokens("K", instance_.factor_dimension);
    } else if (has("z")) {
      instance_.setting = Setting::cross_attention;
      RawArray& z = arrays_.require("z");
      if (z.lengths || z.shape.size() != 2 || z.shape[0] != n() || z.shape[1] == 0) {
        fail_shape("z", z, "shape (" + std::to_string(n()) + ", e)");
      }
      instance_.factor_dimension = z.shape[1];
      instance_.z = take_finite(z, "z");
    } else {
      instance_.setting = Setting::self_attention;
      if (has("query")) read_query(arrays_.require("query"));
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
    const RawArray& counts = arrays_.require("counts");
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
    if (!has("alpha")) return;
    if (arrays_.has_lists("alpha")) {
      instance_.sets = arrays_.token_lists("alpha");
    } else {
      instance_.alpha = arrays_.token_choice("alpha");
    }
  }

  void read_W0() {
    if (!has("W0")) return;
    RawArray& W0 = arrays_.require("W0");
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

  Instance instance_;
  NamedArrays arrays_;
  std::vector<std::size_t> shape_of_X_;  // padding included; empty when X is ragged
};

}  // namespace

Instance assemble_instance(RawInstance raw) {
  return Assembly(std::move(raw)).run();
}

}  // namespace attest
