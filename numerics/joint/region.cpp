#include "numerics/joint/region.hpp"

#include <arb_mat.h>

#include <algorithm>

#include "numerics/factored/square_root.hpp"

namespace attest {
namespace {

constexpr long kept_bits = 128;
constexpr double guessed = 0x1p-10;  // of deficits: proved afterwards

Ball plus(const Ball& x, const Ball& y) {
  return add(x, y, kept_bits);
}
Ball minus(const Ball& x, const Ball& y) {
  return sub(x, y, kept_bits);
}
Ball times(const Ball& x, const Ball& y) {
  return mul(x, y, kept_bits);
}
Ball over(const Ball& x, const Ball& y) {
  return div(x, y, kept_bits);
}

Ball root(const Ball& x) {
  return root_of_nonnegative(x, kept_bits);
}

// The upper end of x: infinite where x is not bounded.
Ball end_of(const Ball& x) {
  Ball end;
  arb_get_ubound_arf(arb_midref(end.raw()), x.raw(), kept_bits);
  return end;
}

Ball product(const std::vector<Ball>& x, const std::vector<Ball>& y) {
  return dot(x, y, kept_bits);
}

// A row c = (i,t) as both parameters see it.
struct RowFacts {
  std::size_t group = 0;
  Ball count;            // of the token over that of the selected one
  Ball label, tilt;      // Gamma_c = <kappa_i - g_it, u_v> and l_c = <kappa_i - g_it, q* + r> at t0
  Ball sideways;         // the norm of the part of kappa_i - g_it in S
  Ball outside;          // and of that across all kappa_i
  Ball difference;       // ||kappa_i - g_it||
  Ball least, most;      // <kappa_i - g_it, v>/y is in [least, most], least with room for D_i
  Ball margin, aside;    // <Delta_c, u_W> and the norm of the rest of Delta_c
  Ball length;           // ||Delta_c||
  Ball slope, at_start;  // a_c and phi_c(Y_0)
  Ball multiplier;
};

class Prover {
 public:
  Prover(const JointFeatures& features, const JointData& joint, const JointSpec& spec,
         const JointLimits& limits, const JointIteration& run)
      : features_(features),
        joint_(joint),
        spec_(spec),
        limits_(limits),
        run_(run),
        decoder_(*limits.decoder),
        attention_(*limits.attention.front().direction) {}

  std::optional<JointRegion> prove(std::string& reason) {
    const char* missing = decoder_facts();
    if (missing == nullptr) missing = row_facts();
    if (missing == nullptr) missing = region();
    if (missing == nullptr) missing = confirm();
    if (missing == nullptr) return conclusion();
    reason = missing;
    return std::nullopt;
  }

 private:
  std::vector<Ball> value_of(std::size_t i, std::size_t token) const {
    const JointGroup& group = features_.groups[i];
    const auto at = static_cast<std::size_t>(std::find(group.tokens.begin(), group.tokens.end(), token) -
                                             group.tokens.begin());
    const std::size_t dim = features_.decoder_dimension;
    return {group.value.begin() + static_cast<std::ptrdiff_t>(at * dim),
            group.value.begin() + static_cast<std::ptrdiff_t>((at + 1) * dim)};
  }

  // y, z*, |q - q*| and q* + r at the point.
  const char* decoder_facts() {
    const std::size_t n = features_.groups.size();
    for (std::size_t i = 0; i < n; ++i) {
      kappa_.push_back(value_of(i, limits_.selection[i]));
      longest_value_ = max(longest_value_, root(product(kappa_[i], kappa_[i])), kept_bits);
      if (!certainly_positive(decoder_.multipliers[i]))
        return "a multiplier of the decoder is not known to be positive";
    }
    if (!invert_gram()) return "the selected values are linearly dependent, or nearly";
    Ball entropy;
    for (const Ball& mu : decoder_.multipliers) entropy = minus(entropy, times(mu, log(mu, kept_bits)));
    for (const Ball& mu : decoder_.multipliers) centre_.push_back(neg(plus(log(mu, kept_bits), entropy)));
    still_ = run_.decoder();
    y_ = product(still_, decoder_.entries);
    if (!certainly_positive(y_)) return "the decoder does not point to its limit yet";
    std::vector<Ball> away;
    for (std::size_t i = 0; i < n; ++i) away.push_back(minus(centre_[i], product(kappa_[i], still_)));
    for (std::size_t i = 0; i < n; ++i) {
      const Ball share = product(inverse_[i], away);
      for (std::size_t j = 0; j < still_.size(); ++j) add_product(still_[j], share, kappa_[i][j], kept_bits);
    }
    if (n > 1) inner_ = root(minus(span_square(away), times(y_, y_)));
    return nullptr;
  }

