// The attention stage's training replayed: see claims/tokens/replay.hpp.
#include "proofs/checker/claims/tokens/replay.hpp"

#include "proofs/checker/base/interval_vector.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

}  // namespace

TokenReplay::TokenReplay(const TokenStage& stage, const TokenTraining& training, unsigned bits)
    : stage_(stage),
      bits_(bits),
      scale_(stage.pairs.scale(training.fed_step, training.fed_steps, bits)),
      step_(training.step, bits),
      entries_(stage.entry.size(), Interval(Rational(0), bits)),
      attention_(stage.groups.size()) {}

Interval TokenReplay::norm() const {
  return square_root(inner_product(entries_, entries_));
}

// Odds against the selected token: its share 1/(1 + odds) is then as narrow as it can be.
void TokenReplay::attend(const StageGroup& group, Vector& attention) const {
  const StageToken& top = group.tokens[group.selected];
  const Interval unit = Interval(1) / (Interval(top.count) * power_[top.entry]);
  attention.assign(group.tokens.size(), Interval());
  Interval sum(1);
  for (std::size_t t = 0; t < attention.size(); ++t) {
    if (t == group.selected) continue;
    attention[t] = Interval(group.tokens[t].count) * power_[group.tokens[t].entry] * unit;
    sum += attention[t];
  }
  const Interval selected = Interval(1) / sum;
  for (Interval& odds : attention) odds = odds * selected;
  attention[group.selected] = selected;
}

// Of W only the direction of V is used, so c/n is left out: V adds s_t ((psi_t - psibar)/c) Delta_t with
// (psi_t - psibar)/c = p_t + s_alpha (1 - p_alpha) - sum over t' other than alpha of s_t' p_t'. Relative to
// e^{c s_alpha} the outputs' sum is 1 + odds, the odds those of all outputs but n(alpha), so 1 - p_alpha is
// 1/(1 + 1/odds).
void TokenReplay::pull(std::size_t i) {
  const StageGroup& group = stage_.groups[i];
  const Vector& attention = attention_[i];
  if (group.tokens.size() < 2) return;
  const Interval top = exponential(-(scale_ * attention[group.selected]));
  std::vector<Interval> share(group.tokens.size());
  long unpaired = static_cast<long>(stage_.pairs.outputs) - 1;
  Interval odds;
  for (std::size_t t = 0; t < share.size(); ++t) {
    if (t == group.selected || !group.tokens[t].paired) continue;
    --unpaired;
    share[t] = exponential(scale_ * attention[t]) * top;
    odds += share[t];
  }
  odds += Interval(unpaired) * top;
  const Interval next = Interval(1) / (Interval(1) + odds);
  Interval rise = attention[group.selected] / (Interval(1) + Interval(1) / odds);
  for (std::size_t t = 0; t < share.size(); ++t) {
    if (t == group.selected || !group.tokens[t].paired) continue;
    share[t] = share[t] * next;
    rise += -(attention[t] * share[t]);
  }
  Interval pulled;
  for (std::size_t t = 0; t < share.size(); ++t) {
    if (t == group.selected) continue;
    const Interval weight = attention[t] * (group.tokens[t].paired ? rise + share[t] : rise);
    pulled += weight;
    velocity_[group.tokens[t].entry] += -weight;
  }
  velocity_[group.tokens[group.selected].entry] += pulled;
}

void TokenReplay::evaluate() {
  power_.clear();
  for (const Interval& w : entries_) power_.push_back(exponential(w));
  for (std::size_t i = 0; i < attention_.size(); ++i) attend(stage_.groups[i], attention_[i]);
}

// The attention on the others is a sum, so that it stays accurate when it is small.
Interval TokenReplay::others(std::size_t i) const {
  Interval sum;
  for (std::size_t t = 0; t < attention_[i].size(); ++t)
    if (t != stage_.groups[i].selected) sum += attention_[i][t];
  return sum;
}

Interval TokenReplay::unselected() const {
  Interval most;
  for (std::size_t i = 0; i < attention_.size(); ++i) most = maximum(most, others(i));
  return most;
}

// A sentence's part is log(1 + e^-c x/(1 + r)), r = (V - 1) e^-c, and x the sum over all outputs but
// n(alpha) of e^{c (s + 1 - s_alpha)} - 1, s = 0 at those that no token of the context has next.
Interval TokenReplay::loss_gap() const {
  const Interval least = exponential(-scale_);
  const long outputs = static_cast<long>(stage_.pairs.outputs) - 1;
  const Interval factor = least / (Interval(1) + Interval(outputs) * least);
  Interval sum;
  for (std::size_t i = 0; i < attention_.size(); ++i) {
    const StageGroup& group = stage_.groups[i];
    const Interval off = others(i);
    long unpaired = outputs;
    Interval x;
    for (std::size_t t = 0; t < group.tokens.size(); ++t) {
      if (t == group.selected || !group.tokens[t].paired) continue;
      --unpaired;
      x += exponential_minus_one(scale_ * (attention_[i][t] + off));
    }
    x += Interval(unpaired) * exponential_minus_one(scale_ * off);
    sum += logarithm_of_one_plus(factor * x);
  }
  return sum * Interval::ratio(1, Integer(attention_.size()), bits_);
}

void TokenReplay::advance(std::size_t) {
  velocity_.assign(entries_.size(), Interval());
  for (std::size_t i = 0; i < attention_.size(); ++i) pull(i);
  const Interval factor = step_ / square_root(inner_product(velocity_, velocity_));
  for (std::size_t k = 0; k < entries_.size(); ++k) entries_[k] += factor * velocity_[k];
}

}  // namespace attest_check
