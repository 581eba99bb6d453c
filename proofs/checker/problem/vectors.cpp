// Sparse vectors over constraints: see vectors.hpp.
#include "proofs/checker/problem/vectors.hpp"

#include <algorithm>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

bool ConstraintVector::all_positive(const Problem& problem) const {
  for (std::size_t k = 0; k < size(); ++k)
    if (numerator[k] <= 0 && problem.sense(at[k]) != Sense::equal_to_zero) return false;
  return true;
}

std::vector<Constraint> ConstraintVector::inequalities(const Problem& problem) const {
  std::vector<Constraint> result = at;
  std::erase_if(result, [&](const Constraint& c) { return problem.sense(c) == Sense::equal_to_zero; });
  return result;
}

Integer ConstraintVector::total(const Problem& problem) const {
  Integer sum;
  for (std::size_t k = 0; k < size(); ++k)
    if (problem.sense(at[k]) == Sense::at_least_one) sum += numerator[k];
  return sum;
}

SpanElement::SpanElement(const Problem& problem, ConstraintVector vector)
    : problem_(&problem), vector_(std::move(vector)) {
  const Features& features = *problem.features;
  const std::size_t left = features.left_dimension(), right = features.right_dimension();
  scale_ = vector_.denominator * features.product_denominator();
  for (const Constraint& c : vector_.at) {
    if (group_.empty() || group_.back() != c.group) group_.push_back(c.group);
  }
  // With fewer groups than right dimensions the inner products z_i.z_j are cheaper than the dense matrix, and
  // the dense matrix never exceeds the sums in size. Unit rows have cheap ones, nearly all 0.
  const bool use_dense = group_.size() >= right && !features.queries().unit();
  std::size_t bits = 0;  // of the longest number
  for (const Integer& x : vector_.numerator) bits = std::max(bits, bit_length(x));
  bits += features.tokens().entry_bits() + features.queries().entry_bits() + 64;
  const std::size_t limbs = bits / GMP_NUMB_BITS + 1;
  if (group_.size() + (use_dense ? right : 1) > max_table_limbs / limbs / left) {
    too_large("a matrix of the certificate takes too much memory");
  }
  std::size_t k = 0;
  for (const std::size_t group : group_) {
    std::vector<Integer>& sum = sums_.emplace_back(left);
    Integer total;
    for (; k < vector_.size() && vector_.at[k].group == group; ++k) {
      total += vector_.numerator[k];
      if (problem.decoder) continue;
      features.tokens().add_multiple(-vector_.numerator[k], features.row(group, vector_.at[k].token),
                                     sum.data());
    }
    features.tokens().add_multiple(total, features.row(group, problem.selection[group]), sum.data());
  }
  if (!use_dense) return;
  dense_.resize(left * right);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    for (std::size_t a = 0; a < left; ++a)
      features.queries().add_multiple(sums_[i][a], group_[i], &dense_[a * right]);
  }
}

std::vector<Integer> SpanElement::apply(std::size_t group) const {
  const Features& features = *problem_->features;
  const std::size_t left = features.left_dimension(), right = features.right_dimension();
  std::vector<Integer> result(left);
  if (!dense_.empty()) {
    const std::vector<Integer> query = features.queries().row(group);
    for (std::size_t a = 0; a < left; ++a) result[a] = dot(&dense_[a * right], query.data(), right);
    return result;
  }
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const Integer product = features.queries().dot(group_[i], features.queries(), group);
    if (product == 0) continue;
    for (std::size_t a = 0; a < left; ++a) add_product(result[a], sums_[i][a], product);
  }
  return result;
}

std::vector<Integer> SpanElement::margins(std::size_t group) const {
  std::vector<Constraint> tokens;
  for (std::size_t t = 0; t < problem_->features->tokens_of(group); ++t) tokens.push_back({group, t});
  return margins_at(tokens);
}

std::vector<Integer> SpanElement::margins_at(const std::vector<Constraint>& constraints) const {
  const Features& features = *problem_->features;
  std::vector<Integer> result;
  std::vector<Integer> image;
  Integer reference;
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    const std::size_t group = constraints[k].group;
    if (k == 0 || constraints[k - 1].group != group) {
      image = apply(group);
      reference = features.tokens().dot(features.row(group, problem_->selection[group]), image);
    }
    result.push_back(reference);
    if (problem_->decoder) continue;
    result.back() -= features.tokens().dot(features.row(group, constraints[k].token), image);
  }
  return result;
}

Rational SpanElement::norm_squared() const {
  return inner_product(vector_);
}

Rational SpanElement::inner_product(const ConstraintVector& x) const {
  const std::vector<Integer> margin = margins_at(x.at);
  return fraction(dot(x.numerator.data(), margin.data(), x.size()), x.denominator * scale_);
}

std::vector<Integer> SpanElement::column(std::size_t column) const {
  const Features& features = *problem_->features;
  std::vector<Integer> result(features.left_dimension());
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const Integer factor = features.queries().entry(group_[i], column);
    for (std::size_t a = 0; a < result.size(); ++a) add_product(result[a], sums_[i][a], factor);
  }
  return result;
}

Integer SpanElement::column_denominator() const {
  const Features& features = *problem_->features;
  return vector_.denominator * features.tokens().denominator() * features.queries().denominator();
}

}  // namespace attest_check
