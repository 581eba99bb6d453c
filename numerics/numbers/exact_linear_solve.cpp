#include "numerics/numbers/exact_linear_solve.hpp"

#include <gmp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "numerics/numbers/modular_matrix.hpp"
#include "numerics/numbers/rational_reconstruction.hpp"

namespace attest {
namespace {

__extension__ using Wide = unsigned __int128;

std::size_t bits_of(const Integer& value) {
  return mpz_sizeinbase(value.backend().data(), 2);
}

std::size_t greatest_bits(std::span<const Integer> values) {
  std::size_t bits = 1;
  for (const Integer& value : values) bits = std::max(bits, bits_of(value));
  return bits;
}

// The matrix in base 2^56, every entry made non-negative by adding offset = 2^bits, so that 128-bit
// accumulators take 2048 products with a 60-bit digit and rows of A x come from (A + offset J) x - offset
// sum(x).
constexpr unsigned kDigitBits = 56;
constexpr std::uint64_t kDigitMask = (std::uint64_t{1} << kDigitBits) - 1;
constexpr std::size_t kBlock = 2048;

class LiftingMatrix {
 public:
  LiftingMatrix(const std::vector<Integer>& matrix, std::size_t k) : k_(k) {
    bits_ = greatest_bits(matrix);
    digits_ = (bits_ + 1) / kDigitBits + 1;
    values_.assign(k * k * digits_, 0);
    const Integer offset = Integer(1) << static_cast<unsigned long>(bits_);
    for (std::size_t row = 0; row < k; ++row) {
      for (std::size_t column = 0; column < k; ++column) {
        const Integer entry = matrix[row * k + column] + offset;
        for (std::size_t digit = 0; digit < digits_; ++digit) {
          values_[(row * digits_ + digit) * k + column] = extract(entry.backend().data(), digit);
        }
      }
    }
  }

  // Limbs that hold any row of A x (x < 2^60 entrywise) and the running residual, with sign.
  std::size_t residual_limbs() const { return (digits_ * kDigitBits + 64 + 64) / 64 + 1; }

  // into (limbs two's complement) -= row `row` of A x; `sum` is the sum of x.
  void subtract_product(std::size_t row, const std::vector<std::uint64_t>& x, Wide sum, mp_limb_t* into,
                        std::size_t limbs) const {
    for (std::size_t begin = 0; begin < k_; begin += kBlock) {
      const std::size_t end = std::min(k_, begin + kBlock);
      for (std::size_t digit = 0; digit < digits_; ++digit) {
        const std::uint64_t* value = values_.data() + (row * digits_ + digit) * k_;
        subtract_shifted(into, limbs, inner_product(value, x.data(), begin, end), digit * kDigitBits);
      }
    }
    add_shifted(into, limbs, sum, bits_);
  }

 private:
  static Wide inner_product(const std::uint64_t* value, const std::uint64_t* x, std::size_t begin,
                            std::size_t end) {
    Wide even = 0;
    Wide odd = 0;
    std::size_t j = begin;
    for (; j + 4 <= end; j += 4) {
      even += static_cast<Wide>(value[j]) * x[j];
      odd += static_cast<Wide>(value[j + 1]) * x[j + 1];
      even += static_cast<Wide>(value[j + 2]) * x[j + 2];
      odd += static_cast<Wide>(value[j + 3]) * x[j + 3];
    }
    for (; j < end; ++j) even += static_cast<Wide>(value[j]) * x[j];
    return even + odd;
  }

  static std::uint64_t extract(mpz_srcptr value, std::size_t digit) {
    const std::size_t bit = digit * kDigitBits;
    const auto limb = static_cast<mp_size_t>(bit / 64);
    const unsigned shift = bit % 64;
    std::uint64_t low = mpz_getlimbn(value, limb) >> shift;
    if (shift != 0) low |= mpz_getlimbn(value, limb + 1) << (64 - shift);
    return low & kDigitMask;
  }

