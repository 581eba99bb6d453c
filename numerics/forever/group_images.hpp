// Inner products with constraint vectors through W z_i: <Delta_c, W> = (x_{i,alpha_i} - x_it) . (W z_i), for
// W given by coordinates W = sum_i U_i z_i' or by its entries. Symbols: proofs/statements/GLOSSARY.md.
#pragma once

#include <vector>

#include "numerics/numbers/ball.hpp"
#include "numerics/runs/geometry.hpp"

namespace attest {

class GroupImages {
 public:
  // W = sum_i U_i z_i'; coordinates: groups of the geometry x d. Throws BudgetReached: groups^2 exact
  // products where the geometry keeps a Gram matrix of the queries.
  GroupImages(const RunGeometry& geometry, const std::vector<Rational>& coordinates,
              const Budget& budget = Budget());
  // W by its exact entries, d x e.
  GroupImages(const RunGeometry& geometry, const ExactArray& entries, const Budget& budget = Budget());

  // Encloses <a_{i,selected} - a_{i,token}, W>, i a group of the geometry.
  Ball margin(std::size_t group, std::size_t selected, std::size_t token) const;

  // Encloses sum_i U_i . W z_i.
  Ball inner_product(const std::vector<Rational>& coordinates) const;

 private:
  void enclose_by_sums(const std::vector<Ball>& coordinates, const Budget& budget);

  const RunGeometry* geometry_;
  std::vector<Ball> images_;  // groups x d: W z_i
};

// ||a_{i,selected} - a_{i,token}||^2, exactly.
Rational squared_constraint_norm(const RunGeometry& geometry, std::size_t group, std::size_t selected,
                                 std::size_t token);

}  // namespace attest
