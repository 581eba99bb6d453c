#include "numerics/problem/token_classes.hpp"

#include <algorithm>
#include <numeric>

namespace attest {
namespace {

// The order of rows of `values` by their entries: -1, 0 or 1.
int compare_rows(const ExactArray& values, std::size_t columns, std::size_t a, std::size_t b) {
  for (std::size_t j = 0; j < columns; ++j) {
    if (values.is_binary64()) {
      const double x = values.binary64()[a * columns + j], y = values.binary64()[b * columns + j];
      if (x != y) return x < y ? -1 : 1;
    } else if (const int order = values.exact(a * columns + j).compare(values.exact(b * columns + j))) {
      return order;
    }
  }
  return 0;
}

}  // namespace

std::vector<TokenClass> equal_token_classes(const TokenData& data) {
  std::vector<TokenClass> classes;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const auto compare = [&](std::size_t s, std::size_t t) {
      return compare_rows(data.token_factor, data.left_dimension, data.row(i, s), data.row(i, t));
    };
    order.resize(data.tokens(i));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t s, std::size_t t) {
      const int by_row = compare(s, t);
      return by_row != 0 ? by_row < 0 : s < t;
    });
    const std::size_t before = classes.size();
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
      end = begin + 1;
      while (end < order.size() && compare(order[begin], order[end]) == 0) ++end;
      if (end - begin > 1)
        classes.push_back({i, {order.begin() + std::ptrdiff_t(begin), order.begin() + std::ptrdiff_t(end)}});
    }
    std::sort(classes.begin() + std::ptrdiff_t(before), classes.end(),
              [](const TokenClass& a, const TokenClass& b) { return a.tokens < b.tokens; });
  }
  return classes;
}

std::vector<TokenClass> best_score_ties(const TokenData& data) {
  std::vector<TokenClass> ties;
  const Selection best = best_selection(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    TokenClass tied{i, {}};
    for (std::size_t t = best[i]; t < data.tokens(i); ++t) {
      if (data.score(i, t) == data.score(i, best[i])) tied.tokens.push_back(t);
    }
    if (tied.tokens.size() > 1) ties.push_back(std::move(tied));
  }
  return ties;
}

}  // namespace attest
