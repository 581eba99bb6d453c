// Ranks of integer matrices: see matrix_rank.hpp.
#include "proofs/checker/base/matrix_rank.hpp"

#include <algorithm>
#include <utility>

namespace attest_check {

namespace {

// Row echelon form, pivot by pivot: eliminate(top, row, column) makes the entry of each lower row below the
// pivot 0, done(pivot) ends its column. The rank, or bound + 1 when it is larger than the bound.
template <class Number, class Eliminate, class Done>
std::size_t rank_up_to(std::vector<std::vector<Number>>& rows, std::size_t bound, Eliminate&& eliminate,
                       Done&& done) {
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.size(); ++column) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(rank);
    const auto pivot = std::find_if(first, rows.end(), [&](const auto& row) { return row[column] != 0; });
    if (pivot == rows.end()) continue;
    if (rank == bound) return bound + 1;
    std::swap(*first, *pivot);
    for (auto row = first + 1; row != rows.end(); ++row) eliminate(*first, *row, column);
    done((*first)[column]);
    ++rank;
  }
  return rank;
}

}  // namespace

bool rank_at_most(std::vector<std::vector<Integer>> rows, std::size_t bound) {
  Integer previous = 1;  // the last pivot; divides every 2x2 minor below exactly (Bareiss)
  const auto eliminate = [&](const std::vector<Integer>& top, std::vector<Integer>& row, std::size_t column) {
    for (std::size_t k = column + 1; k < row.size(); ++k) {
      row[k] *= top[column];
      mpz_submul(row[k].get_mpz_t(), row[column].get_mpz_t(), top[k].get_mpz_t());
      mpz_divexact(row[k].get_mpz_t(), row[k].get_mpz_t(), previous.get_mpz_t());
    }
    row[column] = 0;
  };
  return rank_up_to(rows, bound, eliminate, [&](const Integer& pivot) { previous = pivot; }) <= bound;
}

// A row is multiplied by the pivot, which has an inverse, so the rank stays.
std::size_t rank_modulo(std::vector<std::vector<std::uint64_t>> rows, std::uint64_t prime) {
  const auto eliminate = [&](const std::vector<std::uint64_t>& top, std::vector<std::uint64_t>& row,
                             std::size_t column) {
    const std::uint64_t multiple = (prime - row[column]) % prime;
    if (multiple == 0) return;
    for (std::size_t k = column; k < row.size(); ++k)
      row[k] = (row[k] * top[column] + multiple * top[k]) % prime;
  };
  return rank_up_to(rows, rows.size(), eliminate, [](std::uint64_t) {});
}

bool is_prime(std::uint64_t number) {
  if (number < 2) return false;
  for (std::uint64_t k = 2; k * k <= number; ++k) {
    if (number % k == 0) return false;
  }
  return true;
}

}  // namespace attest_check
