#include "numerics/norms/exact_rows.hpp"

#include <algorithm>

namespace attest {
namespace {

// Numerators over the least common denominator, which is returned.
Integer over_common_denominator(const std::vector<Rational>& values, std::vector<Integer>& numerators) {
  Integer common = 1;
  for (const Rational& x : values) common = lcm(common, Integer(denominator(x)));
  for (const Rational& x : values) numerators.push_back(numerator(x) * (common / denominator(x)));
  return common;
}

}  // namespace

ExactRows::ExactRows(const IntegerConstraints& constraints)
    : d_(constraints.data().left_dimension), e_(constraints.data().right_dimension) {
  const TokenData& data = constraints.data();
  std::vector<Rational> tokens, queries;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const MarginRow& row = constraints.row(c);
    group_.push_back(row.group);
    const std::size_t winner = data.row(row.group, row.winner), loser = data.row(row.group, row.loser);
    for (std::size_t a = 0; a < d_; ++a)
      tokens.push_back(data.token_factor.exact(winner * d_ + a) - data.token_factor.exact(loser * d_ + a));
  }
  for (std::size_t k = 0; k < data.groups() * e_; ++k) queries.push_back(data.query_factor.exact(k));
  const Integer token_unit = over_common_denominator(tokens, token_);
  unit_ = token_unit * over_common_denominator(queries, query_);
}

std::vector<Integer> ExactRows::combination(const std::vector<std::size_t>& at,
                                            const std::vector<Integer>& value) const {
  std::vector<Integer> result(entries());
  for (std::size_t k = 0; k < at.size(); ++k) {
    for (std::size_t a = 0; a < d_; ++a) {
      const Integer share = value[k] * token_[at[k] * d_ + a];
      for (std::size_t b = 0; b < e_; ++b) result[a * e_ + b] += share * query_[group_[at[k]] * e_ + b];
    }
  }
  return result;
}

std::vector<Integer> ExactRows::margins(const std::vector<Integer>& w) const {
  std::vector<Integer> result(size()), image(d_);
  for (std::size_t c = 0; c < size(); ++c) {
    if (c == 0 || group_[c] != group_[c - 1]) {
      for (std::size_t a = 0; a < d_; ++a) {
        image[a] = 0;
        for (std::size_t b = 0; b < e_; ++b) image[a] += w[a * e_ + b] * query_[group_[c] * e_ + b];
      }
    }
    for (std::size_t a = 0; a < d_; ++a) result[c] += token_[c * d_ + a] * image[a];
  }
  return result;
}

std::vector<std::size_t> positions(const IntegerConstraints& constraints,
                                   const std::vector<Constraint>& listed) {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < constraints.size() && result.size() < listed.size(); ++c)
    if (constraints.constraint(c) == listed[result.size()]) result.push_back(c);
  return result;
}

Integer largest_magnitude(const std::vector<Integer>& values) {
  Integer largest;
  for (const Integer& x : values) largest = std::max(largest, Integer(abs(x)));
  return largest;
}

}  // namespace attest