  bool invert_gram() {
    const auto size = static_cast<slong>(kappa_.size());
    arb_mat_t gram;
    arb_mat_init(gram, size, size);
    for (slong i = 0; i < size; ++i) {
      for (slong j = 0; j < size; ++j)
        arb_set(arb_mat_entry(gram, i, j),
                product(kappa_[static_cast<std::size_t>(i)], kappa_[static_cast<std::size_t>(j)]).raw());
    }
    const bool independent = arb_mat_inv(gram, gram, kept_bits) != 0;
    inverse_.assign(kappa_.size(), std::vector<Ball>(kappa_.size()));
    for (slong i = 0; independent && i < size; ++i) {
      for (slong j = 0; j < size; ++j)
        arb_set(inverse_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].raw(),
                arb_mat_entry(gram, i, j));
    }
    arb_mat_clear(gram);
    return independent;
  }

  // The square of the vector in the span of the kappa_i that has these products with them.
  Ball span_square(const std::vector<Ball>& products) const {
    Ball sum;
    for (std::size_t i = 0; i < products.size(); ++i)
      add_product(sum, products[i], product(inverse_[i], products), kept_bits);
    return sum;
  }

  const char* row_facts() {
    const EnclosedRows rows = enclosed_rows(joint_.data, limits_.selection);
    for (std::size_t c = 0; c < rows.at.size(); ++c) {
      const std::size_t i = rows.at[c].group, winner = limits_.selection[i];
      RowFacts& row = rows_.emplace_back();
      row.group = i;
      row.count = over(Ball(Integer(joint_.data.multiplicity(i, rows.at[c].token))),
                       Ball(Integer(joint_.data.multiplicity(i, winner))));
      std::vector<Ball> difference = value_of(i, rows.at[c].token);
      for (std::size_t j = 0; j < difference.size(); ++j) difference[j] = minus(kappa_[i][j], difference[j]);
      row.label = product(difference, decoder_.entries);
      if (!certainly_positive(row.label))
        return "a token's label margin at the decoder's limit is not below its selected one's";
      const Ball square = product(difference, difference);
      row.difference = root(square);
      row.tilt = product(difference, still_);
      std::vector<Ball> products;
      for (const std::vector<Ball>& own : kappa_) products.push_back(product(difference, own));
      const Ball inside = span_square(products);
      row.sideways = root(minus(inside, times(row.label, row.label)));
      row.outside = root(minus(square, inside));
      row.margin = max(rows.margin(c, attention_.entries), attention_.margin, kept_bits);
      const Ball length = rows.product(c, c);
      row.length = root(length);
      row.aside = root(minus(length, times(row.margin, row.margin)));
      row.multiplier = max(attention_.multipliers[c], Ball(), kept_bits);
      longest_row_ = max(longest_row_, row.length, kept_bits);
    }
    std::vector<Ball> images;  // of u_W
    for (const JointGroup& group : features_.groups) {
      for (std::size_t j = 0; j < features_.d; ++j)
        images.push_back(
            dot({attention_.entries.data() + j * features_.e, features_.e}, group.query, kept_bits));
    }
    big_y_ = run_.along(images, run_.start_product(attention_.entries));
    if (!certainly_positive(big_y_)) return "the attention does not point to its limit yet";
    across_ = root(minus(run_.norm_squared(), times(big_y_, big_y_)));
    return nullptr;
  }

