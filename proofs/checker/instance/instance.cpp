// A dataset instance: see instance.hpp.
#include "proofs/checker/instance/instance.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/instance/array.hpp"
#include "proofs/checker/instance/compressed.hpp"
#include "proofs/checker/instance/counts.hpp"
#include "proofs/checker/instance/json.hpp"
#include "proofs/checker/instance/queries.hpp"
#include "proofs/checker/instance/safetensors.hpp"
#include "proofs/checker/instance/sentences.hpp"
#include "proofs/checker/instance/zip.hpp"

namespace attest_check {
namespace {

constexpr std::array<std::string_view, 22> known_keys = {
    "X",       "lengths", "Y", "v",         "scores", "K",          "z", "query", "alpha", "W0", "counts",
    "offsets", "head",    "y", "sentences", "ids",    "embeddings", "U", "A",     "bias",  "r",  "setting"};

// The key of a file or member KEY.npy.
std::string key_of(const std::string& file, const std::string& path) {
  if (!file.ends_with(".npy"))
    malformed(path + ": unexpected member " + file + " (members are named KEY.npy)");
  std::string key = file.substr(0, file.size() - 4);
  if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end()) {
    malformed(path + ": unknown key " + key);
  }
  return key;
}

std::map<std::string, Array> read_arrays(const std::string& path,
                                         const std::shared_ptr<std::size_t>& blocks_left) {
  std::map<std::string, Array> arrays;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    std::set<std::filesystem::path> files;  // in an order that all processes of a job have
    std::filesystem::directory_iterator entry(path, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
      files.insert(entry->path());
    if (error) malformed(path + ": cannot be read");
    for (const std::filesystem::path& place : files) {
      const std::string key = key_of(place.filename().string(), path), file = place.string();
      if (symlink_status(place, error).type() != std::filesystem::file_type::regular) {
        malformed(file + ": not a file (a folder of arrays holds no links)");
      }
      arrays[key] = read_npy(Bytes::of_file(file), file);
    }
    return arrays;
  }
  const Bytes file = Bytes::of_file(path);
  const std::string begin = file.text(0, 9);
  if (begin.starts_with("PK")) {
    file.hold(blocks_left);
    read_zip(file, path, [&](const std::string& member, const Bytes& content) {
      arrays[key_of(member, path)] = read_npy(content, path + ": " + member);
    });
    return arrays;
  }
  if (begin.starts_with("\x93NUMPY")) malformed(path + ": a single array; give a folder of KEY.npy files");
  ByteSource text(path, file);
  const auto use = [&](const std::string& key, Array array) {
    arrays[key_of(key + ".npy", path)] = std::move(array);
  };
  if (!text.compressed() && begins_safetensors(begin)) {
    file.hold(blocks_left);
    read_safetensors(file, path, use);
  } else {
    Pieces pieces{[&] { return text.next(); }};
    read_json(pieces, path, use);
  }
  return arrays;
}

// Each array that has no part in what may be held gets one.
void hold_blocks(const std::map<std::string, Array>& arrays, std::size_t& left) {
  std::size_t total = 1;
  for (const auto& [key, array] : arrays) total += array.numbers.bytes().size();
  const std::size_t blocks = left;
  for (const auto& [key, array] : arrays) {
    const std::size_t part = std::min(left, blocks * array.numbers.bytes().size() / total);
    if (array.numbers.bytes().hold(std::make_shared<std::size_t>(part))) left -= part;
  }
}

// Turns named arrays into an instance, checking every shape and value.
class InstanceBuilder {
 public:
  InstanceBuilder(std::map<std::string, Array> arrays, const std::string& path)
      : arrays_(std::move(arrays)), path_(path) {}

