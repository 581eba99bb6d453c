// The joint regularisation path: see claims/joint/path.hpp. Names are those of JOINT.md section 6.
#include "proofs/checker/claims/joint/path.hpp"

#include <algorithm>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/joint/attention.hpp"
#include "proofs/checker/claims/joint/decoder_limit.hpp"
#include "proofs/checker/claims/joint/label_margins.hpp"
#include "proofs/checker/claims/paths/rate.hpp"
#include "proofs/checker/runs/head.hpp"
#include "proofs/checker/runs/reference_direction.hpp"

namespace attest_check {
namespace {

Interval number(const Rational& value) {
  return Interval(value, path_bits);
}

// A row of the attention as the decoder's limit sees it.
struct LabelledRow {
  Constraint at;
  Interval label, length;  // Gamma_c, ||delta_c||
};

struct LabelledGroup {
  std::size_t group = 0;
  bool supports = false;
  Interval multiplier;           // mu_i
  Interval excess;               // e_i
  Interval largest, best_other;  // x_i and G_i; the second where there are rows
  Interval positive, total;      // sums of count Gamma_c^+ and of count ||delta_c||
  std::vector<LabelledRow> rows;
};

// What the theorem is about, and its constants as they are claimed.
class Path {
 public:
  Path(const Claim& claim, const JointPath& stated, const LabelMarginsFact& margins,
       const ReferenceDirection& attention, const DecoderLimit& decoder, const Interval& plain)
      : claim_(claim), stated_(stated), attention_(attention), decoder_(decoder), plain_(plain) {
    const bool logistic = stated.loss == TailedLoss::logistic;
    const Integer groups(decoder.problem->selection.size());
    const Interval tail = logistic ? logarithm(number(2)) : Interval(1);
    slope_ = logistic ? number(fraction(1, 2)) : Interval(1);
    spread_ = logarithm(Interval::ratio(groups, 1, path_bits) / tail);
    cost_ = number(margins.cost);
    read_groups(margins);
    share_ = (Interval(1) + longest_ / cost_) / decoder.margin;
    excess_ = number(stated.excess);
    reach_ = square_root(Interval(2) * share_ * excess_);
  }

  void require() const {
    require_small();
    require_radii();
    const Interval lean = (attention_.margin - plain_) * beta_;
    claim_.require_at_most((share_ * steepest_ * exponential(lean)).upper(), stated_.decay,
                           "constant of the decoder's decay against decay");
    claim_.require_at_most((share_ * spread_).upper(), stated_.decoder_rate,
                           "the decoder's rate constant against decoder-rate");
    claim_.require_at_most(((levels() + lean) / attention_.margin).upper(), stated_.rate,
                           "rate constant of the theorem against rate-constant");
  }

 private:
  Interval counted(const LabelledRow& c, const Interval& x) const {
    const std::size_t selected = decoder_.problem->selection[c.at.group];
    return by_multiplicity(*claim_.problem.features, c.at.group, c.at.token, selected, x, path_bits);
  }

  LabelledGroup labelled(std::size_t i) const {
    const Problem& decoder = *decoder_.problem;
    const std::size_t selected = decoder.selection[i];
    const std::vector<Interval> kappa = labelled_value(*decoder.features, i, selected, path_bits);
    LabelledGroup own;
    own.group = i;
    own.excess = inner_product(kappa, decoder_.direction) - decoder_.margin;
    own.largest = length_of(kappa);
    for (std::size_t t = 0; t < decoder.features->tokens_of(i); ++t) {
      if (t == selected || !decoder.features->present(i, t)) continue;
      const std::vector<Interval> other = labelled_value(*decoder.features, i, t, path_bits);
      const std::vector<Interval> apart = difference(kappa, other);
      const Interval score = inner_product(other, decoder_.direction);
      own.best_other = own.rows.empty() ? score : maximum(own.best_other, score);
      own.largest = maximum(own.largest, length_of(other));
      const LabelledRow& c = own.rows.emplace_back(
          LabelledRow{{i, t}, inner_product(apart, decoder_.direction), length_of(apart)});
      own.positive += counted(c, maximum(c.label, Interval(0)));
      own.total += counted(c, c.length);
    }
    return own;
  }

  void read_groups(const LabelMarginsFact& margins) {
    for (std::size_t i = 0, k = 0; i < decoder_.problem->selection.size(); ++i) {
      LabelledGroup& own = groups_.emplace_back(labelled(i));
      own.supports = k < decoder_.supporting.size() && decoder_.supporting[k] == i;
      if (own.supports) {
        own.multiplier = margins.multipliers[k++];
        for (const LabelledRow& c : own.rows) longest_ = maximum(longest_, c.length);
        steepest_ = maximum(steepest_, own.positive);
        continue;
      }
      // log(2 a_i/e_i) or 0, whichever is more.
      const Interval half = own.excess * number(fraction(1, 2));
      claim_.require(own.excess.positive(),
                     "group " + std::to_string(i) + " is hardly off the decoder's support");
      beta_ = maximum(beta_, logarithm(maximum(own.positive, half) / half) / plain_);
      least_excess_ = outside_ == 0 ? own.excess : minimum(least_excess_, own.excess);
      ++outside_;
    }
  }

  bool holding(const LabelledRow& c) const {
    return std::binary_search(attention_.active.begin(), attention_.active.end(), c.at);
  }