  struct Shifted {
    mp_limb_t limb[3];
    std::size_t at;
  };
  static Shifted shifted(Wide value, std::size_t bit) {
    const unsigned shift = bit % 64;
    const auto low = static_cast<mp_limb_t>(value);
    const auto high = static_cast<mp_limb_t>(value >> 64);
    if (shift == 0) return {{low, high, 0}, bit / 64};
    return {{low << shift, (high << shift) | (low >> (64 - shift)), high >> (64 - shift)}, bit / 64};
  }
  static void subtract_shifted(mp_limb_t* into, std::size_t limbs, Wide value, std::size_t bit) {
    const Shifted term = shifted(value, bit);
    const auto size = static_cast<mp_size_t>(limbs - term.at);
    mpn_sub(into + term.at, into + term.at, size, term.limb, std::min<mp_size_t>(3, size));
  }
  static void add_shifted(mp_limb_t* into, std::size_t limbs, Wide value, std::size_t bit) {
    const Shifted term = shifted(value, bit);
    const auto size = static_cast<mp_size_t>(limbs - term.at);
    mpn_add(into + term.at, into + term.at, size, term.limb, std::min<mp_size_t>(3, size));
  }

  std::size_t k_;
  std::size_t bits_ = 1;
  std::size_t digits_ = 1;
  std::vector<std::uint64_t> values_;
};

// Two's complement division by an odd word that divides the value exactly, modulo 2^(64 limbs) (Jebelean).
void divide_exactly(mp_limb_t* value, std::size_t limbs, std::uint64_t divisor, std::uint64_t inverse) {
  std::uint64_t borrow = 0;
  for (std::size_t l = 0; l < limbs; ++l) {
    const std::uint64_t current = value[l];
    const std::uint64_t difference = current - borrow;
    const std::uint64_t quotient = difference * inverse;
    value[l] = quotient;
    borrow = static_cast<std::uint64_t>((static_cast<Wide>(quotient) * divisor) >> 64) +
             (current < borrow ? 1 : 0);
  }
}

// The residue in [0, prime) of a two's complement value, prime < 2^60; radix[l] = 2^(64 l) modulo prime.
std::uint64_t residue(const mp_limb_t* value, std::size_t limbs, const std::vector<std::uint64_t>& radix,
                      std::uint64_t prime) {
  Wide sum = 0;
  for (std::size_t l = 0; l < limbs; ++l) {
    sum += static_cast<Wide>(value[l]) * radix[l];
    if (l % 8 == 7) sum %= prime;
  }
  if ((value[limbs - 1] >> 63) != 0) sum += prime - radix[limbs];
  return static_cast<std::uint64_t>(sum % prime);
}

// log2 |det A| of a symmetric positive definite matrix, from a floating elimination: a guess that only places
// the first reconstruction attempt.
double approx_log2_determinant(const std::vector<Integer>& matrix, std::size_t k) {
  std::vector<double> value(k * k);
  std::vector<long> exponent(k);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    long power = 0;
    mpz_get_d_2exp(&power, matrix[j * k + j].backend().data());
    exponent[j] = power;
    sum += static_cast<double>(power);
  }
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t j = 0; j <= r; ++j) {
      long power = 0;
      const double mantissa = mpz_get_d_2exp(&power, matrix[r * k + j].backend().data());
      const double centre = 0.5 * static_cast<double>(exponent[r] + exponent[j]);
      value[r * k + j] = mantissa * std::exp2(static_cast<double>(power) - centre);
    }
  }
  for (std::size_t s = 0; s < k; ++s) {
    double* row = value.data() + s * k;
    for (std::size_t j = 0; j < s; ++j) {
      double entry = row[j];
      const double* other = value.data() + j * k;
      for (std::size_t l = 0; l < j; ++l) entry -= row[l] * other[l];
      row[j] = entry / other[j];
    }
    double pivot = row[s];
    for (std::size_t l = 0; l < s; ++l) pivot -= row[l] * row[l];
    pivot = std::max(pivot, 1e-16);
    sum += std::log2(pivot);
    row[s] = std::sqrt(pivot);
  }
  return sum;
}