  Instance build() {
    if (has("sentences") || has("ids")) return read_sentences();
    if (has("embeddings")) bad("embeddings", "given without sentences or ids");
    Array& X = required("X");
    read_layout(X);
    instance_.X = rows(X, "X", instance_.dimension);
    if (has("counts")) instance_.counts = token_counts(required("counts"), arrays_.at("X"), instance_, path_);
    if (has("offsets")) {
      instance_.offsets = token_numbers("offsets");
      bool zero = true;
      for (std::size_t row = 0; zero && row < instance_.offsets.size(); ++row)
        zero = instance_.offsets.exact(row) == 0;
      if (zero) instance_.offsets = {};
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
  bool has(const std::string& key) const { return arrays_.contains(key); }
  [[noreturn]] void bad(const std::string& key, const std::string& why) const {
    malformed(path_ + ": key " + key + ": " + why);
  }
  Array& required(const std::string& key) {
    const auto found = arrays_.find(key);
    if (found == arrays_.end()) malformed(path_ + ": key " + key + " is missing");
    if (found->second.text) bad(key, "numbers expected, not a string");
    if (found->second.numbers.size() >= max_entries)
      too_large(path_ + ": key " + key + ": 2^31 or more numbers");
    return found->second;
  }
  // The numbers, which the array gives away.
  NumberArray finite(const std::string& key, Array& array) const {
    if (const auto k = array.numbers.first_not_finite())
      bad(key, "entry " + std::to_string(*k) + " is not a finite number");
    return std::move(array.numbers);
  }
  // A list, or a column of one.
  Array& listed(const std::string& key) {
    Array& array = required(key);
    if (array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1)) return array;
    bad(key, "a list of numbers expected");
  }
  // A list of integers in [low, high].
  std::vector<long> integers(const std::string& key, long low, long high) {
    const Array& array = listed(key);
    std::vector<long> values;
    for (std::size_t k = 0; k < array.numbers.size(); ++k) {
      values.push_back(integer(key, array.numbers, k, low, high));
    }
    return values;
  }
  long integer(const std::string& key, const NumberArray& numbers, std::size_t k, long low, long high) const {
    const std::optional<long> value = numbers.integer(k);
    if (!value || *value < low || *value > high) {
      bad(key, "entry " + std::to_string(k) + " is not an integer from " + std::to_string(low) + " to " +
                   std::to_string(high));
    }
    return *value;
  }

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
    const std::string word = arrays_.at("setting").text.value_or("");
    if (word != "seq2seq" && word != "causal") bad("setting", "\"seq2seq\" or \"causal\" expected");
    for (const char* key : {"K", "z", "query", "scores"}) {
      if (has(key)) bad(key, "given although the setting is " + word);
    }
    for (const char* key : {"Y", "y", "alpha"}) {
      if (!has(key)) continue;
      NumberArray flat = token_numbers(key);
      arrays_[key] = Array{{flat.size()}, {}, std::move(flat), {}};
    }
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < instance_.groups(); ++i) lengths.push_back(instance_.tokens(i));
    one_group_a_query(instance_, word == "causal", path_);
    const bool linear = !has("y") && (!has("head") || arrays_.at("head").text.value_or("") == "linear");
    const bool places =
        has("v") && arrays_.at("v").shape.size() == 2 && arrays_.at("v").shape[1] == instance_.dimension;
    if (!linear || !places) return read_head();
    if (arrays_.at("v").shape[0] != *std::max_element(lengths.begin(), lengths.end()))
      bad("v", "a row for each place of a query expected");
    const NumberArray decoders = finite("v", required("v"));
    read_labels();
    instance_.scores = scores_by_place(instance_, lengths, decoders);
    instance_.Y.clear();
  }

