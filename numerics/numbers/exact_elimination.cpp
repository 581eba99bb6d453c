#include "numerics/numbers/exact_elimination.hpp"

#include <flint/fmpz_mat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/numbers/modular_matrix.hpp"

namespace attest {

std::size_t rank_modulo(ShortResidues rows, std::uint64_t prime, const Budget& budget) {
  std::size_t rank = 0;
  const std::size_t width = rows.empty() ? 0 : rows[0].size();
  for (std::size_t column = 0; column < width && rank < rows.size(); ++column) {
    budget.poll();
    std::size_t pivot = rank;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[rank], rows[pivot]);
    const std::uint64_t inverse = inverse_of(rows[rank][column], prime);
    for (std::size_t r = rank + 1; r < rows.size(); ++r) {
      if (rows[r][column] == 0) continue;
      const std::uint64_t factor = prime - rows[r][column] * inverse % prime;
      for (std::size_t j = column; j < width; ++j) rows[r][j] = (rows[r][j] + factor * rows[rank][j]) % prime;
    }
    ++rank;
  }
  return rank;
}

namespace {

// Rows as integers, as FLINT has them; scaling a row leaves rank and kernel alone.
class ScaledMatrix {
 public:
  ScaledMatrix(const RationalRows& rows, const Budget& budget) : columns_(rows[0].size()) {
    std::size_t bits = 1;
    for (const std::vector<Rational>& row : rows) {
      budget.poll();
      Integer common = 1;
      for (const Rational& entry : row) common = lcm(common, denominator(entry));
      for (const Rational& entry : row) {
        scaled_.push_back(numerator(entry) * (common / denominator(entry)));
        bits = std::max(bits, mpz_sizeinbase(scaled_.back().backend().data(), 2));
      }
    }
    elimination_seconds_ = predicted_elimination_seconds(rows.size(), columns_, bits);
    fmpz_mat_init(matrix_, static_cast<slong>(rows.size()), static_cast<slong>(columns_));
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
      fmpz_set_mpz(
          fmpz_mat_entry(matrix_, static_cast<slong>(k / columns_), static_cast<slong>(k % columns_)),
          scaled_[k].backend().data());
    }
  }
  ~ScaledMatrix() { fmpz_mat_clear(matrix_); }
  ScaledMatrix(const ScaledMatrix&) = delete;
  ScaledMatrix& operator=(const ScaledMatrix&) = delete;

  std::size_t rank(const Budget& budget) const {
    budget.needs_seconds(elimination_seconds_, "an exact elimination");
    return static_cast<std::size_t>(fmpz_mat_rank(matrix_));
  }

  // Independent modulo a prime, which is fast: then they are.
  bool columns_are_independent(const Budget& budget) const {
    const std::uint64_t prime = short_primes[0];
    ShortResidues rows;
    for (std::size_t k = 0; k < scaled_.size(); ++k) {
      if (k % columns_ == 0) rows.emplace_back();
      rows.back().push_back(mpz_fdiv_ui(scaled_[k].backend().data(), prime));
    }
    return rank_modulo(std::move(rows), prime, budget) == columns_;
  }

  std::vector<std::vector<Integer>> kernel(const Budget& budget) const {
    budget.needs_seconds(elimination_seconds_, "an exact elimination");
    const auto width = static_cast<slong>(columns_);
    fmpz_mat_t basis;
    fmpz_mat_init(basis, width, width);
    std::vector<std::vector<Integer>> vectors(static_cast<std::size_t>(fmpz_mat_nullspace(basis, matrix_)));
    for (std::size_t k = 0; k < vectors.size(); ++k) {
      for (slong j = 0; j < width; ++j) {
        Integer& entry = vectors[k].emplace_back();
        fmpz_get_mpz(entry.backend().data(), fmpz_mat_entry(basis, j, static_cast<slong>(k)));
      }
    }
    fmpz_mat_clear(basis);
    return vectors;
  }

 private:
  std::size_t columns_;
  double elimination_seconds_ = 0;
  std::vector<Integer> scaled_;
  fmpz_mat_t matrix_;
};

}  // namespace

std::size_t exact_rank(const RationalRows& rows, const Budget& budget) {
  return rows.empty() ? 0 : ScaledMatrix(rows, budget).rank(budget);
}

std::vector<std::vector<Integer>> exact_kernel(const RationalRows& rows, const Budget& budget) {
  const ScaledMatrix matrix(rows, budget);
  if (matrix.columns_are_independent(budget)) return {};
  return matrix.kernel(budget);
}

std::optional<std::uint64_t> independence_modulus(const std::vector<std::vector<Integer>>& rows,
                                                  const Budget& budget) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  for (const std::uint64_t prime : short_primes) {
    ShortResidues residues;
    for (const std::vector<Integer>& row : rows) {
      budget.poll();
      std::vector<std::uint64_t>& reduced = residues.emplace_back();
      for (const Integer& entry : row) reduced.push_back(mpz_fdiv_ui(entry.backend().data(), prime));
    }
    if (rank_modulo(std::move(residues), prime, budget) == columns) return prime;
  }
  return std::nullopt;
}

double predicted_elimination_seconds(std::size_t rows, std::size_t columns, std::size_t bits) {
  const auto pivots = static_cast<double>(std::min(rows, columns));
  const double words = 1 + pivots * static_cast<double>(bits) / 64;
  return static_cast<double>(rows) * static_cast<double>(columns) * pivots * 1e-8 * std::pow(words, 0.6);
}

}  // namespace attest
