// A dataset instance: see instance.hpp.
#include "proofs/checker/instance/instance.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/counts.hpp"
#include "proofs/checker/instance/named_arrays.hpp"
#include "proofs/checker/instance/queries.hpp"
#include "proofs/checker/instance/sentences.hpp"

namespace attest_check {
namespace {

// Makes an instance of the arrays, checking every shape and value.
class InstanceBuilder : NamedArrays {
 public:
  using NamedArrays::NamedArrays;

  Instance build() {
    if (has("sentences") || has("ids")) return read_sentences(*this);
    if (has("embeddings")) bad("embeddings", "given without sentences or ids");
    Array& X = required("X");
    read_layout(X);
    instance_.X = rows(X, "X", instance_.dimension);
    if (has("counts")) instance_.counts = token_counts(required("counts"), at("X"), instance_, path());
    if (has("offsets")) {
      instance_.offsets = token_numbers("offsets");
      const Survey& of = instance_.offsets.survey();
      if (of.all_small && of.bits == Survey().bits) instance_.offsets = {};  // all are 0
    }
    if (has("setting")) {
      read_queries();
    } else {
      read_head();
      read_setting();
    }
    // alpha and W0 take no part in any check, but a file that has them wrong is wrong.
    if (has("alpha")) chosen_tokens("alpha", required("alpha"));
    check_start();
    return std::move(instance_);
  }

 private:
  // Groups and their sizes, from X and `lengths`.
  void read_layout(const Array& X) {
    const bool has_lengths = has("lengths");
    std::vector<std::size_t> sizes = X.lengths;
    if (has_lengths) {
      if (X.ragged()) bad("lengths", "given although X is a ragged list");
      // None is longer than the array it counts in, so their sum is less than 2^62.
      const std::size_t longest = X.shape.size() < 2 ? 1 : X.shape[X.shape.size() - 2];
      const std::vector<long> lengths = integers("lengths", 1, static_cast<long>(longest));
      sizes.assign(lengths.begin(), lengths.end());
    }
    if (X.shape.size() == 3) {
      if (sizes.size() != X.shape[0]) bad("lengths", "their number is not the number of sequences");
    } else if (X.shape.size() != 2 || !has_lengths) {
      bad("X", "three levels expected (sequences, tokens, coordinates), or two with lengths");
    }
    instance_.dimension = X.shape.back();
    instance_.first_row.push_back(0);
    for (const std::size_t size : sizes) instance_.first_row.push_back(instance_.first_row.back() + size);
  }

  // The token rows of X or K without padding.
  NumberArray rows(Array& array, const std::string& key, std::size_t width) const {
    const bool has_lengths = has("lengths");
    if (array.shape.size() == 2 && has_lengths) {
      if (array.shape[0] != instance_.first_row.back()) {
        bad(key, "the lengths do not add up to its number of rows");
      }
      return finite(key, array);
    }
    if (array.shape.size() != 3 || array.shape[0] != instance_.groups())
      bad(key, "its shape does not fit the sequences");
    const bool may_be_padded = has_lengths && !array.ragged();
    std::vector<std::size_t> kept;  // rows that are no padding
    std::size_t start = 0;
    for (std::size_t i = 0; i < instance_.groups(); ++i) {
      const std::size_t tokens = instance_.tokens(i);
      if (tokens > array.lengths[i] || (tokens < array.lengths[i] && !may_be_padded))
        bad(key, "sequence " + std::to_string(i) + " does not have its length");
      for (std::size_t t = 0; may_be_padded && t < tokens; ++t) kept.push_back(start + t);
      start += array.lengths[i];
    }
    NumberArray numbers = kept.size() < start && may_be_padded ? array.numbers.rows(std::move(kept), width)
                                                               : std::move(array.numbers);
    if (const auto k = numbers.first_not_finite()) {
      const auto& first = instance_.first_row;
      const auto row = std::upper_bound(first.begin(), first.end(), *k / width) - 1;
      bad(key, "sequence " + std::to_string(row - first.begin()) + ", token " +
                   std::to_string(*k / width - *row) + ", coordinate " + std::to_string(*k % width) +
                   " is not a finite number");
    }
    return numbers;
  }

  // Of each sequence one of its tokens, or a list of them, one list after the other.
  std::vector<std::size_t> chosen_tokens(const std::string& key, Array& array) {
    const std::size_t levels = array.shape.size();
    if (levels == 1) array.lengths.assign(array.shape[0], 1);
    if (levels == 2) array.lengths.assign(array.shape[0], array.shape[1]);
    if (levels == 3 && array.shape[2] != 1) bad(key, "a list of tokens of each sequence expected");
    if (array.lengths.size() != instance_.groups() || array.numbers.size() == 0)
      bad(key, "its length is not the number of sequences");
    array.shape = {array.numbers.size()};
    const std::vector<long> tokens = integers(key, 0, max_entries);
    for (std::size_t i = 0, k = 0; i < instance_.groups(); ++i) {
      for (const std::size_t end = k + array.lengths[i]; k < end; ++k) {
        if (static_cast<std::size_t>(tokens[k]) >= instance_.tokens(i))
          bad(key, "sequence " + std::to_string(i) + " has no token " + std::to_string(tokens[k]));
      }
    }
    return {tokens.begin(), tokens.end()};
  }

