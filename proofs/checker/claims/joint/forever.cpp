// Later steps of decoder and attention: see claims/joint/forever.hpp. Names are those of JOINT.md section 4.
#include "proofs/checker/claims/joint/forever.hpp"

#include <algorithm>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/joint/attention.hpp"
#include "proofs/checker/claims/joint/decoder_point.hpp"
#include "proofs/checker/claims/replays/solution_entries.hpp"
#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/specification.hpp"

namespace attest_check {
namespace {

constexpr unsigned later_bits = 384;

using Vector = std::vector<Interval>;

Interval stated(const Rational& value) {
  return Interval(value, later_bits);
}

Vector rounded(const Vector& x) {
  Vector result;
  for (const Interval& entry : x) result.push_back(entry.rounded(later_bits));
  return result;
}

// A row c as both parameters see it.
struct PairRow {
  Constraint at;
  Interval label, tilt;        // Gamma_c, l_c
  Interval sideways, outside;  // ||h_c||, ||e_c||
  Interval apart;              // ||kappa_i - g_it||
  Interval least, most;        // low_c, high_c
  Interval margin, across;     // <Delta_c,u_W>, ||Delta_c^perp||
  Interval slope, share;       // a_c, psi_c
};

// The theorem's hypotheses and conclusions at one point of the pair.
class PairTheorem {
 public:
  PairTheorem(const Claim& claim, const JointForever& evidence, const JointTraining& training,
              const ReferenceDirection& attention, const DecoderLimit& limit, const DecoderPoint& decoder)
      : claim_(claim),
        evidence_(evidence),
        training_(training),
        attention_(attention),
        limit_(limit),
        decoder_(decoder),
        deficit_(stated(evidence.region.deficit)),
        aside_(stated(evidence.region.aside)) {
    claim.require(evidence.region.deficit < 1, "the deficit is not below 1");
    claim.require(evidence.region.reach >= 0, "the reach is negative");
    require_training();
    eta_ = training.attention.at(evidence.step, later_bits);
    decoder_eta_ = training.decoder.at(evidence.step, later_bits);
    tail_ = stated(1);
    if (training.loss == JointLoss::logistic) tail_ = tail_ / (tail_ + deficit_);
  }

  void require(const std::vector<Interval>& matrix) {
    inner_ = reach_of_decoder();
    read_rows();
    read_attention(matrix);
    require_steady();
    require_selected();
    require_decoder();
    require_attention();
  }

 private:
  void require_training() const {
    const JointStep &attention = training_.attention, &decoder = training_.decoder;
    claim_.require(attention.rule == JointRule::ngd && decoder.rule == JointRule::ngd,
                   "T20 speaks of normalised steps");
    claim_.require(attention.power == decoder.power && attention.power >= -1,
                   "T20 asks for one schedule of both steps, no faster than inverse");
    claim_.require(training_.loss != JointLoss::correlation, "T20 asks for a loss with an exponential tail");
  }

  Vector value(std::size_t group, std::size_t token) const {
    return labelled_value(*limit_.problem->features, group, token, later_bits);
  }
  std::size_t selected(std::size_t group) const { return limit_.problem->selection[group]; }
  // x count_c.
  Interval counted(const PairRow& c, const Interval& x) const {
    return by_multiplicity(*claim_.problem.features, c.at.group, c.at.token, selected(c.at.group), x,
                           later_bits);
  }
  // nu_c.
  Interval multiplier(const PairRow& c) const {
    const auto place = std::lower_bound(attention_.active.begin(), attention_.active.end(), c.at);
    if (place == attention_.active.end() || *place != c.at) return 0;
    return attention_.weight[static_cast<std::size_t>(place - attention_.active.begin())];
  }

  // X.
  Interval reach_of_decoder() const {
    const PairRegion& region = evidence_.region;
    const std::size_t groups = decoder_.groups();
    claim_.require(region.boxes.size() == (groups > 1 ? groups : 0), "there is not one box for each group");
    if (groups == 1) return 0;
    const Interval reach = stated(region.reach);
    const Interval level = deficit_ - logarithm(tail_) +
                           (decoder_.longest() + deficit_) * decoder_eta_ / Interval(2) + deficit_ * reach;
    Vector boxes;
    for (const Rational& box : region.boxes) boxes.push_back(stated(box));
    decoder_.require_held(claim_, level, reach, boxes);
    return maximum(decoder_.inner(), reach + decoder_eta_);
  }