class PadicLifting {
 public:
  PadicLifting(const std::vector<Integer>& matrix, std::span<const Integer> right_side,
               std::vector<std::uint64_t> inverse, std::uint64_t prime)
      : k_(right_side.size()),
        matrix_(matrix, k_),
        inverse_(std::move(inverse)),
        prime_(prime),
        limbs_(matrix_.residual_limbs()),
        reduced_(k_),
        step_(k_) {
    const std::size_t right_bits = greatest_bits(right_side);
    overhead_ = greatest_bits(matrix) + right_bits + static_cast<std::size_t>(std::bit_width(k_)) + 2;
    limbs_ = std::max(limbs_, right_bits / 64 + 2);
    residual_.assign(k_ * limbs_, 0);
    for (std::size_t row = 0; row < k_; ++row) {
      const auto* raw = right_side[row].backend().data();
      mp_limb_t* limb = residual_.data() + row * limbs_;
      std::copy_n(mpz_limbs_read(raw), mpz_size(raw), limb);
      if (mpz_sgn(raw) < 0) mpn_neg(limb, limb, static_cast<mp_size_t>(limbs_));
    }
    word_inverse_ = 1;
    for (int round = 0; round < 6; ++round) word_inverse_ *= 2 - prime_ * word_inverse_;
    radix_.resize(limbs_ + 1);
    radix_[0] = 1;
    const auto word = static_cast<std::uint64_t>((static_cast<Wide>(1) << 64) % prime_);
    for (std::size_t l = 1; l <= limbs_; ++l) {
      radix_[l] = static_cast<std::uint64_t>(static_cast<Wide>(radix_[l - 1]) * word % prime_);
    }
  }

  std::size_t digits() const { return steps_; }

  // One more digit of every entry: x = A^-1 r mod p, r <- (r - A x) / p.
  void lift() {
    for (std::size_t row = 0; row < k_; ++row) {
      reduced_[row] = residue(residual_.data() + row * limbs_, limbs_, radix_, prime_);
    }
    for (std::size_t row = 0; row < k_; ++row) {
      const std::uint64_t* line = inverse_.data() + row * k_;
      Wide sum = 0;
      for (std::size_t begin = 0; begin < k_; begin += 128) {
        const std::size_t end = std::min(k_, begin + 128);
        for (std::size_t j = begin; j < end; ++j) sum += static_cast<Wide>(line[j]) * reduced_[j];
        sum %= prime_;
      }
      step_[row] = static_cast<std::uint64_t>(sum);
    }
    Wide sum = 0;
    for (const std::uint64_t digit : step_) sum += digit;
    for (std::size_t row = 0; row < k_; ++row) {
      mp_limb_t* limb = residual_.data() + row * limbs_;
      matrix_.subtract_product(row, step_, sum, limb, limbs_);
      divide_exactly(limb, limbs_, prime_, word_inverse_);
    }
    digits_.insert(digits_.end(), step_.begin(), step_.end());
    ++steps_;
  }

  // n and q with |A n - q right_side| < p^m and A n = q right_side modulo p^m: the exact solution. q comes
  // from entries modulo p^digits(); with it, about half of the digits settle each numerator.
  std::optional<SharedVector> solution(const Budget& budget) const {
    const std::vector<Integer> powers = squarings();
    SharedVector solution;
    solution.numerator.resize(k_);
    std::size_t used = digits_enough(0);
    Integer modulus = pow(Integer(prime_), static_cast<unsigned>(used));
    for (std::size_t j = 0, settled = 0; settled < k_;) {
      budget.poll();
      solution.numerator[j] = scaled(j, solution.denominator, used, modulus, powers);
      if (fits(solution.numerator[j], modulus) && fits(solution.denominator, modulus)) {
        j = (j + 1) % k_;
        ++settled;
        continue;
      }
      const std::optional<Integer> factor = missing_factor(j, solution.denominator, powers);
      if (!factor || (*factor == 1 && used == steps_)) return std::nullopt;
      solution.denominator *= *factor;
      used = *factor == 1 ? steps_ : std::max(used, digits_enough(bits_of(solution.denominator)));
      modulus = pow(Integer(prime_), static_cast<unsigned>(used));
      settled = 0;
    }
    remove_content(solution, budget);
    return solution;
  }

 private:
  // p^(2^level) for every level that from_digits asks for.
  std::vector<Integer> squarings() const {
    std::vector<Integer> powers{Integer(prime_)};
    while ((std::size_t{1} << powers.size()) < steps_) powers.push_back(powers.back() * powers.back());
    return powers;
  }

  // So many that a denominator of so many bits, and numerators somewhat longer, satisfy the bound above.
  std::size_t digits_enough(std::size_t bits) const {
    return std::min(steps_, (bits + overhead_ + 128) / (std::bit_width(prime_) - 1) + 1);
  }

  bool fits(const Integer& value, const Integer& modulus) const {
    return bits_of(value) + overhead_ < bits_of(modulus);
  }

