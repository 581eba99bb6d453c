// Fraction-free elimination and Bland's simplex method over the rationals.
#include "tests/oracle/linear_algebra.hpp"

#include <cstdlib>
#include <iostream>

namespace reference {

namespace {

using IntegerRow = std::vector<mpz_class>;

// The row multiplied by the least common multiple of its denominators.
IntegerRow cleared(const Row& row) {
  mpz_class common = 1;
  for (const Number& entry : row) common = lcm(common, entry.get_den());
  IntegerRow integers;
  for (const Number& entry : row) integers.push_back(entry.get_num() * (common / entry.get_den()));
  return integers;
}

// Row echelon form by Bareiss' fraction-free elimination; returns the pivot columns among the first
// `columns`.
std::vector<std::size_t> eliminate(std::vector<IntegerRow>& rows, std::size_t columns) {
  std::vector<std::size_t> pivots;
  mpz_class previous = 1;
  for (std::size_t column = 0; column < columns && pivots.size() < rows.size(); ++column) {
    const std::size_t top = pivots.size();
    std::size_t found = top;
    while (found < rows.size() && rows[found][column] == 0) ++found;
    if (found == rows.size()) continue;
    std::swap(rows[top], rows[found]);
    for (std::size_t i = top + 1; i < rows.size(); ++i) {
      for (std::size_t j = column + 1; j < rows[i].size(); ++j) {
        mpz_class entry = rows[top][column] * rows[i][j] - rows[i][column] * rows[top][j];
        mpz_divexact(rows[i][j].get_mpz_t(), entry.get_mpz_t(), previous.get_mpz_t());
      }
      rows[i][column] = 0;
    }
    previous = rows[top][column];
    pivots.push_back(column);
  }
  return pivots;
}

void pivot(Matrix& tableau, std::size_t row, std::size_t column) {
  const Number scale = tableau[row][column];
  for (Number& entry : tableau[row]) entry /= scale;
  for (std::size_t i = 0; i < tableau.size(); ++i) {
    if (i == row || tableau[i][column] == 0) continue;
    const Number factor = tableau[i][column];
    for (std::size_t j = 0; j < tableau[i].size(); ++j) tableau[i][j] -= factor * tableau[row][j];
  }
}

// Simplex steps on the tableau, whose last row holds reduced costs (to be minimised) and whose last column
// holds the right-hand sides, entering only columns below `allowed`. Bland's rule: always the least index, so
// it cannot cycle. Returns the unbounded entering column, if there is one.
std::optional<std::size_t> simplex(Matrix& tableau, std::vector<std::size_t>& basis, std::size_t allowed) {
  const std::size_t cost = tableau.size() - 1, right = tableau[0].size() - 1;
  for (;;) {
    std::size_t entering = 0;
    while (entering < allowed && tableau[cost][entering] >= 0) ++entering;
    if (entering == allowed) return std::nullopt;
    std::optional<std::size_t> leaving;
    for (std::size_t i = 0; i < cost; ++i) {
      if (tableau[i][entering] <= 0) continue;
      if (!leaving) {
        leaving = i;
        continue;
      }
      const Number here = tableau[i][right] / tableau[i][entering];
      const Number best = tableau[*leaving][right] / tableau[*leaving][entering];
      if (here < best || (here == best && basis[i] < basis[*leaving])) leaving = i;
    }
    if (!leaving) return entering;
    pivot(tableau, *leaving, entering);
    basis[*leaving] = entering;
  }
}

}  // namespace

Row solve(const Matrix& A, const Row& b) {
  const std::size_t n = A.size();
  std::vector<IntegerRow> rows;
  for (std::size_t i = 0; i < n; ++i) {
    Row augmented = A[i];
    augmented.push_back(b[i]);
    rows.push_back(cleared(augmented));
  }
  if (eliminate(rows, n).size() < n) {
    std::cerr << "reference::solve: singular matrix\n";
    std::abort();
  }
  Row x(n);
  for (std::size_t i = n; i-- > 0;) {
    Number sum = rows[i][n];
    for (std::size_t j = i + 1; j < n; ++j) sum -= rows[i][j] * x[j];
    x[i] = sum / rows[i][i];
  }
  return x;
}

std::size_t rank(const Matrix& A) {
  if (A.empty()) return 0;
  std::vector<IntegerRow> rows;
  for (const Row& row : A) rows.push_back(cleared(row));
  return eliminate(rows, A[0].size()).size();
}

bool positive_semidefinite(Matrix A) {
  const std::size_t n = A.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (A[k][k] < 0) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (A[i][k] == 0) continue;
      if (A[k][k] == 0) return false;
      const Number factor = A[i][k] / A[k][k];
      for (std::size_t j = k + 1; j < n; ++j) A[i][j] -= factor * A[k][j];
    }
  }
  return true;
}

std::optional<Row> maximise_entry(const Matrix& A, const Row& b, std::size_t target) {
  const std::size_t m = A.size(), n = A.at(0).size();
  // Phase one: one artificial variable a row, minimise their sum.
  Matrix tableau(m + 1, Row(n + m + 1));
  std::vector<std::size_t> basis(m);
  for (std::size_t i = 0; i < m; ++i) {
    const int sign = b[i] < 0 ? -1 : 1;
    for (std::size_t j = 0; j < n; ++j) tableau[i][j] = sign * A[i][j];
    tableau[i][n + i] = 1;
    tableau[i][n + m] = sign * b[i];
    basis[i] = n + i;
    for (std::size_t j = 0; j < n; ++j) tableau[m][j] -= tableau[i][j];
    tableau[m][n + m] -= tableau[i][n + m];
  }
  simplex(tableau, basis, n);
  if (tableau[m][n + m] != 0) return std::nullopt;
  // Drive the artificial variables that are still basic (at zero) out; a row without a true entry is
  // redundant.
  for (std::size_t i = 0; i < m; ++i) {
    if (basis[i] < n) continue;
    for (std::size_t j = 0; j < n; ++j)
      if (tableau[i][j] != 0) {
        pivot(tableau, i, j);
        basis[i] = j;
        break;
      }
  }
  // Phase two: minimise -x_target.
  for (Number& entry : tableau[m]) entry = 0;
  tableau[m][target] = -1;
  for (std::size_t i = 0; i < m; ++i)
    if (basis[i] == target)
      for (std::size_t j = 0; j <= n + m; ++j) tableau[m][j] += tableau[i][j];
  const auto unbounded = simplex(tableau, basis, n);
  Row x(n);
  for (std::size_t i = 0; i < m; ++i)
    if (basis[i] < n) x[basis[i]] = tableau[i][n + m];
  if (unbounded && x[target] == 0) {
    x[*unbounded] = 1;
    for (std::size_t i = 0; i < m; ++i)
      if (basis[i] < n) x[basis[i]] -= tableau[i][*unbounded];
  }
  return x;
}

}  // namespace reference
