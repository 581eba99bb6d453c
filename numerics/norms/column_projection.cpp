#include "numerics/norms/column_projection.hpp"

#include "numerics/norms/rounding.hpp"
#include "numerics/numbers/ball.hpp"

namespace attest {

std::optional<WrittenMatrix> dual_basis(const WrittenMatrix& matrix, long bits) {
  const std::size_t rows = matrix.rows, columns = matrix.columns;
  const long precision = 3 * bits;
  std::vector<std::vector<Ball>> system(columns);  // C'C, then C'
  const auto entry = [&](std::size_t row, std::size_t column) {
    return matrix.numerator[row * columns + column];
  };
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      Integer sum;
      for (std::size_t row = 0; row < rows; ++row) sum += entry(row, i) * entry(row, j);
      system[i].emplace_back(Rational(sum, matrix.denominator * matrix.denominator), precision);
    }
    for (std::size_t row = 0; row < rows; ++row)
      system[i].emplace_back(Rational(entry(row, i), matrix.denominator), precision);
  }
  for (std::size_t p = 0; p < columns; ++p) {
    const Ball pivot = system[p][p];
    if (!certainly_positive(pivot)) return std::nullopt;
    for (Ball& x : system[p]) x = div(x, pivot, precision);
    for (std::size_t i = 0; i < columns; ++i) {
      if (i == p) continue;
      const Ball factor = system[i][p];
      for (std::size_t j = p; j < columns + rows; ++j)
        system[i][j] = sub(system[i][j], mul(factor, system[p][j], precision), precision);
    }
  }
  std::vector<Ball> entries;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < columns; ++i) entries.push_back(system[i][columns + row]);
  const DyadicRow found = rounded(entries, bits);
  if (found.shift < 0) return std::nullopt;
  return WrittenMatrix{rows, columns, found.numerator, pow(Integer(2), static_cast<unsigned>(found.shift))};
}

std::vector<Rational> across_projection(const WrittenMatrix& left, const WrittenMatrix& right,
                                        const Rational& slope) {
  const std::size_t e = left.rows, rank = left.columns;
  const Integer unit = left.denominator * right.denominator;
  std::vector<Rational> result;
  for (std::size_t row = 0; row < e; ++row) {
    for (std::size_t column = 0; column < e; ++column) {
      Integer sum = row == column ? unit : Integer(0);
      for (std::size_t i = 0; i < rank; ++i)
        sum -= left.numerator[row * rank + i] * right.numerator[column * rank + i];
      result.push_back(slope * Rational(sum, unit));
    }
  }
  return result;
}

}  // namespace attest
