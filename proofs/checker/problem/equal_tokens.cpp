// Equal tokens of a group: see equal_tokens.hpp.
#include "proofs/checker/problem/equal_tokens.hpp"

#include <algorithm>
#include <numeric>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/job.hpp"

namespace attest_check {

EqualTokens::EqualTokens(const Instance& instance, const ScaledMatrix& rows) : instance_(instance) {
  const auto compare = [&](std::size_t a, std::size_t b) {
    return rows.compare(instance.feature_row(a), instance.feature_row(b));
  };
  std::vector<std::size_t> order;   // rows of a group, equal ones side by side and in their order
  std::vector<std::size_t> groups;  // those with equal tokens
  const auto [begin, end] = share_of(instance.groups());
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t first = instance.first_row[i];
    order.resize(instance.tokens(i));
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const int order_of_rows = compare(a, b);
      return order_of_rows != 0 ? order_of_rows < 0 : a < b;
    });
    const auto equal = [&](std::size_t a, std::size_t b) { return compare(a, b) == 0; };
    if (std::adjacent_find(order.begin(), order.end(), equal) == order.end()) continue;
    groups.push_back(i);
    members_.resize(members_.size() + order.size());
    Member* const members = &members_[members_.size() - order.size()];
    std::size_t representative = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k == 0 || !equal(order[k - 1], order[k])) representative = order[k] - first;
      members[order[k] - first].representative = representative;
      members[representative].multiplicity += instance.count(order[k]);
    }
  }
  members_ = gathered(std::move(members_));
  first_.resize(instance.groups(), none);
  std::size_t place = 0;
  for (const std::size_t i : gathered(std::move(groups))) {
    first_[i] = place;
    place += instance.tokens(i);
  }
}

std::size_t EqualTokens::different(std::size_t group) const {
  if (all_differ(group)) return instance_.tokens(group);
  std::size_t count = 0;
  for (std::size_t t = 0; t < instance_.tokens(group); ++t) count += multiplicity(group, t) > 0 ? 1 : 0;
  return count;
}

// Equal tokens have equal scores but where these are not made of the features: prompt problems, given scores.
Integer average_scores(const Instance& instance, const EqualTokens& equal, std::vector<Integer>& scores) {
  if (!equal.any()) return 1;
  std::vector<std::size_t> first;           // per row, that of its representative
  std::vector<std::uint64_t> multiplicity;  // per row
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    for (std::size_t t = 0; t < instance.tokens(i); ++t) {
      first.push_back(instance.first_row[i] + equal.representative(i, t));
      multiplicity.push_back(equal.multiplicity(i, t));
    }
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
    scale = lcm(scale, Integer(multiplicity[row]));
    if (bit_length(scale) > static_cast<std::size_t>(max_exponent))
      too_large("the mean scores of equal tokens have no common denominator of 2^16 bits");
  }
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (differ[first[row]]) {
      scores[row] = total[first[row]] * (scale / Integer(multiplicity[first[row]]));
    } else {
      scores[row] *= scale;
    }
  }
  return scale;
}

}  // namespace attest_check
