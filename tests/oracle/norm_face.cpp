// All solutions in l1 and linf, a polytope: how far they go in a direction is a linear program.
#include <algorithm>

#include "tests/oracle/linear_algebra.hpp"
#include "tests/oracle/norm_truth.hpp"

namespace reference {

namespace {

class Solutions {
 public:
  Solutions(const MarginAnswer& answer, const Number& least, bool largest)
      : answer_(answer), least_(least), largest_(largest), entries_(answer.solution.size()) {}

  // That with the largest <direction, W>. As a linear program over nonnegative numbers: W = u - v, the
  // margins' slacks, those of the norm, and z = <direction, W> + least |direction|_1.
  Row furthest(const Row& direction) const {
    const std::size_t n = entries_, m = answer_.constraints.size();
    const std::size_t room = 2 * n + m, z = room + (largest_ ? n : 1);
    Matrix A;
    Row b;
    for (std::size_t c = 0; c < m; ++c) {
      A.push_back(row(answer_.differences[c], z + 1));
      A.back()[2 * n + c] = -1;
      b.emplace_back(1);
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (largest_ || j == 0) {
        A.emplace_back(z + 1);
        A.back()[room + j] = 1;
        b.push_back(least_);
      }
      A.back()[j] = A.back()[n + j] = 1;
    }
    A.push_back(row(direction, z + 1));
    A.back()[z] = -1;
    b.emplace_back(0);
    for (const Number& x : direction) b.back() -= least_ * abs(x);
    const Row found = *maximise_entry(A, b, z);
    Row matrix(n);
    for (std::size_t j = 0; j < n; ++j) matrix[j] = found[j] - found[n + j];
    return matrix;
  }

  // Points of it, each off the plane of those before, until none is.
  std::size_t dimension() const {
    const Row first = furthest(Row(entries_));
    Matrix apart;
    for (bool grows = true; grows;) {
      grows = false;
      for (Row across : orthogonal(apart)) {
        Row away = furthest(across);
        if (dot(across, away) == dot(across, first)) {
          for (Number& x : across) x = -x;
          away = furthest(across);
        }
        if (dot(across, away) == dot(across, first)) continue;
        for (std::size_t j = 0; j < entries_; ++j) away[j] -= first[j];
        apart.push_back(away);
        grows = true;
        break;
      }
    }
    return apart.size();
  }

 private:
  Row row(const Row& values, std::size_t width) const {
    Row result(width);
    for (std::size_t j = 0; j < entries_; ++j) {
      result[j] = values[j];
      result[entries_ + j] = -values[j];
    }
    return result;
  }

  // A basis of the vectors that are orthogonal to these independent ones.
  Matrix orthogonal(Matrix rows) const {
    std::vector<std::size_t> pivots;
    for (std::size_t column = 0; column < entries_ && pivots.size() < rows.size(); ++column) {
      const std::size_t top = pivots.size();
      std::size_t found = top;
      while (found < rows.size() && rows[found][column] == 0) ++found;
      if (found == rows.size()) continue;
      std::swap(rows[top], rows[found]);
      const Number scale = rows[top][column];
      for (Number& x : rows[top]) x /= scale;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const Number factor = rows[i][column];
        for (std::size_t j = 0; i != top && j < entries_; ++j) rows[i][j] -= factor * rows[top][j];
      }
      pivots.push_back(column);
    }
    Matrix basis;
    for (std::size_t column = 0; column < entries_; ++column) {
      if (std::binary_search(pivots.begin(), pivots.end(), column)) continue;
      Row& vector = basis.emplace_back(entries_);
      vector[column] = 1;
      for (std::size_t i = 0; i < pivots.size(); ++i) vector[pivots[i]] = -rows[i][column];
    }
    return basis;
  }

  const MarginAnswer& answer_;
  const Number& least_;
  const bool largest_;
  const std::size_t entries_;
};

}  // namespace

std::string NormTruth::face_objection(const Claim& claim) const {
  const auto [rows, columns] = shape_;
  for (const GivenMatrix& given : claim.matrices)
    if (given.rows != rows || given.columns != columns) return "a matrix of another shape";
  const Solutions solutions(answer_, exact_, norm_ == "linf");
  const Number dimension(solutions.dimension());
  if (dimension < claim.numbers[0]) return "the dimension is less";
  if (dimension > claim.numbers[1]) return "the dimension is more";
  for (const Pair& listed : claim.listed) {
    const auto c = answer_.position(listed);
    if (!c) return "lists something that is no constraint";
    if (margin(*c, solutions.furthest(answer_.differences[*c])) > 1) return "a margin above 1 at a solution";
  }
  return "";
}

}  // namespace reference
