// Constants added to the logits (theory.md section 9, "offset"): token t of a sequence gets the attention k_t
// e^<a_t, W> over the sum of these, where its multiplicity k_t = sum count e^offset over the tokens that it
// stands for (T18) need not be rational.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/exact_array.hpp"

namespace attest {

struct TokenData;

class LogitOffsets {
 public:
  // `values` and `counts` (empty: one each) of every token row, and per row the one that stands for it.
  LogitOffsets(const ExactArray& values, const std::vector<std::uint64_t>& counts,
               const std::vector<std::uint32_t>& stands);
  // log k of a row that stands for itself: an enclosure, exact where one offset is all there is.
  Ball log_multiplicity(std::size_t row, long bits) const;

 private:
  struct Term {
    Rational offset;
    Integer count;
  };
  std::vector<std::vector<Term>> terms_;  // per row, the largest offset first; none where another row stands
};

// k_token/k_other of two present tokens of a group, with offsets or without: an enclosure.
Ball multiplicity_ratio(const TokenData& data, std::size_t group, std::size_t token, std::size_t other,
                        long bits);

}  // namespace attest
