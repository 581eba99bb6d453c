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

}  // namespace attest_check