  void read_rows() {
    for (std::size_t i = 0; i < decoder_.groups(); ++i) {
      const Vector slopes = attention_.slopes(i);
      for (std::size_t t = 0; t < slopes.size(); ++t) {
        if (t == selected(i) || !claim_.problem.features->present(i, t)) continue;
        PairRow& c = rows_.emplace_back();
        c.at = {i, t};
        const Vector apart = difference(decoder_.kappa(i), value(i, t));
        const Interval square = inner_product(apart, apart),
                       inside = decoder_.span_square(decoder_.products(apart));
        c.label = inner_product(apart, limit_.direction);
        c.tilt = inner_product(apart, decoder_.still());
        c.sideways = square_root(inside - c.label * c.label);
        c.outside = square_root(square - inside);
        c.apart = square_root(square);
        c.margin = slopes[t];
        const Interval length(token_distance_squared(*claim_.problem.features, i, selected(i), t),
                              later_bits);
        c.across = square_root(length - c.margin * c.margin);
        longest_row_ = maximum(longest_row_, square_root(length));
      }
    }
  }

  // Y, b, R, and ||P|| against the root of Q_a.
  void read_attention(const Vector& matrix) {
    const Interval square = inner_product(matrix, matrix);
    attention_along_ = SolutionEntries(attention_, later_bits).along(matrix, square_root(square));
    claim_.require(attention_along_.positive(), "the attention does not point to its limit");
    claim_.require(certainly_at_most(square - attention_along_ * attention_along_, aside_ * aside_),
                   "the attention is farther aside than is said");
    pace_ = attention_.margin / longest_row_;
    ratio_ = decoder_eta_ / (eta_ * pace_);
  }

  // T_i.
  Vector turns() const {
    Vector mean(decoder_.still().size()), result;
    for (const PairRow& c : rows_) {
      const Interval weight = multiplier(c);
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += weight * decoder_.kappa(c.at.group)[j];
    }
    for (std::size_t i = 0; i < decoder_.groups(); ++i)
      result.push_back(length_of(difference(mean, decoder_.kappa(i))) * inner_);
    return result;
  }

  // low_c, high_c, C, K, a_c and psi_c.
  void require_steady() {
    const Vector turn = turns();
    Interval above, level;
    for (PairRow& c : rows_) {
      const Interval reach = c.sideways * inner_ + c.outside * deficit_;
      c.least = c.label + (minimum(c.tilt - reach, 0) - deficit_) / decoder_.along();
      c.most = c.label + maximum(c.tilt + reach, 0) / decoder_.along();
      claim_.require(c.least.positive(), "the label margin at " + show(c.at) + " may change its sign");
      const Interval& centre = decoder_.centre(c.at.group);
      above += exponential(deficit_ - centre + turn[c.at.group]) * counted(c, c.most);
      const Interval weight = multiplier(c);
      if (!weight.positive()) continue;
      const Interval least = counted(c, tail_ * (Interval(1) - deficit_) * c.least);
      level += weight * (logarithm(least / weight) - centre);
    }
    const Interval concentration = maximum(logarithm(above) - level, 0);
    growth_ = Interval(2) * concentration / attention_.margin + eta_ / pace_;
    for (PairRow& c : rows_) {
      c.slope = c.margin - c.across * growth_ / (Interval(2) * aside_);
      claim_.require(c.slope.positive(), "the margin at " + show(c.at) + " may fall behind");
      claim_.require(certainly_at_most(ratio_, c.slope * decoder_.along()),
                     "the decoder may grow faster than the margin at " + show(c.at));
      c.share = counted(c, exponential(-(c.margin * attention_along_ - c.across * aside_)));
      least_slope_ = &c == rows_.data() ? c.slope : minimum(least_slope_, c.slope);
    }
  }

  // What stays below g.
  void require_selected() {
    Vector lost(decoder_.groups()), turned(decoder_.groups()), rest(decoder_.groups());
    Interval drift;
    for (const PairRow& c : rows_) {
      lost[c.at.group] += c.share * c.most * decoder_.along();
      turned[c.at.group] += c.share * c.apart;
      rest[c.at.group] += c.share;
      drift += c.share * c.apart * exponential(c.slope * eta_) / c.slope;
    }
    for (std::size_t i = 0; i < decoder_.groups(); ++i) {
      const Interval output = limit_.margin * decoder_.along() - lateral_loss(i);
      for (const Interval& left : {lost[i], turned[i], rest[i]})
        claim_.require(certainly_less(left, deficit_),
                       "too much attention may be off the selected token of group " + std::to_string(i));
      claim_.require(training_.loss != JointLoss::logistic || certainly_less(exponential(-output), deficit_),
                     "the output of group " + std::to_string(i) + " is too small for the loss's tail");
      turned_ = maximum(turned_, turned[i]);
      unselected_ = maximum(unselected_, rest[i]);
    }
    claim_.require(certainly_less(turned_, limit_.margin) &&
                       certainly_less(ratio_ / (limit_.margin - turned_) * drift, deficit_),
                   "the decoder may drift aside");
  }

