// Next-token instances: see sentences.hpp.
#include "proofs/checker/instance/sentences.hpp"

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

}  // namespace attest_check
