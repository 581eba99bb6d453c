// Words four side by side, and products of their halves: one instruction of AVX2 each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace attest_check {

inline constexpr std::size_t lanes = 4;
typedef std::int64_t Lanes __attribute__((vector_size(lanes * sizeof(std::int64_t))));

inline Lanes load(const std::int64_t* from) {
  Lanes x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

inline void store(std::int64_t* to, const Lanes& x) {
  std::memcpy(to, &x, sizeof x);
}

// sum += a b, of the low halves of both as signed numbers: one instruction, which GCC has to be told.
inline void add_products(Lanes& sum, const Lanes& a, const Lanes& b) {
#if defined(__AVX2__) && !defined(__clang__)
  typedef int Halves __attribute__((vector_size(lanes * sizeof(std::int64_t))));
  sum += reinterpret_cast<Lanes>(
      __builtin_ia32_pmuldq256(reinterpret_cast<Halves>(a), reinterpret_cast<Halves>(b)));
#else
  sum += ((a << 32) >> 32) * ((b << 32) >> 32);
#endif
}

}  // namespace attest_check
