// The Jacobian bound: tokens less their mean by the softmax. See step_growth.hpp.
#include <algorithm>

#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/runs/step_growth.hpp"

namespace attest_check {

void StepGrowth::for_parts(const std::function<void(std::size_t begin, std::size_t end)>& work) const {
  constexpr std::size_t least_numbers = 1 << 14;  // of the data, a part: some 50 microseconds
  const std::size_t numbers = rows_ * left_ / std::max<std::size_t>(groups_.size(), 1);
  in_parts(groups_.size(), least_numbers / (numbers + 1) + 1, work);
}

// x~_t = x_t - sum_s s_s x_s, and its norm.
//
// Lemma G2 (centred tokens). x~ is off by E_x = share_error T + centring_error sqrt d: share_error an s_s
// with ||x_s|| <= 1; 2 sqrt d each from the tokens and in the mean, sqrt d from the shift. ||x~||^2 is at
// most the computed one plus 3 E_x and one unit.
void StepGrowth::centre(const GrowthPoint& point) {
  for_parts([&](std::size_t begin, std::size_t end) {
    std::vector<WideWord> mean(left_);
    std::vector<Word> room;
    for (std::size_t i = begin; i < end; ++i) {
      const Group& group = groups_[i];
      const Word* origin = group.token.data() + point.reference[i] * left_;
      std::fill(mean.begin(), mean.end(), 0);
      for (std::size_t t = 0; t < group.tokens; ++t) {
        if (t == point.reference[i]) continue;
        const Word* x = group.token.data() + t * left_;
        for (std::size_t k = 0; k < left_; ++k)
          add_product(mean[k], point.share[group.first + t], x[k] - origin[k]);
      }
      for (std::size_t k = 0; k < left_; ++k) centre_[i * left_ + k] = origin[k] + word_down(mean[k]);
      const Word* x = centred_tokens(i, room);
      for (std::size_t t = 0; t < group.tokens; ++t) {
        const Word* row = x + t * left_;
        square_[group.first + t] = word_down(word_dot(row, row, left_)) + 1 + 3 * group.error;
      }
    }
  });
}

const Word* StepGrowth::centred_tokens(std::size_t i, std::vector<Word>& room) const {
  const Group& group = groups_[i];
  const Word* centre = centre_.data() + i * left_;
  room.resize(group.token.size());
  for (std::size_t t = 0; t < group.tokens; ++t) {
    for (std::size_t k = 0; k < left_; ++k) room[t * left_ + k] = group.token[t * left_ + k] - centre[k];
  }
  return room.data();
}

}  // namespace attest_check
