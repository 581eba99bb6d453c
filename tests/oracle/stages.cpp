// The two selection problems of sentences (proofs/statements/GRAMMAR.md section 2).
#include <algorithm>
#include <map>
#include <set>

#include "tests/oracle/dataset.hpp"

namespace reference {

namespace {

Row unit_vector(std::size_t size, std::size_t at) {
  Row row(size);
  row.at(at) = 1;
  return row;
}

}  // namespace

Dataset stage_of(const Text& text, const std::string& stage) {
  Dataset data;
  data.kind = Kind::cross;
  data.text = text;
  data.stage = stage;
  const auto row = [&](std::size_t id) {
    return text.embeddings.empty() ? unit_vector(text.vocabulary, id) : text.embeddings[id];
  };
  std::map<std::size_t, std::size_t> next;
  for (const auto& sentence : text.sentences) {
    if (sentence.size() == 2) next[sentence[0]] = sentence[1];
  }
  const auto group = [&](std::size_t query) {
    data.X.emplace_back();
    data.scores.emplace_back();
    data.Y.push_back(1);
    data.z.push_back(row(query));
  };
  if (stage == "feed-forward") {
    for (const auto& [x, y] : next) {
      group(x);
      for (std::size_t u = 0; u < text.vocabulary; ++u) {
        data.X.back().push_back(unit_vector(text.vocabulary, u));
        data.scores.back().emplace_back(u == y ? 1 : 0);
      }
    }
    return data;
  }
  for (const auto& sentence : text.sentences) {
    if (sentence.size() == 2) continue;
    group(sentence[sentence.size() - 2]);
    std::set<std::size_t> seen;
    for (std::size_t t = 0; t + 1 < sentence.size(); ++t) {
      const std::size_t x = sentence[t];
      if (!seen.insert(x).second) continue;
      const auto said = next.find(x);
      data.X.back().push_back(row(x));
      data.scores.back().emplace_back(said != next.end() && said->second == sentence.back() ? 1 : 0);
    }
  }
  return data;
}

}  // namespace reference
