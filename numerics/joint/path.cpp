#include "numerics/joint/path.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/forever/ball_number.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Number = BallNumber;

constexpr unsigned distance_bits = 40;
// Radii are rounded up by so much, which covers a checker's own rounding.
constexpr double slack = 1 + 0x1p-36;

Number norm_of(const std::vector<Ball>& x) {
  return sqrt(Number(dot(x, x, Number::bits)));
}

bool below(const Number& x, const Number& y) {
  return certainly_less(x.ball(), y.ball());
}

// A row of the attention as the decoder's limit sees it.
struct LabelledRow {
  Number count;   // of the token over that of the selected one
  Number label;   // Gamma_c
  Number length;  // ||kappa_i - g_it||
};

struct LabelledGroup {
  bool supports = false;
  Number multiplier, excess;      // mu_i; e_i
  Number largest;                 // x_i: the longest of its labelled values
  Number best_other;              // G_i: the largest <g_it, u_v> of the others
  Number positive, total;         // sums of count Gamma_c^+ and count ||kappa_i - g_it||
  std::vector<std::size_t> rows;  // of EnclosedRows
};

class Path {
 public:
  explicit Path(const JointPathFacts& facts)
      : facts_(facts), margin_(facts.decoder.margin), gamma_(facts.attention.margin), cost_(facts.cost) {
    const bool logistic = facts.loss == Loss::logistic;
    const Number half_log = log(Number(2.0));
    tail_ = logistic ? half_log : Number(1.0);
    slope_ = logistic ? Number(0.5) : Number(1.0);
    spread_ = log(Number(static_cast<double>(facts.features.groups.size())) / tail_);
  }

  std::optional<JointPathBound> prove(std::string& reason) {
    read_groups();
    if (const char* missing = beside()) {
      reason = missing;
      return std::nullopt;
    }
    // x bounds eps + N/r.
    bool allowed = false;
    for (int k = 1; k <= 60 && !allowed; ++k) {
      x_ = Number(std::ldexp(margin_.ball().lower_double(), -k));
      h_ = sqrt(Number(2.0) * (Number(1.0) + longest_ / cost_) * x_ / margin_);
      allowed = fits();
    }
    if (!allowed) {
      reason = "no radius is large enough: a selected token hardly beats another at the decoder's limit";
      return std::nullopt;
    }
    return conclusion();
  }

 private:
  void read_groups() {
    const JointFeatures& features = facts_.features;
    labelled_.resize(facts_.rows.at.size());
    for (std::size_t i = 0; i < features.groups.size(); ++i) {
      const JointGroup& group = features.groups[i];
      LabelledGroup& own = groups_.emplace_back();
      own.supports = std::binary_search(facts_.supporting.begin(), facts_.supporting.end(), i);
      own.multiplier = Number(facts_.decoder.multipliers[i]);
      const std::size_t dimension = features.decoder_dimension;
      const auto value = [&](std::size_t t) {
        return std::vector<Ball>(group.value.begin() + static_cast<std::ptrdiff_t>(t * dimension),
                                 group.value.begin() + static_cast<std::ptrdiff_t>((t + 1) * dimension));
      };
      const auto along = [&](const std::vector<Ball>& y) {
        return Number(dot(y, facts_.decoder.entries, Number::bits));
      };
      const auto place = std::find(group.tokens.begin(), group.tokens.end(), facts_.selection[i]);
      const auto selected = static_cast<std::size_t>(place - group.tokens.begin());
      const std::vector<Ball> kappa = value(selected);
      own.excess = along(kappa) - margin_;
      own.largest = norm_of(kappa);
      own.positive = own.total = Number(0.0);
      for (std::size_t t = 0; t < group.tokens.size(); ++t) {
        if (t == selected) continue;
        const std::vector<Ball> other = value(t);
        std::vector<Ball> apart = kappa;
        for (std::size_t j = 0; j < dimension; ++j) apart[j] = sub(apart[j], other[j], Number::bits);
        const auto row = static_cast<std::size_t>(
            std::lower_bound(facts_.rows.at.begin(), facts_.rows.at.end(), Constraint{i, group.tokens[t]}) -
            facts_.rows.at.begin());
        LabelledRow& c = labelled_[row];
        c.count = Number(static_cast<double>(group.counts[t])) /
                  Number(static_cast<double>(group.counts[selected]));
        c.label = along(apart);
        c.length = norm_of(apart);
        own.best_other = own.rows.empty() ? along(other) : fmax(own.best_other, along(other));
        own.largest = fmax(own.largest, norm_of(other));
        own.positive += c.count * fmax(c.label, Number(0.0));
        own.total += c.count * c.length;
        own.rows.push_back(row);
      }
    }
  }

