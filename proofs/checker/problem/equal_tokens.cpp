// Equal tokens of a group: see equal_tokens.hpp.
#include "proofs/checker/problem/equal_tokens.hpp"

#include <algorithm>
#include <numeric>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

EqualTokens merge_equal_tokens(const Instance& instance, const ScaledMatrix& rows) {
  EqualTokens merged;
  merged.representative.resize(instance.first_row.back());
  merged.multiplicity.resize(instance.first_row.back());
  const auto compare = [&](std::size_t a, std::size_t b) {
    return rows.compare(instance.feature_row(a), instance.feature_row(b));
  };
  std::vector<std::size_t> order;  // rows of a group, equal ones side by side and in their order
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    const std::size_t first = instance.first_row[i];
    order.resize(instance.tokens(i));
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int order_of_rows = compare(a, b);
      return order_of_rows != 0 ? order_of_rows < 0 : a < b;
    });
    std::size_t representative = 0, different = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == 0 || compare(order[k - 1], order[k]) != 0) {
        representative = order[k];
        ++different;
      }
      merged.representative[order[k]] = representative - first;
      merged.multiplicity[representative] += instance.count(order[k]);
    }
    merged.different.push_back(different);
  }
  return merged;
}

// Equal tokens have equal scores but where these are not made of the features: prompt problems, given scores.
Integer average_scores(const Instance& instance, const EqualTokens& equal, std::vector<Integer>& scores) {
  std::vector<std::size_t> first;  // per row, that of its representative
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    for (std::size_t t = 0; t < instance.tokens(i); ++t)
      first.push_back(instance.first_row[i] + equal.representative[instance.first_row[i] + t]);
  }
  std::vector<bool> differ(scores.size()), shifted(scores.size());  // per representative
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (scores[row] != scores[first[row]]) differ[first[row]] = true;
    if (instance.offset(row) != instance.offset(first[row])) shifted[first[row]] = true;
    if (differ[first[row]] && shifted[first[row]])
      too_large("equal tokens with different offsets have different scores: their mean is not rational");
  }
  if (std::find(differ.begin(), differ.end(), true) == differ.end()) return 1;
  std::vector<Integer> total(scores.size());  // of count times score, where they differ
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (differ[first[row]]) total[first[row]] += scores[row] * Integer(instance.count(row));
  }
  Integer scale = 1;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (!differ[row]) continue;
    scale = lcm(scale, Integer(equal.multiplicity[row]));
    if (bit_length(scale) > static_cast<std::size_t>(max_exponent))
      too_large("the mean scores of equal tokens have no common denominator of 2^16 bits");
  }
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (differ[first[row]]) {
      scores[row] = total[first[row]] * (scale / Integer(equal.multiplicity[first[row]]));
    } else {
      scores[row] *= scale;
    }
  }
  return scale;
}

}  // namespace attest_check