  // Every token is a query: what there is one of a sequence otherwise is here one a token.
  void read_queries() {
    const bool causal = read_causal(*this);
    for (const char* key : {"Y", "y", "alpha"}) {
      if (!has(key)) continue;
      NumberArray flat = token_numbers(key);
      replace(key, Array{{flat.size()}, {}, std::move(flat), {}});
    }
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < instance_.groups(); ++i) lengths.push_back(instance_.tokens(i));
    one_group_a_query(instance_, causal, path());
    const std::optional<NumberArray> decoders = read_decoders(*this, instance_.dimension, lengths);
    if (!decoders) return read_head();
    read_labels();
    instance_.scores = scores_by_place(instance_, lengths, *decoders);
    instance_.Y.clear();
  }

  // The head and its keys; those of other heads are refused.
  void read_head() {
    std::string word = has("y") ? "cross-entropy" : "linear";
    if (has("head")) word = text("head");
    const std::map<std::string, std::set<std::string>> own = {{"linear", {"Y", "v", "scores"}},
                                                              {"cross-entropy", {"y"}},
                                                              {"classifier", {"U", "y"}},
                                                              {"relu", {"A", "bias", "r", "Y"}}};
    if (!own.contains(word))
      bad("head", "\"linear\", \"cross-entropy\", \"classifier\" or \"relu\" expected");
    for (const char* key : {"Y", "v", "scores", "y", "U", "A", "bias", "r"}) {
      if (has(key) && !own.at(word).contains(key)) bad(key, "given although the head is " + word);
    }
    if (word == "cross-entropy") {
      instance_.y = chosen_tokens("y", listed("y"));
    } else if (word == "linear") {
      has("scores") ? read_scores() : read_decoder();
    } else if (word == "relu") {
      instance_.outputs = read_units(*this, instance_.dimension);
      read_labels();
    } else {
      instance_.outputs = read_classifier(*this, instance_.dimension, instance_.groups());
    }
  }

  // One row of one number per token.
  NumberArray token_numbers(const std::string& key) {
    Array numbers = required(key);
    if (numbers.shape.size() == 2) numbers.lengths.assign(numbers.shape[0], numbers.shape[1]);
    if (numbers.shape.size() < 3) numbers.shape.push_back(1);
    if (numbers.shape.back() != 1) bad(key, "one number per token expected");
    return rows(numbers, key, 1);
  }
  void read_scores() {
    if (has("Y") || has("v")) bad("scores", "given although Y or v is");
    instance_.scores = token_numbers("scores");
  }

  void read_decoder() {
    Array& v = listed("v");
    if (v.shape[0] != instance_.dimension) bad("v", "its length is not the dimension of X");
    instance_.v = finite("v", v);
    read_labels();
  }

  void read_labels() {
    for (const long label : integers("Y", -1, 1)) {
      if (label == 0) bad("Y", "entry " + std::to_string(instance_.Y.size()) + " is neither 1 nor -1");
      instance_.Y.push_back(static_cast<int>(label));
    }
    if (instance_.Y.size() != instance_.groups()) bad("Y", "its length is not the number of sequences");
  }

  void read_setting() {
    const bool K = has("K"), z = has("z"), query = has("query");
    if (K + z + query > 1) malformed(path() + ": at most one of the keys K, z and query may be given");
    if (K) {
      Array& keys = required("K");
      if (keys.shape.size() < 2) bad("K", "its shape does not fit the sequences");
      instance_.setting = Setting::prompt;
      instance_.factor_dimension = keys.shape.back();
      instance_.K = rows(keys, "K", keys.shape.back());
    } else if (z) {
      Array& queries = required("z");
      if (queries.shape.size() != 2 || queries.shape[0] != instance_.groups())
        bad("z", "one row per sequence expected");
      instance_.setting = Setting::cross_attention;
      instance_.factor_dimension = queries.shape[1];
      instance_.z = finite("z", queries);
    } else if (query) {
      read_query(at("query"));
    }
    for (std::size_t i = 0; i < instance_.groups(); ++i) {
      const auto tokens = static_cast<long>(instance_.tokens(i));
      if (instance_.query >= tokens || -instance_.query > tokens) {
        bad("query", "sequence " + std::to_string(i) + " has no token " + std::to_string(instance_.query));
      }
    }
  }

  void read_query(const Array& query) {
    const bool index = !query.text && query.numbers.size() == 1 && query.shape.size() <= 1;
    if (!index && query.text != "last") bad("query", "an index or \"last\" expected");
    instance_.query = index ? integer("query", query.numbers, 0, -max_entries, max_entries) : -1;
  }

  void check_start() {
    if (!has("W0")) return;
    using Shape = std::vector<std::size_t>;
    const std::size_t d = instance_.dimension, e = instance_.factor_dimension;
    const bool prompt = instance_.setting == Setting::prompt;
    const Shape shape = prompt ? Shape{e, 1} : Shape{d, e == 0 ? d : e};
    Array& start = required("W0");
    if (start.shape != shape && !(prompt && start.shape == Shape{e}))
      bad("W0", "its shape is not that of the parameter");
    finite("W0", start);
  }

  Instance instance_;
};

}  // namespace

const char* name(Setting setting) {
  constexpr const char* names[] = {"prompt", "cross-attention", "self-attention", "next-token"};
  return names[static_cast<std::size_t>(setting)];
}

const char* name(Stage stage) {
  return stage == Stage::attention ? "attention" : "feed-forward";
}

Instance read_instance(const std::string& path) {
  return InstanceBuilder(path).build();
}

}  // namespace attest_check
