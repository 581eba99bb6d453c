// The resolution of a dataset: its numbers were rounded once, so its rows might lie a little elsewhere.
#pragma once

#include <optional>
#include <string>

#include "certify/instance/instance.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

// The answer against the rounding of the numbers that were given.
struct Resolution {
  enum class Standing {
    above,     // every rounding of the data is feasible, too
    below,     // some change of the data as small as their rounding makes the problem infeasible
    open,      // neither is proved
    exact,     // the numbers are not rounded
    no_answer  // not feasible, or undecided
  };
  std::string number_format;  // of the features: "bfloat16", "binary16", "binary32", "binary64", "integer",
                              // "rational"
  std::optional<Rational>
      unit;  // how far rounding may have moved a feature row, at most; nothing: not rounded
  // Encloses the least rho such that some feature rows, none moved by more than rho, are infeasible.
  std::optional<Interval> robust_radius;
  Standing standing = Standing::no_answer;
};

// Of these numbers, as `Resolution` names it.
std::string number_format(const ExactArray& numbers);

// `robust_radius`: as numerics/margin/robust_radius.hpp encloses it, nothing where it does not.
//
// The format is the narrowest of bfloat16, binary16, binary32 and binary64 that holds every number of the
// feature rows (X; K in prompt problems), whatever they are stored in: embeddings that were stored as doubles
// after a computation in binary32 are known by that. One of 16 bits must also be used: more than a quarter of
// the numbers need its last digit. Integers up to 2^53, and decimals or fractions that are no doubles, count
// as exact. The unit is 2^-8, 2^-11, 2^-24 or 2^-53 times the length of the longest feature row: rounding to
// nearest changes a row by at most that part of its own length, and below the normal numbers each entry by at
// most half of the format's least unit, which is added.
Resolution resolve(const TokenData& data, std::optional<Interval> robust_radius);

}  // namespace attest
