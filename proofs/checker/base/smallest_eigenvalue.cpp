// Proof that a Gram matrix has no eigenvalue below a bound: see smallest_eigenvalue.hpp.
//
// Notation: b = bits; every vector is scaled by a power of two to norm at most 1; A = 2^2b (P G P - bound
// P^2), P the diagonal matrix of those powers, is approximated by integers with errors at most E 2^b; L has
// integer entries, and A - reserve I = L L' + R with |R_ij| <= 2^b off and 2^(b+1) on the diagonal. So
// reserve = (k (E + 1) + 2) 2^b bounds the infinity norm of everything neglected, and A is positive
// semidefinite once the factorisation exists.
#include "proofs/checker/base/smallest_eigenvalue.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/base/scaled_matrix.hpp"

namespace attest_check {
namespace {

__extension__ typedef __int128 DoubleWord;

constexpr std::size_t rows_together = 64;        // of a factorisation
constexpr std::size_t least_products = 1 << 15;  // of words, a part of them

// Machine words hold every number when b is three less than their width: 29 with words of 32 bits and sums of
// 64, 61 with words of 64 and sums of 128. prove() refuses factors with more than 2^(b+4) coordinates, so a
// vector xhat of norm 2^(b+1) rounded to integers has a norm below `longest`, and by Cauchy-Schwarz so large
// is every sum of products of two rows, over any of the coordinates. Entries of the matrix are products of
// two p, shifted down by at most unit^2, and a row's sums in the factorisation are at most unit^2 (checked
// there).
template <class Word, class Wide>
struct Machine {
  static constexpr unsigned bits = 8 * sizeof(Word) - 3;
  static constexpr Wide most_word = std::numeric_limits<Word>::max();
  static constexpr Wide most_wide = ((Wide{1} << (8 * sizeof(Wide) - 2)) - 1) * 2 + 1;
  static constexpr Wide unit = Wide{1} << bits;
  static constexpr unsigned column_bits = bits + 4;  // at most 2^column_bits coordinates
  static constexpr Wide longest = 2 * unit + (Wide{1} << (column_bits / 2 + 1)) / 2;
  static constexpr Wide most_product = longest * longest / (4 * unit) + 1;  // |p|
  static_assert(sizeof(Wide) == 2 * sizeof(Word));
  static_assert(longest <= most_word, "a coordinate of xhat fits a word");
  static_assert(longest <= most_wide / longest, "a sum of products of two xhat fits a wide word");
  static_assert(most_product <= most_wide / most_product, "a product of two p fits a wide word");
  static_assert(unit <= most_wide / unit / 4, "twice a checked norm fits a wide word");
  static_assert(most_product * most_product <= most_wide - 2 * unit * unit,
                "an entry, less its shift and the sum of a row, fits a wide word");
};
using ShortWords = Machine<std::int32_t, std::int64_t>;
using LongWords = Machine<std::int64_t, DoubleWord>;

template <class Wide, class Word>
Wide sum_of_products(const Word* x, const Word* y, std::size_t count) {
  if constexpr (std::is_same_v<Word, Integer>) return dot(x, y, count);
  Wide sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += Wide{x[k]} * y[k];
  return sum;
}

// The same number in the other type, which holds it: the ranges above say so, and here it is checked.
template <class To>
To convert(const Integer& value) {
  if constexpr (std::is_same_v<To, Integer>) {
    return value;
  } else {
    if (bit_length(value) >= 8 * sizeof(To)) too_large("a number beyond the words of a factorisation");
    To magnitude = 0;
    mpz_export(&magnitude, nullptr, -1, sizeof magnitude, 0, 0, value.get_mpz_t());
    return value < 0 ? -magnitude : magnitude;
  }
}

// floor(sqrt x) of x >= 0.
template <class Wide>
Integer root_below(const Wide& x) {
  if constexpr (std::is_same_v<Wide, Integer>) {
    return sqrt(x);
  } else {
    Integer value;
    mpz_import(value.get_mpz_t(), 1, -1, sizeof x, 0, 0, &x);
    return sqrt(value);
  }
}

// The least a with norm_squared <= 4^a denominator^2; norm_squared > 0.
long norm_exponent(const Integer& norm_squared, const Integer& denominator) {
  const Integer square = denominator * denominator;
  const auto holds = [&](long a) { return norm_squared <= scale_by_power_of_two(square, 2 * a); };
  long a = (static_cast<long>(bit_length(norm_squared)) - static_cast<long>(bit_length(square))) / 2 + 2;
  while (holds(a - 1)) --a;
  return a;
}

// The least s with s^2 >= x.
Integer sqrt_ceil(const Integer& x) {
  const Integer root = sqrt(x);
  return root * root == x ? root : Integer(root + 1);
}

// A factor with its rows scaled to norm at most 1 and rounded to bits + 1 fractional bits.
template <class Word, class Wide>
class RoundedFactor {
 public:
  RoundedFactor(const GramFactor& factor, unsigned bits) : factor_(&factor), bits_(bits) {
    columns_ = factor.rows.empty() ? 0 : factor.rows.front().size();
    words_.resize(factor.rows.size() * columns_);
    const long fraction = static_cast<long>(bits) + 1;
    for (std::size_t r = 0; r < factor.rows.size(); ++r) {
      const std::vector<Integer>& row = factor.rows[r];
      const Integer norm_squared = dot(row.data(), row.data(), columns_);
      if (norm_squared == 0) return;
      const long a = norm_exponent(norm_squared, factor.denominator);
      exponent_.push_back(a);
      const Rational scale = scale_by_power_of_two(1, fraction - a) / factor.denominator;
      for (std::size_t k = 0; k < columns_; ++k) {
        const Integer twice = 2 * row[k] * scale.get_num() + scale.get_den();
        words_[r * columns_ + k] = convert<Word>(divide_floor(twice, 2 * scale.get_den()));
      }
    }
  }