  // What is asked of x.
  void require_small() const {
    const Interval half = number(fraction(1, 2));
    claim_.require(stated_.excess > 0 && certainly_less(excess_, cost_ * half) &&
                       certainly_less(excess_, decoder_.margin * half),
                   "excess is not positive, or too large");
    for (const LabelledGroup& own : groups_) {
      const std::string name = "excess is too large for group " + std::to_string(own.group);
      if (own.supports) {
        for (const LabelledRow& c : own.rows)
          claim_.require(certainly_less(reach_ * c.length, c.label * half), name);
        continue;
      }
      claim_.require(certainly_less(reach_ * own.largest, own.excess * half * half), name);
      if (std::none_of(own.rows.begin(), own.rows.end(), [&](const auto& c) { return holding(c); })) continue;
      claim_.require(
          certainly_less(own.best_other, decoder_.margin) && certainly_less(lost(own), Interval(1)),
          "group " + std::to_string(own.group) + " may give all attention to other tokens");
    }
  }

  // theta_i.
  Interval lost(const LabelledGroup& own) const {
    return (own.excess + excess_ + own.largest * reach_) / (decoder_.margin + own.excess - own.best_other);
  }

  void require_radii() const {
    const Interval radius = number(stated_.radius), decoder_radius = number(stated_.decoder_radius),
                   half = excess_ * number(fraction(1, 2)), cut(decay_cut);
    claim_.require(certainly_at_most(beta_, radius), "from-radius is too small");
    const Interval margins = attention_.margin * (radius - beta_) + plain_ * beta_;
    const Interval eta = exponential(-(certainly_at_most(cut, margins) ? cut : margins));
    claim_.require(certainly_at_most(steepest_ * eta, half), "from-radius is too small");
    claim_.require(stated_.decoder_radius >= 1 && certainly_at_most(spread_, half * decoder_radius),
                   "from-decoder-radius is too small");
    const Interval least = outside_ == 0 ? Interval(0) : Interval(4) * attention_.margin / least_excess_;
    claim_.require_at_most(least.upper(), stated_.slope, "4 gamma/e against slope");
  }

  // The sum of kappa over the rows with a multiplier.
  Interval levels() const {
    claim_.require(stated_.window > 0, "window is not positive");
    const Interval window = number(stated_.window);
    Interval grown = Interval::ratio(Integer(outside_), 1, path_bits) / number(stated_.decoder_radius);
    for (const LabelledGroup& own : groups_) {
      if (own.supports) grown += own.total * exponential(window * own.total);
    }
    const Interval late = (steepest_ + spread_ / window) / cost_;
    const Interval kept = Interval(1) - excess_ / cost_;
    Interval sum;
    for (const LabelledGroup& own : groups_) {
      for (const LabelledRow& c : own.rows) {
        const auto place = std::lower_bound(attention_.active.begin(), attention_.active.end(), c.at);
        if (place == attention_.active.end() || *place != c.at) continue;
        const Interval& weight =
            attention_.weight[static_cast<std::size_t>(place - attention_.active.begin())];
        if (!own.supports) {
          sum += weight * maximum(-logarithm(counted(c, Interval(1) - lost(own))), Interval(0));
          continue;
        }
        const Interval early = exponential((steepest_ * window + spread_) / own.multiplier) * grown /
                               (slope_ * (c.label - reach_ * c.length));
        sum += weight * logarithm(maximum(early, late) / counted(c, kept));
      }
    }
    return sum;
  }

  const Claim& claim_;
  const JointPath& stated_;
  const ReferenceDirection& attention_;
  const DecoderLimit& decoder_;
  const Interval plain_;             // gamma_P, or gamma
  Interval slope_, spread_, cost_;   // lambda', N_l, nu
  Interval share_, excess_, reach_;  // (1 + d/nu)/Gamma, x, h
  std::vector<LabelledGroup> groups_;
  Interval longest_, steepest_, beta_;  // d, a, beta
  Interval least_excess_;               // e
  std::size_t outside_ = 0;
};

// gamma_P from a W with all margins >= 1 of the same selection.
Interval plain_margin(const Claim& claim, const Citation& cited) {
  const Fact& fact = claim.cite_across(cited);
  const auto* known = dynamic_cast<const SeparatingNorm*>(&fact);
  if (known == nullptr) claim.wrong_kind(fact, "feasible, optimal or optimal-enclosure");
  const Problem& problem = fact.claim->problem;
  claim.require(problem.plain() && problem.selection == claim.problem.selection,
                "the problem cited as plain has other rows than the selection's");
  return Interval(1) / square_root(number(known->norm_squared));
}

}  // namespace

void JointPath::read(Reader& in) {
  words(in, *this);
  in.next("excess", excess, "window", window);
}

std::unique_ptr<Fact> JointPath::check(const Claim& claim) const {
  const Fact& cited = claim.cite_across(margins);
  const auto* known = dynamic_cast<const LabelMarginsFact*>(&cited);
  if (known == nullptr) claim.wrong_kind(cited, "label-margins");
  require_joint_attention(claim, *known->support);
  claim.require(plain.has_value() || claim.problem.relaxed.empty(), "no W with all margins >= 1 is cited");
  const ReferenceDirection attention = reference_direction(claim, claim.cite(from), path_bits, true);
  const DecoderLimit decoder = decoder_limit(claim, *known->support, path_bits);
  const Interval leaning = plain ? plain_margin(claim, *plain) : attention.margin;
  Path(claim, *this, *known, attention, decoder, leaning).require();
  return std::make_unique<Fact>();
}

}  // namespace attest_check
