#include "numerics/numbers/modular_matrix.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace attest {
namespace {

__extension__ using Wide = unsigned __int128;

// Multiplication by a fixed residue with a precomputed quotient (Shoup): two multiplications, no division.
class FixedMultiplier {
 public:
  FixedMultiplier(std::uint64_t value, std::uint64_t prime)
      : value_(value),
        quotient_(static_cast<std::uint64_t>((static_cast<Wide>(value) << 64) / prime)),
        prime_(prime) {}

  std::uint64_t times(std::uint64_t x) const {
    const auto guess = static_cast<std::uint64_t>((static_cast<Wide>(quotient_) * x) >> 64);
    const std::uint64_t rest = value_ * x - guess * prime_;
    return rest >= prime_ ? rest - prime_ : rest;
  }

 private:
  std::uint64_t value_;
  std::uint64_t quotient_;
  std::uint64_t prime_;
};

// row -= factor * pivot_row over [begin, end).
void eliminate(std::uint64_t* row, const std::uint64_t* pivot_row, std::size_t begin, std::size_t end,
               std::uint64_t factor, std::uint64_t prime) {
  const FixedMultiplier multiplier(factor, prime);
  for (std::size_t j = begin; j < end; ++j) {
    const std::uint64_t product = multiplier.times(pivot_row[j]);
    row[j] = row[j] >= product ? row[j] - product : row[j] + prime - product;
  }
}

}  // namespace

std::uint64_t inverse_of(std::uint64_t value, std::uint64_t prime) {
  std::uint64_t rest = prime, next = value;
  std::int64_t before = 0, factor = 1;  // next = factor * value modulo prime
  while (next != 1) {
    const std::uint64_t quotient = rest / next;
    rest = std::exchange(next, rest % next);
    before = std::exchange(factor, before - static_cast<std::int64_t>(quotient) * factor);
  }
  return factor < 0 ? prime - static_cast<std::uint64_t>(-factor) : static_cast<std::uint64_t>(factor);
}

std::uint64_t word_prime(std::size_t index) {
  // All primes of the form 2^60 - k down to the last one; computing them takes a tenth of a small exact
  // solve.
  constexpr std::array<std::uint16_t, 64> below = {
      93,   107,  173,  179,  257,  279,  369,  395,  399,  453,  557,  579,  629,  669,  695,  707,
      717,  725,  753,  777,  797,  879,  933,  983,  999,  1127, 1137, 1187, 1199, 1293, 1319, 1329,
      1449, 1473, 1503, 1505, 1577, 1589, 1655, 1659, 1707, 1763, 1809, 1815, 1829, 1875, 1949, 2019,
      2043, 2063, 2127, 2147, 2165, 2189, 2235, 2259, 2285, 2385, 2457, 2463, 2529, 2559, 2565, 2687};
  return (std::uint64_t{1} << 60) - below.at(index);
}

std::vector<std::uint64_t> residues(std::span<const Integer> values, std::uint64_t prime) {
  std::vector<std::uint64_t> result(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) result[k] = mpz_fdiv_ui(values[k].backend().data(), prime);
  return result;
}

std::optional<std::vector<std::uint64_t>> inverse_modulo(std::vector<std::uint64_t> matrix, std::size_t k,
                                                         std::uint64_t prime, const Budget& budget) {
  // Gauss-Jordan in place: after step s, column s holds the s-th column of the accumulated inverse.
  std::vector<std::size_t> swapped(k);
  for (std::size_t s = 0; s < k; ++s) {
    if (s % 16 == 0) budget.poll();
    std::size_t pivot = s;
    while (pivot < k && matrix[pivot * k + s] == 0) ++pivot;
    if (pivot == k) return std::nullopt;
    swapped[s] = pivot;
    std::uint64_t* row = matrix.data() + s * k;
    if (pivot != s) std::swap_ranges(row, row + k, matrix.data() + pivot * k);
    const FixedMultiplier scale(inverse_of(row[s], prime), prime);
    row[s] = 1;
    for (std::size_t j = 0; j < k; ++j) row[j] = scale.times(row[j]);
    for (std::size_t r = 0; r < k; ++r) {
      std::uint64_t* other = matrix.data() + r * k;
      if (r == s || other[s] == 0) continue;
      const std::uint64_t factor = std::exchange(other[s], 0);
      eliminate(other, row, 0, k, factor, prime);
    }
  }
  for (std::size_t s = k; s-- > 0;) {
    if (swapped[s] == s) continue;
    for (std::size_t r = 0; r < k; ++r) std::swap(matrix[r * k + s], matrix[r * k + swapped[s]]);
  }
  return matrix;
}

std::vector<std::size_t> independent_positions(std::vector<std::uint64_t> gram, std::size_t k,
                                               std::uint64_t prime, const Budget& budget) {
  std::vector<std::size_t> kept;
  for (std::size_t s = 0; s < k; ++s) {
    if (s % 16 == 0) budget.poll();
    const std::uint64_t* row = gram.data() + s * k;
    // The leading principal minor of kept + {s} is the product of the pivots: non-zero modulo prime proves
    // it.
    if (row[s] == 0) continue;
    kept.push_back(s);
    const FixedMultiplier inverse(inverse_of(row[s], prime), prime);
    for (std::size_t r = s + 1; r < k; ++r) {
      std::uint64_t* other = gram.data() + r * k;
      if (other[s] != 0) eliminate(other, row, s, k, inverse.times(other[s]), prime);
    }
  }
  return kept;
}

}  // namespace attest