  // X, E, C, kappa and Q_a from guesses of the deficits.
  const char* region() {
    eta_ = spec_.attention.at(run_.step(), kept_bits);
    eta_v_ = spec_.decoder.at(run_.step(), kept_bits);
    pace_ = over(attention_.margin, longest_row_);  // b: dY >= b eta_W
    const Ball guess(guessed);
    const std::size_t n = features_.groups.size();
    // beta_i in [lambda, e^D].
    least_tail_ = Ball(1);
    if (spec_.loss == Loss::logistic)
      least_tail_ = inverse(plus(Ball(1), guess), kept_bits);  // F_i is confirmed
    if (n > 1 && !holds_decoder()) return "the decoder's samples hardly hold it from the side";
    lateral_ = plus(root(product(still_, still_)), plus(inner_, guess));
    for (std::size_t i = 0; i < n; ++i) {
      const Ball aside = root(minus(product(kappa_[i], kappa_[i]), times(decoder_.margin, decoder_.margin)));
      reach_.push_back(minus(times(aside, inner_), centre_[i]));  // -z_i is at most this
    }
    const std::vector<Ball> shift = tilts();
    Ball above, level;
    for (RowFacts& row : rows_) {
      const Ball reach = plus(times(row.sideways, inner_), times(row.outside, guess));
      row.least = plus(row.label, over(minus(min(minus(row.tilt, reach), Ball(), kept_bits), guess), y_));
      row.most = plus(row.label, over(max(plus(row.tilt, reach), Ball(), kept_bits), y_));
      if (!certainly_positive(row.least))
        return "label margins of unselected tokens could still change places";
      const Ball& centre = centre_[row.group];
      above = plus(above, times(exp(plus(minus(guess, centre), shift[row.group]), kept_bits),
                                times(row.count, row.most)));
      if (arb_is_zero(row.multiplier.raw()) != 0) continue;
      // -mu log(b/mu), with s_lo >= 1 - guess; t log t is 0 at 0 and monotone below 1/e.
      const Ball least = times(times(row.count, row.least), minus(Ball(1), guess));
      const Ball low = plus(minus(log(least, kept_bits), centre), log(least_tail_, kept_bits));
      level = plus(level, minus(times(row.multiplier, low), entropy_part(row.multiplier)));
    }
    concentration_ = minus(log(above, kept_bits), level);
    if (!concentration_.is_finite()) return "the multipliers are not known well enough";
    concentration_ = max(concentration_, Ball(), kept_bits);
    kappa_growth_ =
        plus(over(scale_by_power_of_two(concentration_, 1), attention_.margin), over(eta_, pace_));
    Ball start = max(across_, Ball(guessed), kept_bits);
    for (const RowFacts& row : rows_)
      start = max(start, div(times(row.aside, kappa_growth_), times(row.margin, Ball(1.5)), kept_bits),
                  kept_bits);
    choices_.aside = start.upper_double();
    start = Ball(choices_.aside);
    quadratic_ = times(start, start);
    for (RowFacts& row : rows_) {
      row.slope = minus(row.margin, over(times(row.aside, kappa_growth_), scale_by_power_of_two(start, 1)));
      row.at_start = minus(times(row.margin, big_y_), times(row.aside, start));
    }
    return nullptr;
  }

  // How far |q - q*| may get: x with log Z' >= level at that distance, proved at a fixed point.
  bool holds_decoder() {
    const Ball guess(guessed), whole = plus(longest_value_, guess);
    const Ball level =
        plus(minus(guess, log(least_tail_, kept_bits)), times(whole, scale_by_power_of_two(eta_v_, -1)));
    for (int round = 0; round < 8; ++round) {
      const Ball x(choices_.reach);
      const std::optional<Ball> reached = sublevel_radius(plus(level, times(guess, x)));
      if (!reached) return false;
      if (certainly_at_most(*reached, x)) {
        inner_ = max(inner_, plus(x, eta_v_), kept_bits);
        return true;
      }
      choices_.reach = reached->upper_double() * 1.02;
    }
    return false;
  }

