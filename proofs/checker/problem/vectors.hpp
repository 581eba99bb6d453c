// Sparse vectors over constraints, and the matrices W(x) = sum_c x_c Delta_c they stand for, with exact
// margins.
#pragma once

#include <cstddef>
#include <vector>

#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

// Entry k has the value numerator[k] / denominator at constraint at[k]; constraints strictly increase, no
// numerator is zero, the denominator is positive.
struct ConstraintVector {
  Integer denominator = 1;
  std::vector<Constraint> at;
  std::vector<Integer> numerator;

  std::size_t size() const { return at.size(); }
  // Are they, but for rows = 0, where either sign is allowed?
  bool all_positive(const Problem& problem) const;
  // The constraints but for rows = 0.
  std::vector<Constraint> inequalities(const Problem& problem) const;
  // Sum of the numerators at rows >= 1.
  Integer total(const Problem& problem) const;
};

// W(x), kept as the sums P_i = sum_t x_it (x_{i,selected} - x_it) of the groups that occur (W = sum_i P_i
// z_i') and, when that is the smaller work, as the dense matrix. Memory: linear in the instance times the
// size of x's numbers.
class SpanElement {
 public:
  // The problem must outlive the element.
  SpanElement(const Problem& problem, ConstraintVector vector);

  const Problem& problem() const { return *problem_; }
  const ConstraintVector& vector() const { return vector_; }

  // The groups that occur in the vector, increasing.
  const std::vector<std::size_t>& groups() const { return group_; }

  // Margins m_c(W) and entries <Delta_c, W> are integers over scale() > 0.
  const Integer& scale() const { return scale_; }
  // What the row asks of its margin, or may not be less than.
  Integer asked(const Constraint& c) const {
    return problem_->sense(c) == Sense::at_least_one ? scale_ : Integer(0);
  }
  // Margins of all tokens of a group; 0 at the selected token but in the decoder's problem.
  std::vector<Integer> margins(std::size_t group) const;
  // Margins at the listed tokens (increasing).
  std::vector<Integer> margins_at(const std::vector<Constraint>& constraints) const;
  // ||W||^2, exactly.
  Rational norm_squared() const;
  // <W, W(x)>, exactly, for a vector x of the same problem.
  Rational inner_product(const ConstraintVector& x) const;
  // Column `column` of W, integers over vector().denominator x token denominator x query denominator.
  std::vector<Integer> column(std::size_t column) const;
  Integer column_denominator() const;

 private:
  // W z_group, integers over column_denominator() x query denominator.
  std::vector<Integer> apply(std::size_t group) const;

  const Problem* problem_;
  ConstraintVector vector_;
  Integer scale_;
  std::vector<std::size_t> group_;
  std::vector<std::vector<Integer>> sums_;  // P_i of each
  std::vector<Integer> dense_;              // left x right, row-major; empty unless used
};

// Calls visit(constraint, margin numerator over w.scale()) for every constraint of the problem, in order: of
// a job's processes each for those of its share of the groups, and what one refuses all refuse.
template <class Visitor>
void for_each_margin(const SpanElement& w, Visitor&& visit) {
  std::size_t group = 0;
  std::vector<Integer> margins;
  const auto visit_margin = [&](const Constraint& c) {
    if (margins.empty() || c.group != group) margins = w.margins(group = c.group);
    visit(c, margins[c.token]);
  };
  for_each_constraint(w.problem(), visit_margin, share_of(w.problem().features->groups()));
  agree();
}

}  // namespace attest_check
