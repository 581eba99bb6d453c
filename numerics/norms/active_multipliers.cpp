#include "numerics/norms/active_multipliers.hpp"

#include <utility>

namespace attest {

bool choose_again(std::vector<std::size_t>& active, std::vector<Ball>& multiplier,
                  const std::vector<Ball>& margin, const Ball& nearly_one) {
  std::vector<std::size_t> chosen;
  std::vector<Ball> value;
  bool changed = false;
  for (std::size_t c = 0, k = 0; c < margin.size(); ++c) {
    const bool was_active = k < active.size() && active[k] == c;
    const bool now = was_active ? certainly_positive(multiplier[k]) : certainly_less(margin[c], nearly_one);
    if (now) chosen.push_back(c);
    if (now) value.push_back(was_active ? multiplier[k] : Ball());
    changed |= now != was_active;
    if (was_active) ++k;
  }
  active = std::move(chosen);
  multiplier = std::move(value);
  return changed && !active.empty();
}

WrittenMultipliers::WrittenMultipliers(const DyadicRow& written, long bits) : value(written.balls()) {
  for (Ball& x : value) {
    if (!certainly_positive(x)) x = Ball();
    sum = add(sum, x, bits);
  }
}

bool is_narrowest(const NormAnswer& answer, const NormOptimum& found) {
  return !answer.optimum ||
         found.value.hi - found.value.lo < answer.optimum->value.hi - answer.optimum->value.lo;
}

}  // namespace attest
