// Training of factors replayed: see claims/factored/replay.hpp.
#include "proofs/checker/claims/factored/replay.hpp"

#include "proofs/checker/claims/replays/spent_bits.hpp"

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

}  // namespace

FactoredReplay::FactoredReplay(const Problem& problem, const FactoredSteps& steps, const GivenMatrix& start,
                               unsigned bits)
    : steps_(steps),
      rank_(start.right.columns),
      bits_(bits),
      pulls_(problem, bits),
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
  const Vector& query = pulls_.query(group);
  const Vector seen = turned(right_, query, rank_);
  const Vector pulled = pulls_.pull(group, product_of(left_, seen, rank_));
  add_outer(pulled, seen, left_gradient_);
  add_outer(query, turned(left_, pulled, rank_), right_gradient_);
}

void FactoredReplay::evaluate() {
  left_gradient_.assign(left_.size(), Interval());
  right_gradient_.assign(right_.size(), Interval());
  pulls_.begin();
  for (std::size_t i = 0; i < pulls_.groups(); ++i) pull(i);
}

void FactoredReplay::move(Vector& factor, const Vector& gradient, const Interval& size) const {
  const Interval along = steps_.rule == FactoredRule::ngd ? size / length_of(gradient) : size;
  for (std::size_t j = 0; j < factor.size(); ++j) factor[j] += along * gradient[j];
}

void FactoredReplay::advance(std::size_t t) {
  const Interval size = steps_.step_size(t, bits_);
  move(left_, left_gradient_, size);
  move(right_, right_gradient_, size);
  narrow();
}

void FactoredReplay::narrow() {
  const unsigned bits = bits_in_use({&left_, &right_}, bits_);
  if (bits == bits_) return;
  bits_ = bits;
  for (Vector* numbers : {&left_, &right_}) round_to(bits, *numbers);
  pulls_.narrow(bits);
}

}  // namespace attest_check
