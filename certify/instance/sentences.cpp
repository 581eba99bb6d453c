#include "certify/instance/sentences.hpp"

#include <algorithm>
#include <optional>

#include "certify/instance/npy.hpp"
#include "certify/process/input_error.hpp"
#include "certify/process/sha256.hpp"

namespace attest {
namespace {

std::string sentence_index(std::size_t k) {
  return "[" + std::to_string(k) + "]";
}

class SentenceAssembly {
 public:
  explicit SentenceAssembly(RawInstance raw)
      : raw_(std::move(raw)), key_(raw_.count("ids") != 0 ? "ids" : "sentences") {}

  SentenceData run() {
    for (const auto& [key, array] : raw_) {
      const bool fits = key == key_ || key == "embeddings" || (key_ == "ids" && key == "lengths");
      if (!fits) fail_input("given although " + key_ + " is", key);
      if (array.text) fail_input("expected an array of numbers, found a string", key);
      if (array.values.size() >> 31 != 0) fail_resource("has 2^31 numbers or more", key);
    }
    read_embeddings();
    read_sentences(key_ == "ids" ? flat_lengths() : listed_lengths());
    const Collocation pairs = said_collocation(data_.sentences);
    for (const AttentionGroup& group : attention_groups(data_.sentences)) {
      if (selected_token(group, pairs)) continue;
      fail_input(
          "no token before its last one has that one next (sentences of two tokens say which have; attest "
          "ntp finds them)",
          key_, sentence_index(group.sentence));
    }
    return std::move(data_);
  }

 private:
  RawArray& ids() { return raw_.at(key_); }

  // An integer entry from 0 to `highest`.
  std::size_t integer(const std::string& key, std::size_t k, std::size_t highest) const {
    const RawArray& array = raw_.at(key);
    if (array.values.finite(k)) {
      const Rational value = array.values.exact(k);
      if (denominator(value) == 1 && value >= 0 && value <= Rational(Integer(highest)))
        return numerator(value).convert_to<std::size_t>();
    }
    fail_input("expected an integer from 0 to " + std::to_string(highest), key, array.index(k));
  }

  void read_embeddings() {
    const auto found = raw_.find("embeddings");
    if (found == raw_.end()) return;
    RawArray& rows = found->second;
    if (rows.lengths || rows.shape.size() != 2 || rows.values.size() == 0)
      fail_input("expected a row of numbers per token id", "embeddings");
    for (std::size_t k = 0; k < rows.values.size(); ++k) {
      if (!rows.values.finite(k)) fail_input("not a finite number", "embeddings", rows.index(k));
    }
    data_.sentences.vocabulary = rows.shape[0];
    data_.embeddings = std::move(rows.values).take();
  }

  std::vector<std::size_t> flat_lengths() {
    RawArray& all = ids();
    const auto found = raw_.find("lengths");
    if (found == raw_.end()) fail_input("missing: how many ids each sentence has", "lengths");
    RawArray& lengths = found->second;
    for (RawArray* list : {&all, &lengths}) {
      if (list->shape.size() == 2 && list->shape[1] == 1 && !list->lengths) list->shape.pop_back();
      if (list->shape.size() != 1)
        fail_input("expected a list of integers", list == &all ? "ids" : "lengths");
    }
    std::vector<std::size_t> sizes;
    for (std::size_t k = 0; k < lengths.values.size(); ++k)
      sizes.push_back(integer("lengths", k, largest_length));
    return sizes;
  }

  std::vector<std::size_t> listed_lengths() {
    const RawArray& all = ids();
    const bool column = all.shape.size() == 3 && all.shape[2] == 1;
    if (all.lengths && column) return *all.lengths;
    if (all.lengths || (all.shape.size() != 2 && !column))
      fail_input("expected a list of lists of token ids", "sentences");
    return std::vector<std::size_t>(all.shape[0], all.shape[1]);
  }

  void read_sentences(const std::vector<std::size_t>& sizes) {
    Sentences& sentences = data_.sentences;
    const std::size_t count = ids().values.size();
    const std::size_t highest = data_.embeddings.empty() ? largest_token_id : sentences.vocabulary - 1;
    std::size_t at = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] < 2)
        fail_input("a sentence has two tokens at least", key_ == "ids" ? "lengths" : key_, sentence_index(i));
      if (sizes[i] > count - at) fail_input("add up to more than the number of ids", "lengths");
      std::vector<TokenId>& sentence = sentences.sentence.emplace_back();
      for (std::size_t t = 0; t < sizes[i]; ++t, ++at) {
        sentence.push_back(static_cast<TokenId>(integer(key_, at, highest)));
        if (data_.embeddings.empty())
          sentences.vocabulary =
              std::max<std::size_t>(sentences.vocabulary, sentence.back() + std::size_t{1});
      }
    }
    if (at != count || count == 0) fail_input("do not add up to the number of ids", "lengths");
  }

  static constexpr std::size_t largest_length = (std::size_t{1} << 31) - 1;

  RawInstance raw_;
  std::string key_;
  SentenceData data_;
};

}  // namespace

bool has_sentences(const RawInstance& raw) {
  return raw.count("sentences") != 0 || raw.count("ids") != 0;
}

SentenceData assemble_sentences(RawInstance raw) {
  return SentenceAssembly(std::move(raw)).run();
}

std::string canonical_sha256(const SentenceData& data) {
  const Sentences& sentences = data.sentences;
  std::string text = "attest-instance 1\nsetting next-token\nvocabulary ";
  text += std::to_string(sentences.vocabulary) + "\nsentences " + std::to_string(sentences.sentence.size()) +
          '\n';
  for (const std::vector<TokenId>& sentence : sentences.sentence) {
    for (const TokenId id : sentence) text += std::to_string(id) + ' ';
    text.back() = '\n';
  }
  const std::size_t dimension = data.dimension();
  if (!data.embeddings.empty()) text += "dimension " + std::to_string(dimension) + "\nembeddings\n";
  for (std::size_t k = 0; k < data.embeddings.size(); ++k) {
    append_canonical(text, data.embeddings.exact(k));
    text += (k + 1) % dimension == 0 ? '\n' : ' ';
  }
  return sha256(text);
}

Collocation said_collocation(const Sentences& sentences) {
  Collocation pairs;
  for (std::size_t k = 0; k < sentences.sentence.size(); ++k) {
    const std::vector<TokenId>& sentence = sentences.sentence[k];
    if (sentence.size() != 2) continue;
    const auto next = pairs.next(sentence[0]), before = pairs.before(sentence[1]);
    if (next && *next != sentence[1])
      fail_input("its first token has another next token", "sentences", sentence_index(k));
    if (before && *before != sentence[0])
      fail_input("its last token is next to another one", "sentences", sentence_index(k));
    if (!next) pairs.add(sentence[0], sentence[1]);
  }
  return pairs;
}

std::vector<std::pair<std::string, std::string>> sentence_members(const SentenceData& data) {
  std::vector<std::int64_t> ids, lengths;
  for (const std::vector<TokenId>& sentence : data.sentences.sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<std::int64_t>(sentence.size()));
  }
  std::vector<std::pair<std::string, std::string>> members;
  members.emplace_back("ids.npy", encode_npy(ids, {ids.size()}));
  members.emplace_back("lengths.npy", encode_npy(lengths, {lengths.size()}));
  if (data.embeddings.empty()) return members;
  if (!data.embeddings.is_binary64()) fail_input("are not binary64 numbers", "embeddings");
  members.emplace_back("embeddings.npy",
                       encode_npy(data.embeddings.binary64(), {data.sentences.vocabulary, data.dimension()}));
  return members;
}

}  // namespace attest
