// Training of factors replayed: see claims/factored_replay.hpp.
#include "proofs/checker/claims/factored_replay.hpp"

#include "proofs/checker/claims/decoder_limit.hpp"
#include "proofs/checker/claims/spent_bits.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

Vector entries_of(const ExactMatrix& matrix, unsigned bits) {
  Vector result;
  for (const Integer& entry : matrix.numerator)
    result.push_back(Interval::ratio(entry, matrix.denominator, bits));
  return result;
}

// M'x of a matrix with so many columns.
Vector turned(const Vector& matrix, const Vector& x, std::size_t columns) {
  Vector result(columns);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t c = 0; c < columns; ++c) result[c] += matrix[j * columns + c] * x[j];
  return result;
}

// Adds x y'.
void add_outer(const Vector& x, const Vector& y, Vector& matrix) {
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t c = 0; c < y.size(); ++c) matrix[j * y.size() + c] += x[j] * y[c];
}

}  // namespace

Vector product_of(const Vector& a, const Vector& b, std::size_t columns) {
  Vector result;
  for (std::size_t j = 0; j < a.size(); j += columns) {
    for (std::size_t k = 0; k < b.size(); k += columns) {
      Interval& sum = result.emplace_back();
      for (std::size_t c = 0; c < columns; ++c) sum += a[j + c] * b[k + c];
    }
  }
  return result;
}

Interval FactoredSteps::size(std::size_t t, unsigned bits) const {
  const Interval count(static_cast<long>(t + 1));
  return schedule_law(schedule).size(Interval(step, bits), count, bits);
}

FactoredReplay::FactoredReplay(const Problem& problem, const FactoredSteps& steps, const GivenMatrix& start,
                               unsigned bits)
    : problem_(problem),
      steps_(steps),
      rank_(start.right.columns),
      bits_(bits),
      rows_(*problem.features, bits),
      left_(entries_of(start.left, bits)),
      right_(entries_of(start.right, bits)) {}

Vector FactoredReplay::product() const {
  return product_of(left_, right_, rank_);
}

Interval FactoredReplay::balance() const {
  Vector difference(rank_ * rank_);
  for (std::size_t a = 0; a < rank_; ++a) {
    for (std::size_t b = 0; b < rank_; ++b) {
      Interval& entry = difference[a * rank_ + b];
      for (std::size_t j = 0; j < left_.size(); j += rank_) entry += left_[j + a] * left_[j + b];
      for (std::size_t k = 0; k < right_.size(); k += rank_) entry += -(right_[k + a] * right_[k + b]);
    }
  }
  return length_of(difference);
}

// With q = Q'z the logits are <x, K q>, and the group adds y q' to V Q and z (K'y)' to V'K.
void FactoredReplay::pull(std::size_t group) {
  const Vector& query = rows_.queries[group];
  const Vector seen = turned(right_, query, rank_);
  const GroupPull found = group_pull(
      problem_, rows_, group, rows_.logits(*problem_.features, group, product_of(left_, seen, rank_)), bits_);
  loss_gap_ += found.excess;
  unselected_ = maximum(unselected_, found.unselected);
  add_outer(found.token, seen, left_gradient_);
  add_outer(query, turned(left_, found.token, rank_), right_gradient_);
}

void FactoredReplay::evaluate() {
  const std::size_t groups = problem_.features->groups();
  left_gradient_.assign(left_.size(), Interval());
  right_gradient_.assign(right_.size(), Interval());
  loss_gap_ = unselected_ = Interval();
  for (std::size_t i = 0; i < groups; ++i) pull(i);
  loss_gap_ = loss_gap_ * Interval::ratio(1, Integer(groups), bits_);
}

void FactoredReplay::move(Vector& factor, const Vector& gradient, const Interval& size) const {
  const Interval along = steps_.rule == FactoredRule::ngd ? size / length_of(gradient) : size;
  for (std::size_t j = 0; j < factor.size(); ++j) factor[j] += along * gradient[j];
}

void FactoredReplay::advance(std::size_t t) {
  const Interval size = steps_.size(t, bits_);
  move(left_, left_gradient_, size);
  move(right_, right_gradient_, size);
  narrow();
}

void FactoredReplay::narrow() {
  const unsigned bits = bits_in_use({&left_, &right_}, bits_);
  if (bits == bits_) return;
  bits_ = bits;
  for (Vector* numbers : {&left_, &right_}) round_to(bits, *numbers);
  for (std::vector<Vector>* rows : {&rows_.tokens, &rows_.queries}) round_to(bits, *rows);
}

}  // namespace attest_check
