// The search for a collocation against all injective maps.
#include "numerics/next_token/collocation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "numerics/next_token/token_orders.hpp"
#include "tests/unit/numerics/next_token/random_sentences.hpp"

using namespace attest;
using namespace next_token_tests;

namespace {

// Does n, a list with `vocabulary` for "none", do what find_collocation asks?
bool fits(const Sentences& sentences, const std::vector<TokenId>& n, bool strict) {
  for (const auto& sentence : sentences.sentence) {
    if (sentence.size() == 2 && n[sentence[0]] != sentence[1]) return false;
    const bool selected =
        std::any_of(sentence.begin(), sentence.end() - 1, [&](TokenId x) { return n[x] == sentence.back(); });
    if (!selected) return false;
  }
  return !strict || slow_shortest_cycle(relation(sentences, n)) == 0;
}

// Tries every injective partial map.
bool some_fits(const Sentences& sentences, std::vector<TokenId>& n, std::size_t x, bool strict) {
  const auto V = static_cast<TokenId>(sentences.vocabulary);
  if (x == V) return fits(sentences, n, strict);
  for (TokenId y = 0; y <= V; ++y) {
    if (y < V &&
        std::find(n.begin(), n.begin() + static_cast<long>(x), y) != n.begin() + static_cast<long>(x))
      continue;
    n[x] = y;
    if (some_fits(sentences, n, x + 1, strict)) return true;
  }
  n[x] = V;
  return false;
}

std::vector<TokenId> as_list(const Sentences& sentences, const Collocation& collocation) {
  std::vector<TokenId> n(sentences.vocabulary, static_cast<TokenId>(sentences.vocabulary));
  for (const auto& [x, y] : collocation.pairs()) n[x] = y;
  return n;
}

}  // namespace

TEST_CASE("a collocation is found exactly where there is one") {
  std::size_t found = 0, given = 0, conflict = 0, searched_in_vain = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const Sentences sentences = random_sentences(seed, 2 + seed % 4, 1 + seed / 7 % 5, 3 + seed / 3 % 3);
    const CollocationSearch search = find_collocation(sentences, Budget());
    CAPTURE(seed);
    const std::vector<TokenId> n = as_list(sentences, search.collocation);
    std::vector<TokenId> tried(sentences.vocabulary, static_cast<TokenId>(sentences.vocabulary));
    switch (search.verdict) {
      case CollocationSearch::Verdict::given:
        ++given;
        CHECK(fits(sentences, n, false));
        break;
      case CollocationSearch::Verdict::found:
        ++found;
        CHECK(fits(sentences, n, true));
        break;
      case CollocationSearch::Verdict::conflict:
        ++conflict;
        REQUIRE(search.conflict);
        CHECK_FALSE(some_fits(sentences, tried, 0, true));
        if (search.conflict->kind == CollocationConflict::Kind::no_order) ++searched_in_vain;
        if (search.conflict->kind < CollocationConflict::Kind::given_order) {
          // The sentences named are a conflict by themselves, beside those of two tokens.
          Sentences part = sentences;
          part.sentence.clear();
          for (std::size_t k = 0; k < sentences.sentence.size(); ++k) {
            const auto& named = search.conflict->sentences;
            if (sentences.sentence[k].size() == 2 || std::count(named.begin(), named.end(), k) > 0)
              part.sentence.push_back(sentences.sentence[k]);
          }
          CHECK_FALSE(some_fits(part, tried, 0, false));
        }
        break;
      case CollocationSearch::Verdict::undecided:
        FAIL("no budget was given");
    }
  }
  CHECK(found > 100);
  CHECK(given > 50);
  CHECK(conflict > 200);
  CHECK(searched_in_vain > 5);
}

TEST_CASE("conflicts name what they rest on") {
  const auto search = [](std::vector<std::vector<TokenId>> sentences) {
    return find_collocation({4, std::move(sentences)}, Budget());
  };
  using Kind = CollocationConflict::Kind;
  CHECK(search({{0, 1}, {2, 3}, {0, 3}}).conflict->kind == Kind::two_next);
  CHECK(search({{0, 1}, {2, 3}, {0, 3}}).conflict->sentences == std::vector<std::size_t>{0, 2});
  CHECK(search({{0, 1}, {2, 1}}).conflict->kind == Kind::two_before);
  const auto none = search({{0, 1, 3}, {0, 2, 3}, {1, 2, 3}}).conflict;
  CHECK(none->kind == Kind::no_candidate);
  CHECK(none->tokens == std::vector<TokenId>{3});
  const auto few = search({{0, 1, 0}, {0, 1, 1}, {0, 1, 2}}).conflict;
  CHECK(few->kind == Kind::too_few);
  CHECK(few->tokens == std::vector<TokenId>{0, 1, 2});
  CHECK(search({{0, 2}, {1, 3}, {0, 1, 0, 2}, {1, 0, 3}, {2, 2, 1}}).conflict->kind == Kind::given_order);
  // Two winners of the same three tokens: in one order there is no such collocation, in two there is.
  CHECK(search({{0, 1, 3, 2}, {1, 0, 3, 3}}).conflict->kind == Kind::no_order);
  CHECK(search({{0, 1, 3, 2}, {1, 3, 0, 3}}).collocation.pairs().size() == 2);
}

TEST_CASE("a budget of choices ends the search") {
  const Sentences sentences = random_sentences(3, 40, 60, 12);
  const CollocationSearch search = find_collocation(sentences, Budget(), 0);
  const bool undecided = search.verdict == CollocationSearch::Verdict::undecided;
  CHECK((undecided || search.verdict == CollocationSearch::Verdict::conflict));
  const CollocationSearch small = find_collocation({3, {{0, 1, 2}}}, Budget(), 0);
  CHECK(small.verdict == CollocationSearch::Verdict::undecided);
  CHECK(small.collocation.pairs().empty());
}