  // beta, and what rows of sequences off the support need; the obstacle, if any.
  const char* beside() {
    beta_ = Number(0.0);
    for (const LabelledGroup& own : groups_) {
      if (own.supports) {
        for (const std::size_t c : own.rows) longest_ = fmax(longest_, labelled_[c].length);
        steepest_ = fmax(steepest_, own.positive);
        widest_ = fmax(widest_, own.total);
        if (!positive(own.multiplier) && !own.rows.empty())
          return "a sequence that supports the decoder has no positive multiplier";
        continue;
      }
      ++outside_;
      if (!multipliers_known()) return "precision: the attention's multipliers are not known";
      least_excess_ = outside_ == 1 ? own.excess : fmin(least_excess_, own.excess);
      if (facts_.plain == nullptr) return "the attention's plain problem has no solution to lean on";
      if (!positive(own.excess)) return "a sequence is hardly off the decoder's support";
      if (positive(own.positive))
        beta_ = fmax(beta_, log(Number(2.0) * own.positive / own.excess) / Number(facts_.plain->margin));
      else if (!own.rows.empty())
        return "a sequence off the decoder's support has tokens as good as the selected one";
    }
    return nullptr;
  }

  bool multipliers_known() const { return !facts_.attention.multipliers.empty(); }

  bool holding(std::size_t c) const {
    return !multipliers_known() || !certainly_at_most(facts_.attention.multipliers[c], Ball());
  }

  // What the proof asks of x.
  bool fits() const {
    if (!below(x_, cost_ * Number(0.5)) || !below(x_, margin_ * Number(0.5))) return false;
    for (const LabelledGroup& own : groups_) {
      if (own.supports) {
        for (const std::size_t c : own.rows) {
          if (!below(h_ * labelled_[c].length, labelled_[c].label * Number(0.5))) return false;
        }
        continue;
      }
      if (!below(h_ * own.largest, own.excess * Number(0.25))) return false;
      const bool held =
          std::any_of(own.rows.begin(), own.rows.end(), [&](std::size_t c) { return holding(c); });
      if (held && !(below(own.best_other, margin_) && below(lost(own), Number(1.0)))) return false;
    }
    return true;
  }

  // theta_i: the most attention that a sequence off the support gives to other tokens.
  Number lost(const LabelledGroup& own) const {
    return (own.excess + x_ + own.largest * h_) / (margin_ + own.excess - own.best_other);
  }