  // The head and its keys; those of other heads are refused.
  void read_head() {
    std::string word = has("y") ? "cross-entropy" : "linear";
    if (has("head")) word = arrays_.at("head").text.value_or("");
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
    } else {
      word == "relu" ? read_units() : read_classifier();
    }
  }

  // The rows of a layer, each as long as a token.
  std::size_t read_layer(const char* key, std::size_t least) {
    Array& rows = required(key);
    if (rows.shape.size() != 2 || rows.shape[0] < least || rows.shape[1] != instance_.dimension)
      bad(key, "at least " + std::to_string(least) + " rows of the dimension of X expected");
    instance_.outputs->weights = finite(key, rows);
    return instance_.outputs->weights.size() / instance_.dimension;
  }
  void read_classifier() {
    instance_.outputs.emplace();
    const std::size_t classes = read_layer("U", 2);
    for (const long chosen : integers("y", 0, static_cast<long>(classes) - 1))
      instance_.outputs->classes.push_back(static_cast<std::size_t>(chosen));
    if (instance_.outputs->classes.size() != instance_.groups())
      bad("y", "its length is not the number of sequences");
  }
  void read_units() {
    instance_.outputs.emplace();
    instance_.outputs->classifier = false;
    const std::size_t units = read_layer("A", 1);
    for (const auto& [key, values] :
         {std::pair("bias", &instance_.outputs->bias), std::pair("r", &instance_.outputs->r)}) {
      Array& given = listed(key);
      if (given.shape[0] != units) bad(key, "its length is not the number of rows of A");
      *values = finite(key, given);
    }
    read_labels();
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
    if (K + z + query > 1) malformed(path_ + ": at most one of the keys K, z and query may be given");
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
      read_query(arrays_.at("query"));
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

  // The attention stage of `sentences`, or of `ids` in sentences of these `lengths`.
  Instance read_sentences() {
    const bool flat = has("ids");
    const std::string key = flat ? "ids" : "sentences";
    for (const auto& [given, array] : arrays_) {
      const bool fits = given == key || given == "embeddings" || (flat && given == "lengths");
      if (!fits) bad(given, "given although " + key + " is");
    }
    Array ids = flat ? listed(key) : required(key);
    if (flat) {
      for (const long length : integers("lengths", 2, max_entries - 1))
        ids.lengths.push_back(static_cast<std::size_t>(length));
    } else if (ids.shape.size() == 2) {
      ids.lengths.assign(ids.shape[0], ids.shape[1]);
    } else if (ids.shape.size() != 3 || ids.shape[2] != 1) {
      bad(key, "lists of token ids expected");
    }
    const auto text = std::make_shared<Sentences>();
    for (const std::size_t length : ids.lengths) {
      if (length < 2) bad(key, "sentence " + std::to_string(text->count()) + " has less than two tokens");
      text->first.push_back(text->first.back() + length);
    }
    if (text->count() == 0 || text->first.back() != ids.numbers.size())
      bad("lengths", "they do not add up to the number of ids");
    auto highest = static_cast<long>(max_stage_tokens) - 1;
    if (has("embeddings")) {
      Array& rows = required("embeddings");
      if (rows.shape.size() != 2 || rows.numbers.size() == 0)
        bad("embeddings", "a row of numbers per token id expected");
      text->embeddings = finite("embeddings", rows);
      text->vocabulary = rows.shape[0];
      text->dimension = rows.shape[1];
      highest = static_cast<long>(rows.shape[0]) - 1;
    }
    for (std::size_t k = 0; k < ids.numbers.size(); ++k) {
      const auto id = static_cast<std::uint32_t>(integer(key, ids.numbers, k, 0, highest));
      text->ids.push_back(id);
      if (text->embeddings.size() == 0)
        text->dimension = text->vocabulary = std::max<std::size_t>(text->vocabulary, id + 1UL);
    }
    return next_token_stage(text, Stage::attention, path_);
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

  std::map<std::string, Array> arrays_;
  const std::string& path_;
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
  const auto blocks = std::make_shared<std::size_t>(Bytes::most_held() / Bytes::usual_block);
  std::map<std::string, Array> arrays = read_arrays(path, blocks);
  hold_blocks(arrays, *blocks);
  return InstanceBuilder(std::move(arrays), path).build();
}

}  // namespace attest_check
