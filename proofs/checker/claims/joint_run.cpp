// Runs of decoder and attention together: see claims/joint_run.hpp.
#include "proofs/checker/claims/joint_run.hpp"

#include <algorithm>

#include "proofs/checker/claims/decoder_limit.hpp"

namespace attest_check {
namespace {

using Vector = std::vector<Interval>;

// What a group's tokens are: keys and labelled values, and how often each stands there.
struct JointGroup {
  std::vector<Vector> key, value;
  Vector count, query;
};

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

// The exact iteration in intervals: every number contains the one that it stands for.
class JointReplay {
 public:
  JointReplay(const JointTraining& stated, const Features& attention, const Features& decoder, unsigned bits)
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

  const Vector& matrix() const { return matrix_; }
  const Vector& decoder() const { return decoder_; }
  // After pull().
  const Interval& loss() const { return loss_; }

  // Both gradients, less their signs, and the loss.
  void pull() {
    velocity_.assign(matrix_.size(), Interval());
    decoder_velocity_.assign(decoder_.size(), Interval());
    loss_ = Interval();
    for (const JointGroup& group : groups_) pull(group);
  }

  void advance(std::size_t t) {
    move(matrix_, velocity_, stated_.attention, t);
    move(decoder_, decoder_velocity_, stated_.decoder, t);
  }

 private:
  Vector logits(const JointGroup& group) const {
    Vector image, result;
    for (std::size_t j = 0; j < matrix_.size() / e_; ++j) {
      Interval& sum = image.emplace_back();
      for (std::size_t k = 0; k < e_; ++k) sum += matrix_[j * e_ + k] * group.query[k];
    }
    for (const Vector& key : group.key) result.push_back(inner_product(key, image));
    return result;
  }