  // log Z' < level only at |q - q*| < this: there |w_i| < b_i for every i.
  std::optional<Ball> sublevel_radius(const Ball& level) {
    std::vector<double>& boxes = choices_.boxes;
    boxes.clear();
    for (const Ball& mu : decoder_.multipliers) {
      const Ball rest = minus(Ball(1), mu), ratio = over(mu, rest);
      const auto outside = [&](const Ball& m) {
        const Ball z = plus(times(mu, exp(m, kept_bits)), times(rest, exp(neg(times(m, ratio)), kept_bits)));
        return certainly_less(level, log(z, kept_bits));
      };
      const auto enough = [&](double b) { return outside(Ball(b)) && outside(Ball(-b)); };
      double low = 0, high = 1;
      while (high < 0x1p20 && !enough(high)) high *= 2;
      for (int round = 0; round < 20; ++round) (enough((low + high) / 2) ? high : low) = (low + high) / 2;
      if (!enough(high)) return std::nullopt;
      boxes.push_back(high * (1 + 0x1p-20));
    }
    Ball square;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Ball own = over(decoder_.multipliers[i], decoder_.margin);
      for (std::size_t j = 0; j < boxes.size(); ++j) {
        const Ball entry = minus(inverse_[i][j], times(own, over(decoder_.multipliers[j], decoder_.margin)));
        add_product(square, abs(entry), times(Ball(boxes[i]), Ball(boxes[j])), kept_bits);
      }
    }
    const Ball radius = root(square);
    return radius.is_finite() ? std::optional<Ball>(radius) : std::nullopt;
  }

  // By group i, how large <sum_c nu_c kappa_{i(c)} - kappa_i, q - q*> may be.
  std::vector<Ball> tilts() const {
    std::vector<Ball> mean(features_.decoder_dimension), most;
    for (const RowFacts& row : rows_) {
      for (std::size_t j = 0; j < mean.size(); ++j)
        add_product(mean[j], row.multiplier, kappa_[row.group][j], kept_bits);
    }
    for (const std::vector<Ball>& own : kappa_) {
      std::vector<Ball> apart = mean;
      for (std::size_t j = 0; j < mean.size(); ++j) apart[j] = minus(apart[j], own[j]);
      most.push_back(times(root(product(apart, apart)), inner_));
    }
    return most;
  }

  // mu log mu.
  static Ball entropy_part(const Ball& mu) {
    if (certainly_positive(mu)) return times(mu, log(mu, kept_bits));
    // On [0, m] with m < 1/e it lies in [m log m, 0].
    const Ball most = end_of(mu);
    return certainly_less(most, Ball(Rational(1, 3), kept_bits))
               ? hull(times(most, log(most, kept_bits)), Ball(), kept_bits)
               : log(Ball(), kept_bits);
  }

  // That the guesses were above the truth, at the point and at all later ones.
  const char* confirm() {
    const Ball guess(guessed), ratio = over(eta_v_, times(eta_, pace_));  // dy <= ratio dY
    const std::size_t n = features_.groups.size();
    std::vector<Ball> deficit(n), turn(n), rest(n);
    Ball drift, most_turn;
    bool first = true;
    for (const RowFacts& row : rows_) {
      if (!certainly_positive(row.slope)) return "margins could still fall behind what attention may turn";
      const Ball weight = times(row.count, exp(neg(row.at_start), kept_bits));
      const Ball gap = times(row.most, y_);
      if (!certainly_at_most(ratio, times(row.slope, y_)))
        return "the decoder could grow faster than the margins of the attention";
      deficit[row.group] = plus(deficit[row.group], times(weight, gap));
      turn[row.group] = plus(turn[row.group], times(weight, row.difference));
      rest[row.group] = plus(rest[row.group], weight);
      drift = plus(drift, times(times(weight, row.difference),
                                over(exp(times(row.slope, eta_), kept_bits), row.slope)));
      least_slope_ = first ? row.slope : min(least_slope_, row.slope, kept_bits);
      first = false;
    }
    for (std::size_t i = 0; i < n; ++i) {
      most_turn = max(most_turn, turn[i], kept_bits);
      unselected_ = max(unselected_, rest[i], kept_bits);
      if (!certainly_less(deficit[i], guess) || !certainly_less(turn[i], guess) ||
          !certainly_less(rest[i], guess))
        return "attention is not nearly enough on the selected tokens";
      const Ball output = minus(times(decoder_.margin, y_), plus(reach_[i], guess));
      if (spec_.loss == Loss::logistic && !certainly_less(exp(neg(output), kept_bits), guess))
        return "outputs are not large enough for the loss's tail";
    }
    const Ball forward = minus(decoder_.margin, most_turn);
    if (!certainly_positive(forward) || !certainly_less(times(over(ratio, forward), drift), guess))
      return "the decoder could still drift aside";
    forward_ = over(forward, plus(longest_value_, most_turn));
    return nullptr;
  }

