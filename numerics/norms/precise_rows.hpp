// The constraint vectors of a margin problem as balls, scaled as ScaledConstraints are: combinations and
// margins of matrices to any precision. Every operation encloses the exact result for the exact data.
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/problem/integer_constraints.hpp"

namespace attest {

class PreciseRows {
 public:
  // Delta_c = 2^exponent (dx_c z_i').
  PreciseRows(const IntegerConstraints& constraints, long exponent, long bits);

  std::size_t size() const { return group_.size(); }
  std::size_t d() const { return d_; }
  std::size_t e() const { return e_; }
  std::size_t group(std::size_t c) const { return group_[c]; }
  long bits() const { return bits_; }
  // dx_c, one after the other, and z_i.
  const Ball* difference(std::size_t c) const { return &difference_[c * d_]; }
  const Ball* query(std::size_t group) const { return &query_[group * e_]; }

  // sum_k value[k] dx_at[k] z', d x e.
  std::vector<Ball> combination(const std::vector<std::size_t>& at, const std::vector<Ball>& value) const;
  // <dx_c z', W> of all constraints, for W d x e.
  std::vector<Ball> margins(const std::vector<Ball>& w) const;
  // The same for W = K Q', K d x rank, Q e x rank.
  std::vector<Ball> margins(const std::vector<Ball>& k, const std::vector<Ball>& q, std::size_t rank) const;
  // ||dx_c||_1 ||z_i||_1.
  Ball sum_of_magnitudes(std::size_t c) const;

 private:
  std::vector<Ball> margins_of_images(const std::vector<Ball>& image) const;

  std::size_t d_, e_, groups_;
  long bits_;
  std::vector<std::size_t> group_;
  std::vector<Ball> difference_, query_;
};

// Middles of balls, without their radii: guesses from here on.
void forget_radii(std::vector<Ball>& balls);

}  // namespace attest