  // No row is zero.
  bool positive() const { return exponent_.size() == factor_->rows.size(); }
  // Vector i was divided by 2^exponent(i).
  long exponent(std::size_t i) const { return exponent_[factor_->index[i]]; }
  std::size_t columns() const { return columns_; }
  // Makes product(j) available for all j <= i: the inner product of vectors i and j, rounded down to `bits`
  // bits.
  void prepare(std::size_t i) {
    needed_ = std::max(needed_, factor_->index[i] + 1);
    if (current_ != factor_->index[i]) products_.clear();
    current_ = factor_->index[i];
    for (std::size_t r = products_.size(); r < needed_; ++r) {
      products_.push_back(
          Wide(sum_of_products<Wide>(&words_[current_ * columns_], &words_[r * columns_], columns_) >>
               (bits_ + 2)));
    }
  }
  const Wide& product(std::size_t j) const { return products_[factor_->index[j]]; }

 private:
  const GramFactor* factor_;
  unsigned bits_;
  std::size_t columns_ = 0;
  std::vector<Word> words_;
  std::vector<long> exponent_;
  std::size_t current_ = SIZE_MAX, needed_ = 0;
  std::vector<Wide> products_;
};

// Row-oriented Cholesky factorisation in integers of matrix - reserve I.
template <class Word, class Wide>
class Factorisation {
 public:
  Factorisation(std::size_t size, unsigned bits)
      : unit_(Wide(1) << bits), unit_squared_(unit_ * unit_), words_(size * (size + 1) / 2) {}

  // entries[j] = matrix entry (i, j), already less the reserve on the diagonal, each at most unit^2
  // (diagonal) or twice that (off it) in magnitude, and how far they are made entries of L.
  struct Row {
    std::vector<Wide> entries;
    Wide norm = 0;
    std::size_t column = 0;
    bool fine = true;
  };

  // Takes row i through all columns of rows that are appended, several rows at the same time on threads of
  // their own. False when an entry is too large. By Cauchy-Schwarz every partial sum below is at most unit^2,
  // because row norms are kept at most unit^2.
  bool reduce(std::size_t i, Row& at) {
    for (; at.fine && at.column < done_; ++at.column) {
      at.entries[at.column] -= sum_of_products<Wide>(row(i), row(at.column), at.column);
      at.fine = set(i, at.column, at.entries[at.column], at.norm);
    }
    return at.fine;
  }

  // Appends the next row. False when its pivot fails, too.
  bool append(Row& at) {
    if (!reduce(done_, at)) return false;
    at.entries[done_] -= at.norm;
    if (at.entries[done_] <= 0) return false;
    row(done_)[done_] = convert<Word>(root_below(at.entries[done_]));
    ++done_;
    return true;
  }

