#include "certify/catalogue/mirrored_tokens.hpp"

#include <algorithm>

namespace attest {
namespace {

using Vector = std::vector<Rational>;

Vector row_of(const ExactArray& values, std::size_t row, std::size_t width) {
  Vector found;
  for (std::size_t j = 0; j < width; ++j) found.push_back(values.exact(row * width + j));
  return found;
}

Rational dot(const Vector& a, const Vector& b) {
  Rational sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// a less so many times b.
Vector less(Vector a, const Rational& times, const Vector& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= times * b[j];
  return a;
}

bool is_zero(const Vector& a) {
  return std::all_of(a.begin(), a.end(), [](const Rational& x) { return x == 0; });
}

// The tokens as rows, and what a reflection has to keep of them.
class Tokens {
 public:
  Tokens(const TokenData& data, const SelectedSets& sets, const Budget& budget)
      : data_(data), sets_(sets), budget_(budget) {
    for (std::size_t r = 0; r < data.first_row.back(); ++r)
      rows_.push_back(row_of(data.token_factor, r, data.left_dimension));
  }

  const std::vector<Vector>& rows() const { return rows_; }

  std::vector<Vector> differences() const {
    std::vector<Vector> found;
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      for (std::size_t k = 1; k < sets_[i].size(); ++k)
        found.push_back(less(rows_[data_.row(i, sets_[i][0])], 1, rows_[data_.row(i, sets_[i][k])]));
    }
    return found;
  }

  // Does the reflection along v keep every group?
  bool keeps(const Vector& v) const {
    const Rational square = dot(v, v);
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      budget_.poll();
      for (std::size_t t = 0; t < data_.tokens(i); ++t) {
        const Vector& x = rows_[data_.row(i, t)];
        const Rational along = dot(v, x);
        if (along != 0 && data_.present(i, t) && !has_image(i, t, less(x, 2 * along / square, v)))
          return false;
      }
    }
    return true;
  }

 private:
  bool has_image(std::size_t i, std::size_t t, const Vector& image) const {
    const std::vector<std::size_t>& set = sets_[i];
    const auto selected = [&](std::size_t token) {
      return std::binary_search(set.begin(), set.end(), token);
    };
    for (std::size_t s = 0; s < data_.tokens(i); ++s) {
      if (data_.multiplicity(i, s) == data_.multiplicity(i, t) && rows_[data_.row(i, s)] == image)
        return data_.score(i, s) == data_.score(i, t) && selected(s) == selected(t);
    }
    return false;
  }

  const TokenData& data_;
  const SelectedSets& sets_;
  const Budget& budget_;
  std::vector<Vector> rows_;
};

// An orthogonal basis of their span.
std::vector<Vector> orthogonalised(const std::vector<Vector>& vectors) {
  std::vector<Vector> basis;
  for (Vector v : vectors) {
    for (const Vector& b : basis) v = less(v, dot(v, b) / dot(b, b), b);
    if (!is_zero(v)) basis.push_back(std::move(v));
  }
  return basis;
}

// Is v'W = 0?
bool annihilates(const Vector& v, const ExactArray& W, std::size_t columns) {
  for (std::size_t m = 0; m < columns; ++m) {
    Rational sum = 0;
    for (std::size_t j = 0; j < v.size(); ++j) sum += v[j] * W.exact(j * columns + m);
    if (sum != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Instance> folded(const Instance& instance, const TokenData& data, const SelectedSets& sets,
                               const Budget& budget) {
  if (data.targets || data.outputs || data.offsets) return std::nullopt;
  const Tokens tokens(data, sets, budget);
  const std::vector<Vector> differences = tokens.differences();
  for (const Vector& v : differences) {
    if (instance.W0 && !annihilates(v, *instance.W0, data.right_dimension)) return std::nullopt;
    if (!tokens.keeps(v)) return std::nullopt;
  }
  const std::vector<Vector> basis = orthogonalised(differences);
  std::vector<Rational> entries, scores;
  for (std::size_t r = 0; r < tokens.rows().size(); ++r) {
    Vector x = tokens.rows()[r];
    for (const Vector& b : basis) x = less(std::move(x), dot(tokens.rows()[r], b) / dot(b, b), b);
    entries.insert(entries.end(), x.begin(), x.end());
    scores.push_back(data.scores[r]);
  }
  Instance found;
  found.setting = Setting::cross_attention;
  found.first_row = instance.first_row;
  found.dimension = data.left_dimension;
  found.factor_dimension = data.right_dimension;
  found.X = ExactArray::from_rationals(std::move(entries));
  found.scores = ExactArray::from_rationals(std::move(scores));
  found.z = data.query_factor;
  found.counts = instance.counts;
  found.W0 = instance.W0;
  return found;
}

}  // namespace attest