  std::optional<JointPathBound> conclusion() const {
    JointPathBound bound;
    bound.relaxed = outside_ > 0;
    bound.gamma = gamma_.ball();
    const Number plain = bound.relaxed ? Number(facts_.plain->margin) : gamma_;
    // eta(R) = e^{-gamma (R - beta) - gamma_P beta}; a eta(R_0) = x/2.
    const Number lean = (gamma_ - plain) * beta_;
    const Number radius = fmax((log(Number(2.0) * steepest_ / x_) + lean) / gamma_, fmax(beta_, Number(0.0)));
    const Number decoder_radius = fmax(Number(2.0) * spread_ / x_, Number(1.0));
    if (!radius.ball().is_finite() || !decoder_radius.ball().is_finite()) return std::nullopt;
    bound.least_radius = dyadic_above((radius * Number(slack)).ball().upper(), distance_bits);
    bound.least_decoder_radius = dyadic_above((decoder_radius * Number(slack)).ball().upper(), distance_bits);
    bound.excess = Rational(x_.ball().approx_mid());
    const Number share = (Number(1.0) + longest_ / cost_) / margin_;
    bound.decoder_decay = (share * steepest_ * exp(lean)).ball();
    bound.decoder_rate = (share * spread_).ball();
    bound.slope = bound.relaxed ? (Number(4.0) * gamma_ / least_excess_).ball() : Ball();
    std::optional<Number> best;
    for (int k = -6; k <= 12; ++k) {
      const double window = std::ldexp(1 / widest_.ball().approx_mid(), -k);
      const Number found = constant(Number(window), decoder_radius);
      if (!found.ball().is_finite() || (best && found.ball().upper_double() >= best->ball().upper_double()))
        continue;
      best = found;
      bound.window = Rational(window);
    }
    if (!best) return std::nullopt;
    bound.rate = ((*best + lean) / gamma_).ball();
    return bound;
  }

  // sum nu_c log(K_c/((1 - q) count_c)), and what rows of other sequences may fall below 0, for one b.
  Number constant(const Number& b, const Number& decoder_radius) const {
    Number sum(0.0), grown(0.0), most(0.0);
    bool first = true;
    for (const LabelledGroup& own : groups_) {
      if (own.supports) grown += own.total * exp(b * own.total);
    }
    const Number late = (steepest_ + spread_ / b) / cost_;
    for (const LabelledGroup& own : groups_) {
      for (const std::size_t c : own.rows) {
        if (!holding(c)) continue;
        const LabelledRow& row = labelled_[c];
        const Number weight =
            multipliers_known() ? fmax(Number(facts_.attention.multipliers[c]), Number(0.0)) : Number(0.0);
        if (!own.supports) {
          sum += weight * fmax(-log(row.count * (Number(1.0) - lost(own))), Number(0.0));
          continue;
        }
        const Number gap = row.label - h_ * row.length;
        const Number early = exp((steepest_ * b + spread_) / own.multiplier) *
                             (grown + Number(static_cast<double>(outside_)) / decoder_radius) /
                             (slope_ * gap);
        const Number level = log(fmax(early, late) / ((Number(1.0) - x_ / cost_) * row.count));
        most = first ? level : fmax(most, level);
        first = false;
        sum += weight * level;
      }
    }
    return multipliers_known() ? sum : most;
  }

  const JointPathFacts& facts_;
  const Number margin_, gamma_, cost_;  // Gamma, gamma, nu
  Number tail_, slope_, spread_;        // lambda, lambda', N
  std::vector<LabelledRow> labelled_;
  std::vector<LabelledGroup> groups_;
  Number longest_{0.0}, steepest_{0.0}, widest_{0.0}, beta_{0.0};  // d, a, max g^, beta
  Number least_excess_{0.0}, x_{0.0}, h_{0.0};
  std::size_t outside_ = 0;
};

}  // namespace

std::optional<JointPathBound> joint_path(const JointPathFacts& facts, std::string& reason) {
  if (facts.loss != Loss::logistic && facts.loss != Loss::exponential) {
    reason = "the loss has no exponential tail";
    return std::nullopt;
  }
  if (!(facts.cost > 0)) {
    reason = "A.margin is not proved";
    return std::nullopt;
  }
  if (facts.decoder.multipliers.empty()) {
    reason = "precision: the decoder's multipliers are not known";
    return std::nullopt;
  }
  std::optional<JointPathBound> bound = Path(facts).prove(reason);
  if (!bound && reason.empty()) reason = "precision: the constants are not finite";
  return bound;
}

}  // namespace attest
