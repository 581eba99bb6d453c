// The groups that take part in a run, what distances need of them, and the norm of a gradient in T1's form.
#pragma once

#include <vector>

#include "proofs/checker/interval.hpp"
#include "proofs/checker/problem.hpp"

namespace attest_check {

struct RunGroups {
  explicit RunGroups(const Features& of);

  const Features& features;
  std::vector<std::size_t> active;         // groups with more than one token
  std::vector<std::vector<Integer>> gram;  // z_i.z_j of active groups, over the queries' denominator squared
  std::vector<std::vector<std::vector<Interval>>> reach;  // upper bounds of ||a_it - a_is||
};

// Encloses ||sum_i sum_t omega_it (a_i,reference - a_it)||; the reference's own weight is not used.
Interval velocity_norm(const RunGroups& groups, const std::vector<std::size_t>& reference,
                       const std::vector<std::vector<Interval>>& omega, unsigned bits);

// sum += a b.
inline void add_product(Integer& sum, const Integer& a, const Integer& b) {
  mpz_addmul(sum.get_mpz_t(), a.get_mpz_t(), b.get_mpz_t());
}

// A positive integer to divide by, quickly when it is a power of two.
class Divisor {
 public:
  explicit Divisor(const Integer& value) : value_(value) {
    if (mpz_popcount(value.get_mpz_t()) == 1) shift_ = mpz_scan1(value.get_mpz_t(), 0);
  }
  // x = floor(x / value).
  void divide(Integer& x) const {
    if (shift_ > 0) {
      mpz_fdiv_q_2exp(x.get_mpz_t(), x.get_mpz_t(), shift_);
    } else if (value_ != 1) {
      mpz_fdiv_q(x.get_mpz_t(), x.get_mpz_t(), value_.get_mpz_t());
    }
  }

 private:
  Integer value_;
  mp_bitcnt_t shift_ = 0;
};

}  // namespace attest_check
