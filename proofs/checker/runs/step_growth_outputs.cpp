// The Jacobian bound: what a classifier's outputs add. See step_growth.hpp.
#include <algorithm>

#include "proofs/checker/runs/step_growth.hpp"

namespace attest_check {
namespace {

constexpr long term_error = 7;  // of a share times an output, in units

}  // namespace

// Lemma G11 (outputs). ||B_i|| <= sum_u weight_u ||N_u||^2. s_t o_tu is off by term_error: share_error = 4 of
// s_t with |o_tu| <= 1, 2 of o_tu with s_t <= 1, and one for the shift; with ||x~|| <= 1 in sum by term_error
// T. sum_t s_t |o_tu| <= 1, so x~ counts with E_x; the sum is shifted once, one unit a coordinate. Together
// E_N = term_error T + E_x + sqrt d, doubled for the products of errors; E_x is so already. Of ||N^_u|| + E_N
// and `most` the smaller one is taken.
Interval StepGrowth::output_part(std::size_t i, const OutputBend& bend,
                                 const std::vector<Word>& share) const {
  const Group& group = groups_[i];
  std::vector<Word> room;
  const Word* centred = bend.weight.empty() ? nullptr : centred_tokens(i, room);
  Interval sum;
  std::vector<WideWord> total(left_);
  std::vector<Word> mean(left_);
  const long error = 2 * (term_error * static_cast<long>(group.tokens) + root_up(left_)) + 2 * group.error;
  for (std::size_t u = 0; u < bend.weight.size(); ++u) {
    const Word* difference = bend.difference.data() + u * group.tokens;
    std::fill(total.begin(), total.end(), 0);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      if (difference[t] == 0) continue;
      const Word part = product(share[group.first + t], difference[t]);
      const Word* x = centred + t * left_;
      for (std::size_t k = 0; k < left_; ++k) add_product(total[k], part, x[k]);
    }
    for (std::size_t k = 0; k < left_; ++k) mean[k] = word_down(total[k]);
    Word norm = word_root(word_dot(mean.data(), mean.data(), left_));
    add_word(norm, error);
    const Interval bound = units(norm), least = certainly_less(bound, bend.most) ? bound : bend.most;
    sum += bend.weight[u] * least * least;
  }
  return sum.upper_end();
}

// Of all groups together, by Lemma G6.
Interval StepGrowth::bound_left_out() const {
  std::vector<Word> bounds;
  for (const Interval& bound : left_out_) bounds.push_back(word_above(bound));
  return bound_by_groups(bounds);
}

}  // namespace attest_check
