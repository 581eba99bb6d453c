// A head of several outputs at a point (DYNAMICS.md section 11): there it is the scalar head with the scores
// -sum_u pi_u c_tu and the slope sigma in the place of |l'|.
#pragma once

#include <string>
#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/problem/problem.hpp"

namespace attest_check {

struct OutputSlopes {
  Interval slope;               // sigma
  std::vector<Interval> share;  // pi_u >= 0: of a classifier their sum is 1, of units each is 0 or 1
};

// Thrown where a ReLU unit may be on its kink: with more precision it may not be.
struct OpenSign : Imprecise {
  OpenSign(std::size_t group_, std::size_t unit_) : group(group_), unit(unit_) {}
  std::size_t group, unit;
  std::size_t step = 0;  // of the run, where it is one
};

// c_au - c_bu for two present tokens of a group.
Interval output_difference(const Features& features, std::size_t group, std::size_t u, std::size_t a,
                           std::size_t b, unsigned bits);

// pi and sigma where the means are m_u.
OutputSlopes output_slopes(const Problem& problem, std::size_t group, const std::vector<Interval>& mean,
                           unsigned bits);

// The means m_u where `deficit` is c_reference,u - m_u.
std::vector<Interval> output_means(const Features& features, std::size_t group, std::size_t reference,
                                   const std::vector<Interval>& deficit, unsigned bits);

// f where all attention is on this token, of ReLU units.
Rational output_at(const Outputs& outputs, std::size_t group, std::size_t token);

// l(m) - l(c_selected), relatively accurate where m is near c_selected; `deficit` as above.
Interval output_excess(const Problem& problem, std::size_t group, std::size_t selected, std::size_t reference,
                       const std::vector<Interval>& deficit, unsigned bits);

}  // namespace attest_check