  // s_t, relative to the token that seems to have the largest logit, which is `first`.
  Vector shares(const JointGroup& group, std::size_t& first) const {
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

  void pull(const JointGroup& group) {
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
    for (std::size_t t = 0; t < share.size(); ++t) {
      const Interval kept = slope * share[t], pulled = kept * (deficit - gap[t]);
      for (std::size_t j = 0; j < decoder_.size(); ++j) decoder_velocity_[j] += kept * group.value[t][j];
      for (std::size_t j = 0; j < group.key[t].size(); ++j) {
        const Interval part = pulled * group.key[t][j];
        for (std::size_t k = 0; k < e_; ++k) velocity_[j * e_ + k] += part * group.query[k];
      }
    }
  }

  // |l'| and l.
  Interval slope_at(const Interval& output) const {
    if (stated_.loss == JointLoss::correlation) return 1;
    if (stated_.loss == JointLoss::exponential) return exponential(-output);
    return Interval(1) / (Interval(1) + exponential(output));
  }
  Interval loss_at(const Interval& output) const {
    if (stated_.loss == JointLoss::correlation) return -output;
    const Interval tail = exponential(-output);
    return stated_.loss == JointLoss::exponential ? tail : logarithm_of_one_plus(tail);
  }

  void move(Vector& x, const Vector& velocity, const JointStep& step, std::size_t t) const {
    Interval factor = step.at(t, bits_);
    if (step.rule == JointRule::ngd) factor = factor / length_of(velocity);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += factor * velocity[k];
  }

  const JointTraining& stated_;
  const std::vector<JointGroup> groups_;
  const unsigned bits_;
  const std::size_t e_;
  Vector matrix_, decoder_;  // W and v
  Vector velocity_, decoder_velocity_;
  Interval loss_;
};

// 1 - <x,u>/||x||.
Interval apart(const SolutionEntries& u, const Vector& x, const Interval& length) {
  return Interval(1) - u.along(x, length) / length;
}

void require_checkpoint(const Claim& claim, const JointCheckpoint& stated, const JointReplay& run,
                        const std::optional<SolutionEntries>& attention,
                        const std::optional<SolutionEntries>& decoder) {
  const std::string at = " at step " + std::to_string(stated.at);
  const Interval norm = length_of(run.matrix()), decoder_norm = length_of(run.decoder());
  require_within(claim, norm, stated.norm, "norm" + at);
  require_within(claim, decoder_norm, stated.decoder_norm, "decoder-norm" + at);
  require_within(claim, run.loss(), stated.loss, "loss" + at);
  claim.require((!stated.one_minus_corr || attention) && (!stated.decoder_one_minus_corr || decoder),
                "a correlation" + at + " with a solution that is not cited");
  if (stated.one_minus_corr)
    require_within(claim, apart(*attention, run.matrix(), norm), *stated.one_minus_corr,
                   "one-minus-corr" + at);
  if (stated.decoder_one_minus_corr)
    require_within(claim, apart(*decoder, run.decoder(), decoder_norm), *stated.decoder_one_minus_corr,
                   "decoder-one-minus-corr" + at);
}

}  // namespace

SolutionEntries::SolutionEntries(const ReferenceDirection& known, unsigned bits)
    : radius_(known.radius), norm_(known.norm) {
  const Features& features = *known.centre->problem().features;
  const std::size_t d = features.left_dimension(), e = features.right_dimension();
  const Integer denominator = known.centre->column_denominator();
  centre_.resize(d * e);
  for (std::size_t k = 0; k < e; ++k) {
    const std::vector<Integer> column = known.centre->column(k);
    for (std::size_t j = 0; j < d; ++j) centre_[j * e + k] = Interval::ratio(column[j], denominator, bits);
  }
}

Interval SolutionEntries::along(const std::vector<Interval>& x, const Interval& length) const {
  const Interval product = inner_product(x, centre_), reach = radius_ * length;
  return Interval::hull(product - reach, product + reach) / norm_;
}

void JointRun::read(Reader& in) {
  std::size_t count = 0;
  words(in, *this);
  for (const JointStep* step : {&training.attention, &training.decoder})
    if (step->power > 0 || step->power < -64) in.bad("powers are from -64 to 0");
  in.next("checkpoints", count, "bits", bits);
  if (bits < 64 || bits > 65536) in.bad("bits are from 64 to 65536");
  while (checkpoints.size() < count) {
    in.next();
    JointCheckpoint::words(in, checkpoints.emplace_back());
    if (checkpoints.size() > 1 && checkpoints[checkpoints.size() - 2].at >= checkpoints.back().at)
      in.bad("checkpoints increase");
    if (checkpoints.back().at > steps) in.bad("a checkpoint after the last step");
  }
}

Interval JointStep::at(std::size_t t, unsigned bits) const {
  const Interval size(step, bits);
  if (power == 0) return size;
  return size * exponential(Interval(power, bits) * logarithm(Interval::ratio(Integer(t) + 1, 1, bits)));
}

void JointRun::describe(const Claim&, Statement& say) const {
  words(say, *this);
  for (const JointCheckpoint& checkpoint : checkpoints) say(checkpoint);
}

std::unique_ptr<Fact> JointRun::check(const Claim& claim) const {
  const Features& features = *claim.problem.features;
  const Instance& instance = features.instance();
  const auto working_bits = static_cast<unsigned>(bits);
  claim.require(!claim.problem.decoder, "the problem is not the attention's");
  claim.require(!instance.Y.empty() && instance.v.size() > 0 && instance.offsets.size() == 0,
                "the instance has no labels and decoder v, or offsets");
  try {
    std::optional<SolutionEntries> direction, decoder_direction;
    if (from)
      direction.emplace(reference_direction(claim, claim.cite(*from), working_bits, false), working_bits);
    if (decoder_from) {
      const Fact& cited = claim.cite_across(*decoder_from);
      claim.require(cited.claim->problem.decoder, "decoder-from cites no decoder's problem");
      decoder_direction.emplace(reference_direction(claim, cited, working_bits, false), working_bits);
    }
    const Features values(instance, Features::Unknown::decoder);
    JointReplay run(training, features, values, working_bits);
    auto fact = std::make_unique<JointRunFact>();
    fact->training = training;
    auto next = checkpoints.begin();
    for (std::size_t t = 0; next != checkpoints.end(); ++t) {
      claim.begin_step(t, steps);
      run.pull();
      if (next->at == t) {
        require_checkpoint(claim, *next++, run, direction, decoder_direction);
        if (std::count(claim.points_asked.begin(), claim.points_asked.end(), t) > 0)
          fact->points.emplace(t, JointPoint{run.matrix(), run.decoder()});
      }
      if (next != checkpoints.end()) run.advance(t);
    }
    return fact;
  } catch (const Imprecise&) {
    claim.fail("a number is not bounded away from 0");
  }
}

}  // namespace attest_check
