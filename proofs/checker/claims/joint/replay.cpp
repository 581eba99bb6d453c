// Joint training in intervals: see claims/joint/replay.hpp.
#include "proofs/checker/claims/joint/replay.hpp"

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/joint/decoder_limit.hpp"
#include "proofs/checker/claims/replays/spent_bits.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

Vector row_of(const ScaledMatrix& matrix, std::size_t row, unsigned bits) {
  Vector result;
  for (const Integer& entry : matrix.row(row))
    result.push_back(Interval::ratio(entry, matrix.denominator(), bits));
  return result;
}

std::vector<JointGroup> joint_groups(const Features& attention, const Features& decoder, unsigned bits) {
  std::vector<JointGroup> groups(attention.groups());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].query = row_of(attention.queries(), i, bits);
    for (std::size_t t = 0; t < attention.tokens_of(i); ++t) {
      if (!attention.present(i, t)) continue;
      groups[i].key.push_back(row_of(attention.tokens(), attention.row(i, t), bits));
      groups[i].value.push_back(labelled_value(decoder, i, t, bits));
      groups[i].count.push_back(Interval::ratio(Integer(attention.multiplicity(i, t)), 1, bits));
    }
  }
  return groups;
}

void add_multiple(const Interval& factor, const Vector& x, Vector& sum) {
  for (std::size_t j = 0; j < x.size(); ++j) sum[j] += factor * x[j];
}

}  // namespace

JointReplay::JointReplay(const JointTraining& stated, const Features& attention, const Features& decoder,
                         unsigned bits)
    : stated_(stated),
      groups_(joint_groups(attention, decoder, bits)),
      bits_(bits),
      e_(attention.right_dimension()),
      matrix_(attention.left_dimension() * e_),
      decoder_(decoder.left_dimension()) {
  const Instance& instance = attention.instance();
  if (stated.start == DecoderStart::zero) return;
  for (std::size_t j = 0; j < decoder_.size(); ++j) decoder_[j] = Interval(instance.v.exact(j), bits);
}

void JointReplay::evaluate() {
  velocity_.assign(matrix_.size(), Interval());
  decoder_velocity_.assign(decoder_.size(), Interval());
  loss_ = Interval();
  for (const JointGroup& group : groups_) pull(group);
}

void JointReplay::advance(std::size_t t) {
  move(matrix_, velocity_, stated_.attention, t);
  move(decoder_, decoder_velocity_, stated_.decoder, t);
  narrow();
}

void JointReplay::narrow() {
  const unsigned bits = bits_in_use({&matrix_, &decoder_}, bits_);
  if (bits == bits_) return;
  bits_ = bits;
  for (Vector* numbers : {&matrix_, &decoder_}) round_to(bits, *numbers);
  for (JointGroup& group : groups_) {
    for (std::vector<Vector>* rows : {&group.key, &group.value}) round_to(bits, *rows);
    for (Vector* numbers : {&group.count, &group.query}) round_to(bits, *numbers);
  }
}

Vector JointReplay::logits(const JointGroup& group) const {
  const Vector image = product_of(matrix_, group.query, e_);
  Vector result;
  for (const Vector& key : group.key) result.push_back(inner_product(key, image));
  return result;
}

// s_t, relative to the token that seems to have the largest logit, which is `first`.
Vector JointReplay::shares(const JointGroup& group, std::size_t& first) const {
  const Vector logit = logits(group);
  for (std::size_t t = 1; t < logit.size(); ++t)
    if (logit[t].lower() > logit[first].lower()) first = t;
  Vector share;
  Interval total;
  for (std::size_t t = 0; t < logit.size(); ++t) {
    share.push_back(group.count[t] * (t == first ? Interval(1) : exponential(logit[t] - logit[first])));
    total += share[t];
  }
  for (Interval& one : share) one = one / total;
  return share;
}

void JointReplay::pull(const JointGroup& group) {
  std::size_t first = 0;
  const Vector share = shares(group, first);
  Vector gap;
  Interval deficit;  // <g_first,v> - f
  for (std::size_t t = 0; t < share.size(); ++t) {
    gap.push_back(inner_product(difference(group.value[first], group.value[t]), decoder_));
    deficit += share[t] * gap[t];
  }
  const Interval output = inner_product(group.value[first], decoder_) - deficit;
  const Interval weight = Interval::ratio(1, Integer(groups_.size()), bits_);
  const Interval slope = weight * slope_at(output);
  loss_ += weight * loss_at(output);
  // Both from the first token, whose own share is 1 less the others'.
  Vector away(decoder_.size()), pulled(group.key[first].size());
  for (std::size_t t = 0; t < share.size(); ++t) {
    if (t == first) continue;
    add_multiple(share[t], difference(group.value[first], group.value[t]), away);
    add_multiple(share[t] * (gap[t] - deficit), difference(group.key[first], group.key[t]), pulled);
  }
  for (std::size_t j = 0; j < decoder_.size(); ++j)
    decoder_velocity_[j] += slope * (group.value[first][j] - away[j]);
  for (std::size_t j = 0; j < pulled.size(); ++j) {
    const Interval part = slope * pulled[j];
    for (std::size_t k = 0; k < e_; ++k) velocity_[j * e_ + k] += part * group.query[k];
  }
}

// |l'| and l.
Interval JointReplay::slope_at(const Interval& output) const {
  if (stated_.loss == JointLoss::correlation) return 1;
  if (stated_.loss == JointLoss::exponential) return exponential(-output);
  return Interval(1) / (Interval(1) + exponential(output));
}

Interval JointReplay::loss_at(const Interval& output) const {
  if (stated_.loss == JointLoss::correlation) return -output;
  const Interval tail = exponential(-output);
  return stated_.loss == JointLoss::exponential ? tail : logarithm_of_one_plus(tail);
}

void JointReplay::move(Vector& x, const Vector& velocity, const JointStep& step, std::size_t t) const {
  Interval factor = step.at(t, bits_);
  if (step.rule == JointRule::ngd) factor = factor / length_of(velocity);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += factor * velocity[k];
}

}  // namespace attest_check