  JointRegion conclusion() const {
    JointRegion found;
    found.decoder_start = y_;
    found.decoder_growth = times(forward_, over(eta_v_, eta_));
    found.attention_start = big_y_;
    found.attention_growth = pace_;
    found.lateral = lateral_;
    found.spread = max(over(quadratic_, big_y_), kappa_growth_, kept_bits);
    Ball sum;
    for (const Ball& reach : reach_) sum = plus(sum, exp(plus(reach, Ball(guessed)), kept_bits));
    found.loss = over(sum, Ball(Integer(reach_.size())));
    found.decoder_margin = decoder_.margin;
    found.concentration = concentration_;
    found.unselected = unselected_;
    found.unselected_fall = times(least_slope_, pace_);
    found.choices = choices_;
    return found;
  }

  const JointFeatures& features_;
  const JointData& joint_;
  const JointSpec& spec_;
  const JointLimits& limits_;
  const JointIteration& run_;
  const Direction& decoder_;
  const Direction& attention_;
  std::vector<std::vector<Ball>> kappa_;
  std::vector<RowFacts> rows_;
  std::vector<std::vector<Ball>> inverse_;  // of the Gram matrix of the kappa_i
  std::vector<Ball> centre_, reach_;        // z*_i; bounds of -z_i
  std::vector<Ball> still_;                 // q* + r at t0
  Ball y_, inner_, longest_value_;          // of v
  Ball big_y_, across_, longest_row_;       // of W
  Ball eta_, eta_v_, pace_, least_tail_, lateral_, concentration_, kappa_growth_, quadratic_;
  Ball unselected_, least_slope_, forward_;
  JointRegionChoices choices_{guessed, 0, 0, {}};
};

}  // namespace

std::optional<std::string> joint_region_excluded(const JointSpec& spec, const JointLimits& limits) {
  if (spec.exponent) return "T20 speaks of gradient descent, not of mirror descent";
  if (!spec.attention.normalised || !spec.decoder.normalised) return "T20 speaks of normalised steps";
  if (spec.attention.power != spec.decoder.power || spec.attention.power < -1)
    return "T20 asks for one schedule of both steps, no faster than inverse";
  if (spec.loss != Loss::logistic && spec.loss != Loss::exponential)
    return "T20 asks for a loss with an exponential tail";
  if (!limits.decoder) return limits.decoder_reason;
  if (limits.decoder->multipliers.empty() || !limits.supporting) return "the decoder's support is undecided";
  if (limits.supporting->size() != limits.selection.size())
    return "T20 asks that every sequence supports the decoder";
  const JointLimit& plain = limits.attention.front();
  if (!plain.direction)
    return plain.reason.empty() ? "the attention's problem has no solution" : plain.reason;
  if (plain.direction->multipliers.empty()) return "the attention's multipliers are undecided";
  return std::nullopt;
}

std::optional<JointRegion> joint_region(const JointFeatures& features, const JointData& joint,
                                        const JointSpec& spec, const JointLimits& limits,
                                        const JointIteration& run, std::string& reason) {
  if (const auto excluded = joint_region_excluded(spec, limits)) {
    reason = *excluded;
    return std::nullopt;
  }
  return Prover(features, joint, spec, limits, run).prove(reason);
}

}  // namespace attest
