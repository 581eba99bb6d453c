// All constraint vectors of a margin problem as integers: Delta_c = entry(c, .)/unit().
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/problem/integer_constraints.hpp"

namespace attest {

class ExactRows {
 public:
  explicit ExactRows(const IntegerConstraints& constraints);

  std::size_t size() const { return group_.size(); }
  std::size_t entries() const { return d_ * e_; }
  const Integer& unit() const { return unit_; }
  Integer entry(std::size_t c, std::size_t j) const {
    return token_[c * d_ + j / e_] * query_[group_[c] * e_ + j % e_];
  }

  // sum_k value[k] entry(at[k], .)
  std::vector<Integer> combination(const std::vector<std::size_t>& at,
                                   const std::vector<Integer>& value) const;
  // <entry(c, .), w> of all constraints.
  std::vector<Integer> margins(const std::vector<Integer>& w) const;

 private:
  std::size_t d_, e_;
  std::vector<std::size_t> group_;
  std::vector<Integer> token_, query_;
  Integer unit_;
};

// Positions of the listed constraints, which increase, among all.
std::vector<std::size_t> positions(const IntegerConstraints& constraints,
                                   const std::vector<Constraint>& listed);

// 0 when there are none.
Integer largest_magnitude(const std::vector<Integer>& values);

}  // namespace attest
