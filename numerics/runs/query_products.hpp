// The products z_i . z_k of the queries of a run, as the operator a -> (sum_k (z_i . z_k) a_k)_i that makes
// images of coordinates.
//
// Up to `most_kept` groups the Gram matrix is kept, exactly: 8 MB for each of its words at the most. Beyond,
// the queries and their transpose are, and an image is Z (Z' a), 2 n e products instead of n^2: the sums Z' a
// are rounded to the format once more, which the row sums of |Z| amplify.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/fixed_point.hpp"
#include "numerics/numbers/word_matrix.hpp"

namespace attest {

class QueryProducts {
 public:
  static constexpr std::size_t most_kept = 1000;

  // What an evaluation needs beside its result, kept from one to the next.
  struct Scratch {
    FixedOperand operand;
    FixedVector sums;  // Z' a
  };

  QueryProducts() = default;
  // entries: groups x dimension, row-major; at most max_planes words each (word_matrix.hpp). Throws
  // BudgetReached.
  QueryProducts(std::size_t groups, std::size_t dimension, const std::vector<Rational>& entries,
                std::size_t max_planes, std::size_t most, const Budget& budget);

  // Is it the Gram matrix that is kept?
  bool kept() const { return transposed_.rows() == 0; }
  // An upper bound of max_i sum_k |z_i . z_k|: a close one of a Gram matrix that is kept, else of
  // max_i sum_k |z_i| . |z_k|.
  double row_sum() const { return row_sum_; }

  // out_i = sum_k (z_i . z_k) a_k, of `columns` numbers each like the a_k, in their format: every one within
  // `error` ulps, which is set. False when out of range.
  bool images(const FixedVector& a, std::size_t columns, FixedVector& out, double& error, Scratch& scratch,
              const Budget* budget) const;

 private:
  void keep_gram(std::size_t groups, std::size_t dimension, const std::vector<Rational>& entries,
                 std::size_t max_planes, const Budget& budget);
  void bound_row_sums(std::size_t groups, std::size_t dimension, const std::vector<Rational>& entries);

  WordMatrix rows_;           // groups x groups: z_i . z_k, exact; or groups x dimension: Z
  WordMatrix transposed_;     // dimension x groups: Z'; empty where the Gram matrix is kept
  double largest_query_ = 0;  // upper bound of max_i sum_j |z_ij|, where it is not
  double row_sum_ = 0;
};

}  // namespace attest
