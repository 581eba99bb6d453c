// The constraint vectors of a margin problem as exact integers of rank one.
//
// Delta_c = (x_{i,alpha_i} - x_it) z_i' = scale * D_c with D_c an integer matrix that is never formed: Gram
// entries are (dx . dx~)(z . z~), and all margins of W = sum_c a_c D_c come from W z_i in O(groups d e +
// tokens d) products.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/integer_matrix.hpp"
#include "numerics/numbers/rational.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

class IntegerConstraints {
 public:
  // Keeps references: `data` must outlive this object. Indices of constraints are positions in `rows`, whose
  // groups do not decrease; products() is fastest where rows of one winner stand together.
  IntegerConstraints(const TokenData& data, std::vector<MarginRow> rows);
  // All rows of the selection, in increasing (group, token) order.
  IntegerConstraints(const TokenData& data, const Selection& selection)
      : IntegerConstraints(data, margin_rows(data, selection)) {}

  std::size_t size() const { return rows_.size(); }
  const MarginRow& row(std::size_t c) const { return rows_[c]; }
  Constraint constraint(std::size_t c) const { return rows_[c].constraint(); }
  const TokenData& data() const { return *data_; }

  // <Delta_c, Delta_c~> = gram_scale() * gram(c, c~), gram_scale() > 0.
  const Rational& gram_scale() const { return gram_scale_; }

  // <D_c, D_c~>, exactly.
  Integer gram(std::size_t c, std::size_t other) const;

  // k x k row-major matrix of gram over the constraints listed.
  std::vector<Integer> gram_matrix(std::span<const std::size_t> at, const Budget& budget) const;

  // <D_c, sum_k values[k] D_at[k]> for every constraint c, exactly. `at` strictly increasing.
  std::vector<Integer> products(std::span<const std::size_t> at, std::span<const Integer> values,
                                const Budget& budget) const;

  // An upper bound of the bits of any |gram(c, c~)|.
  std::size_t gram_bits() const;

 private:
  // A row difference in sign-magnitude limbs, for Gram entries.
  struct Row {
    std::vector<mp_limb_t> limbs;  // columns x width
    std::vector<std::uint8_t> negative;
  };
  Row token_difference(std::size_t c) const;
  Integer token_product(const Row& a, const Row& b) const;
  Integer query_product(std::size_t group, std::size_t other) const;

  const TokenData* data_;
  std::vector<MarginRow> rows_;
  IntegerMatrix tokens_;
  IntegerMatrix queries_;
  Rational gram_scale_;
};

}  // namespace attest
