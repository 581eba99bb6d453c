// The groups that take part in a run, what distances need of them, and the norm of a gradient in T1's form.
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/runs/word_sums.hpp"

namespace attest_check {

// Nothing here is kept for pairs of groups or of tokens: memory is linear in the instance.
struct RunGroups {
  explicit RunGroups(const Features& of);

  const Features& features;
  std::vector<std::size_t> active;    // groups with more than one different token
  std::vector<Integer> query_square;  // of them: ||z_i||^2, over the queries' denominator squared

  // Upper bounds of ||a_it - a_is|| for every token t, i the active group number a. Those of a group's last s
  // are kept, for s seldom changes.
  const std::vector<Interval>& reach(std::size_t a, std::size_t s) const;

 private:
  struct Kept {
    std::size_t from = 0;
    std::vector<Interval> reach;
  };
  mutable std::vector<Kept> kept_;  // of the active groups; empty at first
};

// Integer vectors V_i of the active groups, and the images of sum_i V_i z_i' under the queries: exact, over
// the queries' denominator squared. The products z_i.z_j are long numbers, and between many groups in few
// dimensions more than the queries have, so they are kept for few groups only; else the sum is made, row by
// row.
class QueryImages {
 public:
  explicit QueryImages(const RunGroups& groups);

  // image[a] = sum_b V_b z_b.z_a, for one row: the entries V_b of all active groups.
  struct Room {
    std::vector<Integer> sum;  // one row of the sum
    Digits digits;
  };
  void operator()(const std::vector<Integer>& row, std::vector<Integer>& image, Room& room) const;
  // At least max_a sum_b |z_a.z_b|: that, or where there are many groups a bound without their products.
  const Integer& largest_row() const { return largest_row_; }

 private:
  const RunGroups& groups_;
  std::vector<std::vector<Integer>> gram_;  // z_a.z_b, b <= a; empty when not kept
  WordTable queries_, transposed_;          // the active groups' z; empty where those are unit rows
  Integer largest_row_;
};

// Encloses ||sum_i sum_t omega_it (a_i,reference - a_it)||; the reference's own weight is not used.
Interval velocity_norm(const RunGroups& groups, const QueryImages& images,
                       const std::vector<std::size_t>& reference,
                       const std::vector<std::vector<Interval>>& omega, unsigned bits);

// sum += |a|.
inline void add_magnitude(Integer& sum, const Integer& a) {
  (sgn(a) < 0 ? mpz_sub : mpz_add)(sum.get_mpz_t(), sum.get_mpz_t(), a.get_mpz_t());
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