 private:
  Word* row(std::size_t i) { return words_.data() + i * (i + 1) / 2; }

  // l_ij = value / l_jj, rounded towards zero.
  bool set(std::size_t i, std::size_t j, const Wide& value, Wide& norm) {
    const Wide quotient = value / row(j)[j];
    if (quotient > unit_ || quotient < -unit_) return false;
    row(i)[j] = static_cast<Word>(quotient);
    norm += quotient * quotient;
    return norm <= unit_squared_;
  }

  std::size_t done_ = 0;
  Wide unit_, unit_squared_;
  std::vector<Word> words_;
};

template <class Word, class Wide>
bool prove(const std::vector<GramFactor>& factors, const Rational& bound, unsigned bits) {
  const std::size_t size = factors.front().index.size();
  std::vector<RoundedFactor<Word, Wide>> rounded;
  Integer error = -1, product = 1;  // E = sum of h + (number of factors - 1)
  for (const GramFactor& factor : factors) {
    rounded.emplace_back(factor, bits);
    if (!rounded.back().positive()) return false;
    const Integer columns(static_cast<unsigned long>(rounded.back().columns()));
    const Integer root = sqrt_ceil(columns);
    const Integer h = (root + 1) / 2 + 2;
    if (root * root > power_of_two(bits + 4)) return false;
    error += h + 1;
    product *= h;
  }
  const Integer reserve_units = Integer(static_cast<unsigned long>(size)) * (error + 1) + 2;
  if (product > power_of_two(bits) || reserve_units >= power_of_two(bits)) return false;
  const Integer reserve = reserve_units * power_of_two(bits);
  const Integer limit = power_of_two(2 * static_cast<std::size_t>(bits));

  const Wide unit = Wide(1) << bits;
  Factorisation<Word, Wide> factorisation(size, bits);
  std::vector<typename Factorisation<Word, Wide>::Row> block;
  for (std::size_t i = 0; i < size; ++i) {
    long exponent = 0;
    for (auto& factor : rounded) {
      factor.prepare(i);
      exponent += factor.exponent(i);
    }
    std::vector<Wide>& row = block.emplace_back().entries;
    row.resize(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      row[j] = rounded[0].product(j) * (rounded.size() == 2 ? rounded[1].product(j) : unit);
    }
    // ceil(2^2b bound / 4^exponent)
    const Rational shifted = bound * scale_by_power_of_two(1, 2 * (static_cast<long>(bits) - exponent));
    const Integer shift = divide_ceil(shifted.get_num(), shifted.get_den()) + reserve;
    if (shift > limit) return false;
    row[i] -= convert<Wide>(shift);
    if (block.size() < rows_together && i + 1 < size) continue;
    const std::size_t first = i + 1 - block.size();
    in_parts(block.size(), least_products / (first * first / 2 + 1) + 1,
             [&](std::size_t begin, std::size_t end) {
               for (std::size_t r = begin; r < end; ++r) factorisation.reduce(first + r, block[r]);
             });
    for (auto& next : block)
      if (!factorisation.append(next)) return false;
    block.clear();
  }
  return true;
}

}  // namespace

bool smallest_eigenvalue_at_least(const std::vector<GramFactor>& factors, const Rational& bound,
                                  unsigned bits) {
  const std::size_t size = factors.front().index.size();
  const auto require_room = [size](std::size_t limbs) {
    const std::string what = "a factorisation of " + std::to_string(size) + " rows";
    if (size > (1UL << 20) || size * size / 2 * limbs > max_table_limbs)
      too_large(what + " takes too much memory");
    require_memory(size * size / 2 * limbs * sizeof(mp_limb_t), what);
  };
  // Machine words prove most bounds in a fraction of the time and memory; a proof with any number of bits is
  // one.
  require_room(1);
  if (prove<std::int32_t, std::int64_t>(factors, bound, ShortWords::bits)) return true;
  if (bits <= ShortWords::bits) return false;
  require_room(2);
  if (prove<std::int64_t, DoubleWord>(factors, bound, LongWords::bits)) return true;
  if (bits <= LongWords::bits) return false;
  require_room(bits / GMP_NUMB_BITS + 5);
  return prove<Integer, Integer>(factors, bound, bits);
}

}  // namespace attest_check
