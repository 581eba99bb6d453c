// Ranks of integer matrices: see matrix_rank.hpp.
#include "proofs/checker/base/matrix_rank.hpp"

#include <algorithm>
#include <utility>

namespace attest_check {

bool rank_at_most(std::vector<std::vector<Integer>> rows, std::size_t bound) {
  Integer previous = 1;  // the last pivot; divides every 2x2 minor below exactly (Bareiss)
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.size(); ++column) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(rank);
    const auto pivot = std::find_if(first, rows.end(), [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) continue;
    if (rank == bound) return false;
    std::swap(*first, *pivot);
    const std::vector<Integer>& top = *first;
    for (auto row = first + 1; row != rows.end(); ++row) {
      for (std::size_t k = column + 1; k < columns; ++k) {
        Integer& entry = (*row)[k];
        entry *= top[column];
        mpz_submul(entry.get_mpz_t(), (*row)[column].get_mpz_t(), top[k].get_mpz_t());
        mpz_divexact(entry.get_mpz_t(), entry.get_mpz_t(), previous.get_mpz_t());
      }
      (*row)[column] = 0;
    }
    previous = top[column];
    ++rank;
  }
  return true;
}

std::size_t rank_modulo(std::vector<std::vector<std::uint64_t>> rows, std::uint64_t prime) {
  const auto inverse = [prime](std::uint64_t x) {
    std::uint64_t result = 1;
    for (std::uint64_t e = prime - 2; e > 0; e >>= 1, x = x * x % prime) {
      if (e & 1) result = result * x % prime;
    }
    return result;
  };
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.size(); ++column) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(rank);
    const auto pivot = std::find_if(first, rows.end(), [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) continue;
    std::swap(*first, *pivot);
    const std::uint64_t factor = inverse((*first)[column]);
    for (auto row = first + 1; row != rows.end(); ++row) {
      const std::uint64_t multiple = (prime - (*row)[column] * factor % prime) % prime;
      if (multiple == 0) continue;
      for (std::size_t k = column; k < columns; ++k) (*row)[k] = ((*row)[k] + multiple * (*first)[k]) % prime;
    }
    ++rank;
  }
  return rank;
}

bool is_prime(std::uint64_t number) {
  if (number < 2) return false;
  for (std::uint64_t k = 2; k * k <= number; ++k) {
    if (number % k == 0) return false;
  }
  return true;
}

}  // namespace attest_check
