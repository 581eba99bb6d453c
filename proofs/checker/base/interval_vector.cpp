// Vectors of intervals: see interval_vector.hpp.
#include "proofs/checker/base/interval_vector.hpp"

namespace attest_check {

using Vector = std::vector<Interval>;

Interval inner_product(const Vector& x, const Vector& y) {
  Interval sum;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

Interval length_of(const Vector& x) {
  return square_root(inner_product(x, x));
}

Vector difference(const Vector& x, const Vector& y) {
  Vector result;
  for (std::size_t j = 0; j < x.size(); ++j) result.push_back(x[j] - y[j]);
  return result;
}

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

void add_outer(const Vector& x, const Vector& y, Vector& matrix) {
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t k = 0; k < y.size(); ++k) matrix[j * y.size() + k] += x[j] * y[k];
}

}  // namespace attest_check
