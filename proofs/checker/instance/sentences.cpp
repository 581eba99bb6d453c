// Next-token instances: see sentences.hpp.
#include "proofs/checker/instance/sentences.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {
namespace {

// n and its inverse.
struct Pairs {
  std::map<std::uint32_t, std::uint32_t> next, before;
};

[[noreturn]] void bad(const std::string& path, std::size_t sentence, const std::string& why) {
  malformed(path + ": sentence " + std::to_string(sentence) + ": " + why);
}

Pairs pairs_of(const Sentences& sentences, const std::string& path) {
  Pairs pairs;
  for (std::size_t k = 0; k < sentences.count(); ++k) {
    if (sentences.first[k + 1] - sentences.first[k] != 2) continue;
    const std::uint32_t x = sentences.ids[sentences.first[k]], y = sentences.ids[sentences.first[k] + 1];
    if (pairs.next.emplace(x, y).first->second != y) bad(path, k, "its first token has another next token");
    if (pairs.before.emplace(y, x).first->second != x) bad(path, k, "its last token is next to another one");
  }
  return pairs;
}

// A group of the tokens of table rows `rows`, of which `selected` scores 1 and others 0.
class Groups {
 public:
  explicit Groups(Instance& instance) : instance_(instance) { instance_.first_row.push_back(0); }
  void token(std::uint32_t row, bool selected) {
    instance_.token_row.push_back(row);
    scores_.push(selected ? 1 : 0, 0);
  }
  void end(std::uint32_t query) {
    instance_.first_row.push_back(instance_.token_row.size());
    instance_.query_of.push_back(query);
  }
  // No more groups follow.
  void finish() { instance_.scores = scores_.numbers(); }

 private:
  Instance& instance_;
  NumberWriter scores_;
};

}  // namespace

Instance next_token_stage(std::shared_ptr<const Sentences> of, Stage stage, const std::string& path) {
  const Sentences& sentences = *of;
  const Pairs pairs = pairs_of(sentences, path);
  Instance instance;
  instance.setting = Setting::next_token;
  instance.stage = stage;
  instance.dimension = stage == Stage::attention ? sentences.dimension : sentences.vocabulary;
  instance.factor_dimension = sentences.dimension;
  instance.sentences = std::move(of);
  Groups groups(instance);
  if (stage == Stage::feed_forward) {
    if (!pairs.next.empty() && sentences.vocabulary > max_stage_tokens / pairs.next.size())
      too_large(path + ": the feed-forward stage has more than 2^24 tokens");
    for (const auto& [x, y] : pairs.next) {
      for (std::uint32_t u = 0; u < sentences.vocabulary; ++u) groups.token(u, u == y);
      groups.end(x);
    }
    groups.finish();
    return instance;
  }
  for (std::size_t k = 0; k < sentences.count(); ++k) {
    const std::size_t first = sentences.first[k], last = sentences.first[k + 1] - 1;
    if (last - first == 1) continue;
    const auto wanted = pairs.before.find(sentences.ids[last]);
    std::set<std::uint32_t> seen;
    for (std::size_t t = first; t < last; ++t) {
      const std::uint32_t x = sentences.ids[t];
      if (seen.insert(x).second) groups.token(x, wanted != pairs.before.end() && x == wanted->second);
    }
    if (wanted == pairs.before.end() || !seen.contains(wanted->second))
      bad(path, k, "no token before its last one has that one next (sentences of two tokens say which do)");
    groups.end(sentences.ids[last - 1]);
  }
  groups.finish();
  return instance;
}

Instance read_sentences(NamedArrays& arrays) {
  const bool flat = arrays.has("ids");
  const std::string key = flat ? "ids" : "sentences";
  for (const auto& [given, array] : arrays.all()) {
    const bool fits = given == key || given == "embeddings" || (flat && given == "lengths");
    if (!fits) arrays.bad(given, "given although " + key + " is");
  }
  Array ids = flat ? arrays.listed(key) : arrays.required(key);
  if (flat) {
    for (const long length : arrays.integers("lengths", 2, max_entries - 1))
      ids.lengths.push_back(static_cast<std::size_t>(length));
  } else if (ids.shape.size() == 2) {
    ids.lengths.assign(ids.shape[0], ids.shape[1]);
  } else if (ids.shape.size() != 3 || ids.shape[2] != 1) {
    arrays.bad(key, "lists of token ids expected");
  }
  const auto text = std::make_shared<Sentences>();
  for (const std::size_t length : ids.lengths) {
    if (length < 2)
      arrays.bad(key, "sentence " + std::to_string(text->count()) + " has less than two tokens");
    text->first.push_back(text->first.back() + length);
  }
  if (text->count() == 0 || text->first.back() != ids.numbers.size())
    arrays.bad("lengths", "they do not add up to the number of ids");
  auto highest = static_cast<long>(max_stage_tokens) - 1;
  if (arrays.has("embeddings")) {
    Array& rows = arrays.required("embeddings");
    if (rows.shape.size() != 2 || rows.numbers.size() == 0)
      arrays.bad("embeddings", "a row of numbers per token id expected");
    text->embeddings = arrays.finite("embeddings", rows);
    text->vocabulary = rows.shape[0];
    text->dimension = rows.shape[1];
    highest = static_cast<long>(rows.shape[0]) - 1;
  }
  for (std::size_t k = 0; k < ids.numbers.size(); ++k) {
    const auto id = static_cast<std::uint32_t>(arrays.integer(key, ids.numbers, k, 0, highest));
    text->ids.push_back(id);
    if (text->embeddings.size() == 0)
      text->dimension = text->vocabulary = std::max<std::size_t>(text->vocabulary, id + 1UL);
  }
  return next_token_stage(text, Stage::attention, arrays.path());
}

}  // namespace attest_check
