#include "numerics/next_token/entry_growth.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

using Real = long double;
using Wide = WideNumber;

Wide operator+(const Wide& a, const Wide& b) {
  return {a.value + b.value, a.width + b.width};
}

Wide operator*(const Wide& a, const Wide& b) {
  return {a.value * b.value, std::abs(a.value) * b.width + a.width * std::abs(b.value)};
}

Wide operator-(const Wide& a) {
  return {-a.value, a.width};
}

Wide operator-(const Wide& a, const Wide& b) {
  return a + (-b);
}

Wide& operator+=(Wide& a, const Wide& b) {
  return a = a + b;
}

Wide exact(Real x) {
  return {x, 0};
}

Wide inverse(const Wide& x) {
  return {1 / x.value, x.width / (x.value * x.value)};
}

Wide exponential(const Wide& x) {
  const Real value = std::exp(x.value);
  return {value, value * x.width};
}

// x/(1 + x), which rises with x.
Wide share(const Wide& x) {
  const Real rest = 1 / (1 + x.value);
  return {x.value * rest, x.width * rest * rest};
}

}  // namespace

EntryGrowth::EntryGrowth(const AttentionStage& stage, double scale, double step)
    : stage_(stage),
      scale_(exact(scale)),
      step_(exact(step)),
      entries_(stage.entry.size(), Wide{0, 1}),
      velocity_(stage.entry.size()) {}

// Widths are relative to the widest entry's again afterwards.
void EntryGrowth::advance() {
  if (!std::isfinite(bits_)) return;
  std::fill(velocity_.begin(), velocity_.end(), Wide{});
  for (const StageGroup& group : stage_.groups) pull(group);
  Real size = 0, widest = 0;
  for (const Wide& v : velocity_) size = std::max(size, std::abs(v.value));
  Wide square;
  for (const Wide& v : velocity_) {
    const Wide part{v.value / size, v.width / size};
    square += part * part;
  }
  const Real speed = std::sqrt(square.value);
  const Wide factor = step_ * inverse({speed * size, square.width * size / (2 * speed)});
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    entries_[k] += factor * velocity_[k];
    widest = std::max(widest, entries_[k].width);
    if (!std::isfinite(entries_[k].width)) {
      bits_ = HUGE_VAL;
      return;
    }
  }
  for (Wide& w : entries_) w.width /= widest;
  bits_ += static_cast<double>(std::log2(widest));
}

// The velocity is taken n/c times.
void EntryGrowth::pull(const StageGroup& group) {
  const StageToken& top = group.tokens[group.selected];
  const std::size_t count = group.tokens.size();
  if (count < 2) return;
  std::vector<Wide> attention(count), next(count);
  Wide sum;
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) continue;
    const Real times = static_cast<Real>(group.tokens[t].count) / static_cast<Real>(top.count);
    attention[t] = exact(times) * exponential(entries_[group.tokens[t].entry] - entries_[top.entry]);
    sum += attention[t];
  }
  const Wide selected = inverse(exact(1) + sum), least = exponential(-(scale_ * selected));
  Real unpaired = static_cast<Real>(stage_.outputs) - 1;
  Wide odds;
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) continue;
    attention[t] = attention[t] * selected;
    if (!group.tokens[t].paired) continue;
    --unpaired;
    next[t] = exponential(scale_ * attention[t]) * least;
    odds += next[t];
  }
  odds += exact(unpaired) * least;
  const Wide kept = inverse(exact(1) + odds);
  Wide rise = selected * share(odds);
  for (std::size_t t = 0; t < count; ++t) {
    next[t] = next[t] * kept;
    rise += -(attention[t] * next[t]);
  }
  Wide pulled;
  for (std::size_t t = 0; t < count; ++t) {
    if (t == group.selected) continue;
    const Wide weight = attention[t] * (rise + next[t]);
    pulled += weight;
    velocity_[group.tokens[t].entry] += -weight;
  }
  velocity_[top.entry] += pulled;
}

}  // namespace attest