  // Value of the p-adic digits first .. first + count of one entry, least significant first.
  Integer from_digits(std::size_t entry, std::size_t first, std::size_t count,
                      const std::vector<Integer>& powers) const {
    if (count <= 8) {
      Integer value = 0;
      for (std::size_t digit = first + count; digit-- > first;) {
        value *= prime_;
        value += digits_[digit * k_ + entry];
      }
      return value;
    }
    const auto level = static_cast<std::size_t>(std::bit_width(count - 1)) - 1;  // largest 2^level < count
    const std::size_t half = std::size_t{1} << level;
    return from_digits(entry, first, half, powers) +
           powers[level] * from_digits(entry, first + half, count - half, powers);
  }

  // denominator * entry modulo p^used, of least absolute value.
  Integer scaled(std::size_t entry, const Integer& denominator, std::size_t used, const Integer& modulus,
                 const std::vector<Integer>& powers) const {
    Integer value = denominator * from_digits(entry, 0, used, powers) % modulus;
    if (2 * value > modulus) value -= modulus;
    return value;
  }

  // What `denominator` lacks to be the entry's, too.
  std::optional<Integer> missing_factor(std::size_t entry, const Integer& denominator,
                                        const std::vector<Integer>& powers) const {
    const Integer modulus = pow(Integer(prime_), static_cast<unsigned>(steps_));
    const Integer value = denominator * from_digits(entry, 0, steps_, powers) % modulus;
    return reconstruct_denominator(value, modulus);
  }

  static void remove_content(SharedVector& solution, const Budget& budget) {
    Integer content = solution.denominator;
    for (const Integer& numerator : solution.numerator) {
      budget.poll();
      if (content == 1) return;
      content = gcd(content, numerator);
    }
    if (content == 1) return;
    solution.denominator /= content;
    for (Integer& numerator : solution.numerator) numerator /= content;
  }

  std::size_t k_;
  LiftingMatrix matrix_;
  std::vector<std::uint64_t> inverse_;
  std::uint64_t prime_;
  std::uint64_t word_inverse_ = 1;
  std::size_t overhead_ = 0;  // bits of |A n - q right_side| beyond those of n and q
  std::size_t limbs_;
  std::vector<mp_limb_t> residual_;
  std::vector<std::uint64_t> radix_;
  std::vector<std::uint64_t> reduced_;
  std::vector<std::uint64_t> step_;
  std::vector<std::uint64_t> digits_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<SharedVector> solve_exactly(const std::vector<Integer>& matrix,
                                          std::span<const Integer> right_side, const Budget& budget) {
  const std::size_t k = right_side.size();
  if (k == 0) return SharedVector{};
  std::optional<std::vector<std::uint64_t>> inverse;
  std::uint64_t prime = 0;
  for (std::size_t trial = 0; trial < 4 && !inverse; ++trial) {
    prime = word_prime(trial);
    inverse = inverse_modulo(residues(matrix, prime), k, prime, budget);
  }
  if (!inverse) return std::nullopt;

  const auto matrix_bits = static_cast<double>(greatest_bits(matrix));
  const auto right_bits = static_cast<double>(greatest_bits(right_side));
  const double determinant_bits = approx_log2_determinant(matrix, k);
  const auto expected = static_cast<std::size_t>(
      std::max(2.0, 2 * (determinant_bits + right_bits) / 60 + 2 + matrix_bits / 60));
  // Solutions much simpler than the determinant (duplicate columns) are caught by early attempts, which cost
  // little.
  const std::size_t attempts[] = {expected / 16 + 8, expected / 4 + 8, expected};
  std::size_t next = 0;
  PadicLifting lifting(matrix, right_side, std::move(*inverse), prime);
  for (;;) {
    const std::size_t attempt =
        next < std::size(attempts) ? attempts[next++] : lifting.digits() + lifting.digits() / 8 + 1;
    while (lifting.digits() < attempt) {
      budget.poll();
      lifting.lift();
    }
    if (auto solution = lifting.solution(budget)) return solution;
  }
}

double predicted_solve_seconds(std::size_t k, std::size_t bits) {
  const auto order = static_cast<double>(k);
  const double digits = 2 * 0.9 * order * static_cast<double>(bits) / 60 + 8;
  const double words = static_cast<double>(bits) / 56 + 2;
  return 2e-9 * order * order * order + digits * order * order * words * 6e-10;
}

}  // namespace attest