  // gamma_v y - f_i is at most this.
  Interval lateral_loss(std::size_t group) const {
    return decoder_.sideways(group) * inner_ - decoder_.centre(group) + deficit_;
  }

  void at_least(const Interval& found, const Rational& claimed, const std::string& what) const {
    claim_.require_at_most(claimed, found.lower(), what);
  }
  void at_most(const Interval& found, const Rational& claimed, const std::string& what) const {
    claim_.require_at_most(found.upper(), claimed, what);
  }

  void require_decoder() const {
    const DecoderFuture& future = evidence_.decoder;
    const Interval pace = (limit_.margin - turned_) / (decoder_.longest() + turned_);
    at_least(decoder_.along(), future.along, "decoder against <v,u>");
    at_least(decoder_eta_ / eta_ * pace, future.growth, "decoder's growth against its own");
    at_most(length_of(decoder_.still()) + inner_ + deficit_, future.lateral, "the decoder's lateral part");
    Interval loss;
    for (std::size_t i = 0; i < decoder_.groups(); ++i) loss += exponential(lateral_loss(i));
    at_most(loss / Interval(static_cast<long>(decoder_.groups())), future.loss, "the loss's factor");
    at_least(limit_.margin, future.decay, "decay against the decoder's margin");
  }

  void require_attention() const {
    const AttentionFuture& future = evidence_.attention;
    at_least(attention_along_, future.along, "attention against <W,u>");
    at_least(pace_, future.growth, "attention's growth against its own");
    at_most(maximum(aside_ * aside_ / attention_along_, growth_), future.spread, "the attention's spread");
    at_most(unselected_, future.unselected, "attention off the selected tokens");
    at_least(least_slope_ * pace_, future.fall, "fall against that of the attention");
  }

  const Claim& claim_;
  const JointForever& evidence_;
  const JointTraining& training_;
  const ReferenceDirection& attention_;
  const DecoderLimit& limit_;
  const DecoderPoint& decoder_;
  const Interval deficit_, aside_;     // g, the root of Q_a
  Interval eta_, decoder_eta_, tail_;  // lambda
  Interval inner_;                     // X
  std::vector<PairRow> rows_;
  Interval attention_along_, longest_row_;      // Y
  Interval pace_, ratio_, growth_;              // b, R, K
  Interval least_slope_, turned_, unselected_;  // the second is d
};

}  // namespace

void PairRegion::read(Reader& in) {
  std::size_t count = 0;
  in.next("deficit");
  in.positive(deficit);
  in("reach", reach, "aside");
  in.positive(aside);
  in("boxes", count);
  while (boxes.size() < count) in.positive(boxes.emplace_back());
}

void JointForever::read(Reader& in) {
  words(in, *this);
  in.asked(run).points_asked.push_back(step);
  region.read(in);
}

std::unique_ptr<Fact> JointForever::check(const Claim& claim) const {
  const auto& fact = claim.cite_as<JointRunFact>(run, "joint-run");
  const auto point = fact.points.find(step);
  claim.require(point != fact.points.end(),
                "step " + std::to_string(step) + " is not a checkpoint of the run");
  const Fact& supporting = claim.cite_across(support);
  const auto* known = dynamic_cast<const SupportFact*>(&supporting);
  if (known == nullptr) claim.wrong_kind(supporting, "support");
  require_joint_attention(claim, *known);
  claim.require(claim.problem.relaxed.empty(), "T20 asks that every group supports the decoder");
  const ReferenceDirection direction = reference_direction(claim, claim.cite(from), later_bits, true);
  const DecoderLimit limit = decoder_limit(claim, *known, later_bits);
  for (const Interval& mu : limit.multipliers)
    claim.require(mu.positive(), "a multiplier of the decoder's solution is 0");
  const DecoderPoint near(claim, limit, rounded(point->second.decoder), later_bits);
  PairTheorem(claim, *this, fact.training, direction, limit, near).require(rounded(point->second.matrix));
  return std::make_unique<Fact>();
}

void JointForever::describe(const Claim& claim, Statement& say) const {
  words(say, *this);
  say(claim.cite_as<JointRunFact>(run, "joint-run").training);
}

}  // namespace attest_check
