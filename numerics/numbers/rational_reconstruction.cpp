#include "numerics/numbers/rational_reconstruction.hpp"

#include <gmp.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace attest {
namespace {

constexpr std::size_t kWord = 62;  // bits of the leading parts that steps are told from

// rest' = a rest + b next, next' = c rest + d next: several steps of Euclid's algorithm at once.
struct Steps {
  std::int64_t a = 1, b = 0, c = 0, d = 1;
};

// The steps that x / y's leading words decide whatever follows them (Knuth, algorithm L in 4.5.2).
Steps common_steps(std::int64_t x, std::int64_t y) {
  Steps s;
  while (y + s.c != 0 && y + s.d != 0) {
    const std::int64_t quotient = (x + s.a) / (y + s.c);
    if (quotient != (x + s.b) / (y + s.d)) break;
    s = {s.c, s.d, s.a - quotient * s.c, s.b - quotient * s.d};
    x = std::exchange(y, x - quotient * y);
  }
  return s;
}

void add_multiple(Integer& sum, const Integer& value, std::int64_t factor) {
  if (factor >= 0) {
    mpz_addmul_ui(sum.backend().data(), value.backend().data(), static_cast<std::uint64_t>(factor));
  } else {
    mpz_submul_ui(sum.backend().data(), value.backend().data(), static_cast<std::uint64_t>(-factor));
  }
}

// (first, second) <- s (first, second).
void apply(const Steps& s, Integer& first, Integer& second, Integer& scratch) {
  mpz_mul_si(scratch.backend().data(), first.backend().data(), s.a);
  add_multiple(scratch, second, s.b);
  mpz_mul_si(second.backend().data(), second.backend().data(), s.d);
  add_multiple(second, first, s.c);
  swap(first, scratch);
}

std::size_t length_of(const Integer& value) {
  return mpz_sizeinbase(value.backend().data(), 2);
}

std::int64_t leading(const Integer& value, std::size_t dropped) {
  Integer top;
  mpz_tdiv_q_2exp(top.backend().data(), value.backend().data(), dropped);
  return static_cast<std::int64_t>(mpz_get_ui(top.backend().data()));
}

}  // namespace

std::optional<Integer> reconstruct_denominator(const Integer& value, const Integer& modulus) {
  const Integer most = sqrt(Integer((modulus - 1) / 2));
  Integer rest = modulus, next = value, before = 0, factor = 1;  // next = factor * value modulo modulus
  Integer scratch;
  const std::size_t last = length_of(most) + kWord + 2;  // steps at once might pass the end below this
  while (next > most) {
    const std::size_t bits = length_of(rest);
    Steps steps;
    if (length_of(next) > last)
      steps = common_steps(leading(rest, bits - kWord), leading(next, bits - kWord));
    if (steps.b != 0) {
      apply(steps, rest, next, scratch);
      apply(steps, before, factor, scratch);
      continue;
    }
    const Integer quotient = rest / next;
    rest -= quotient * next;
    swap(rest, next);
    before -= quotient * factor;
    swap(before, factor);
  }
  Integer denominator = abs(factor);
  if (denominator > most || gcd(next, denominator) != 1) return std::nullopt;
  return denominator;
}

}  // namespace attest
