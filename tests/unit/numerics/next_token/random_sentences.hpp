// Sentences drawn at random, and slow answers about them that share nothing with what they judge.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "numerics/next_token/sentences.hpp"

namespace next_token_tests {

using attest::Sentences;
using attest::TokenId;

inline Sentences random_sentences(unsigned seed, std::size_t vocabulary, std::size_t count,
                                  std::size_t longest) {
  std::mt19937 random(seed);
  Sentences sentences;
  sentences.vocabulary = vocabulary;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<TokenId> sentence(2 + random() % (longest - 1));
    for (TokenId& token : sentence) token = static_cast<TokenId>(random() % vocabulary);
    sentences.sentence.push_back(sentence);
  }
  return sentences;
}

// Sentences of two tokens that say n(x) = x + 1 modulo the vocabulary, and some that end in the next token of
// one of theirs, all with query 0 and few tokens: cycles of any length come up.
inline Sentences given_sentences(unsigned seed, std::size_t vocabulary, std::size_t count,
                                 std::size_t context) {
  std::mt19937 random(seed);
  Sentences sentences;
  sentences.vocabulary = vocabulary;
  for (std::size_t x = 0; x < vocabulary; ++x)
    sentences.sentence.push_back({static_cast<TokenId>(x), static_cast<TokenId>((x + 1) % vocabulary)});
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<TokenId> sentence(context);
    for (TokenId& token : sentence) token = static_cast<TokenId>(1 + random() % (vocabulary - 1));
    const TokenId selected = sentence[random() % context];
    sentence.push_back(0);
    sentence.push_back(static_cast<TokenId>((selected + 1) % vocabulary));
    sentences.sentence.push_back(sentence);
  }
  return sentences;
}

// above[q][x][y]: some sentence says x >_q y, for n given as a list (vocabulary: no next token).
using Relation = std::vector<std::vector<std::vector<bool>>>;

inline Relation relation(const Sentences& sentences, const std::vector<TokenId>& n) {
  const std::size_t V = sentences.vocabulary;
  Relation above(V, std::vector<std::vector<bool>>(V, std::vector<bool>(V, false)));
  for (const auto& sentence : sentences.sentence) {
    if (sentence.size() < 3) continue;
    const TokenId query = sentence[sentence.size() - 2];
    for (std::size_t a = 0; a + 1 < sentence.size(); ++a) {
      for (std::size_t b = 0; b + 1 < sentence.size(); ++b) {
        if (sentence[a] != sentence[b] && n[sentence[a]] == sentence.back())
          above[query][sentence[a]][sentence[b]] = true;
      }
    }
  }
  return above;
}

// Fewest steps from a token back to itself within one query's relation, over all; 0 when there is no cycle.
inline std::size_t slow_shortest_cycle(const Relation& above) {
  const std::size_t V = above.size(), far = 1000;
  std::size_t best = far;
  for (const auto& order : above) {
    std::vector<std::vector<std::size_t>> distance(V, std::vector<std::size_t>(V, far));
    for (std::size_t x = 0; x < V; ++x) {
      for (std::size_t y = 0; y < V; ++y) {
        if (order[x][y]) distance[x][y] = 1;
      }
    }
    for (std::size_t k = 0; k < V; ++k) {
      for (std::size_t x = 0; x < V; ++x) {
        for (std::size_t y = 0; y < V; ++y)
          distance[x][y] = std::min(distance[x][y], distance[x][k] + distance[k][y]);
      }
    }
    for (std::size_t x = 0; x < V; ++x) best = std::min(best, distance[x][x]);
  }
  return best == far ? 0 : best;
}

}  // namespace next_token_tests
