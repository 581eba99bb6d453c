#include "numerics/forever/path_residual.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "numerics/forever/path_scale.hpp"
#include "numerics/margin/active_gram.hpp"
#include "numerics/margin/primal_dual.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

constexpr std::size_t most_tight = 2000;  // beyond, checking the Gram matrix takes longer than the rest
constexpr unsigned residual_bits = 56;

// Claims are rounded up by so much, which covers a checker's own rounding, and what it makes of the bounds of
// b_c.
Rational with_slack(const Rational& value) {
  return dyadic_above(value * (1 + power_of_two(-16)), residual_bits);
}

// A constraint off the support at the solution.
struct FarConstraint {
  Constraint at;
  BallNumber beyond;  // gamma_c - gamma
  BallNumber across;  // d_c = ||Delta_c - gamma_c u||
};

class ResidualProof {
 public:
  ResidualProof(const TokenData& data, const Selection& selection, const PrimalDual& known, Loss loss,
                const Budget& budget)
      : known_(known),
        budget_(budget),
        constraints_(data, selection),
        norm_(sqrt(BallNumber(known.value_squared(BallNumber::bits)))),
        path_(data, selection, loss, norm_) {
    const ConstraintVector& tight = *known.dual();
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      if (std::binary_search(tight.constraint.begin(), tight.constraint.end(), constraints_.constraint(c)))
        at_.push_back(c);
    }
    const Rational reach = known.dual_radius();
    for (std::size_t k = 0; k < tight.size(); ++k) {
      const Rational value = tight.value(k);
      weight_.push_back(BallNumber(Ball(value - reach, value + reach, BallNumber::bits)) / (norm_ * norm_));
    }
  }

  std::optional<PathResidual> run(const Rational& from_radius) {
    const ScaledConstraints scaled = scale_constraints(constraints_, budget_);
    const std::optional<ActiveGram> gram = ActiveGram::factorise(scaled, at_);
    const double eigenvalue = gram ? gram->proved_least_eigenvalue(budget_) : 0;
    if (eigenvalue == 0 || !find_far_constraints()) return std::nullopt;
    found_.least_eigenvalue = Rational(eigenvalue) * power_of_two(2 * scaled.exponent);
    for (const std::size_t c : at_)
      found_.largest_square = std::max(
          found_.largest_square, Rational(constraints_.gram_scale() * Rational(constraints_.gram(c, c))));
    // Where the selected tokens lack less than 2^-40 of their attention the weights b_c are nearly constant.
    set_radius(dyadic_above((number(from_radius) + BallNumber(28.0) * norm_).ball().upper(), 24));
    guess_pull(*gram, scaled.exponent);
    if (!choose_radius()) return std::nullopt;
    return conclude();
  }

 private:
  // Margins at the solution from those of the matrix known, exactly. False where one may be tight.
  bool find_far_constraints() {
    const ConstraintVector& near = known_.primal();
    std::vector<std::size_t> in;
    for (std::size_t c = 0, k = 0; c < constraints_.size() && k < near.size(); ++c) {
      if (constraints_.constraint(c) != near.constraint[k]) continue;
      in.push_back(c);
      ++k;
    }
    const std::vector<Integer> products = constraints_.products(in, near.numerator, budget_);
    const BallNumber radius = number(known_.primal_radius()), one(1.0);
    for (std::size_t c = 0; c < constraints_.size(); ++c) {
      if (std::binary_search(at_.begin(), at_.end(), c)) continue;
      if (c % 1024 == 0) budget_.poll();
      const BallNumber length2 = number(constraints_.gram_scale() * Rational(constraints_.gram(c, c)));
      const BallNumber margin = number(constraints_.gram_scale() * Rational(products[c], near.denominator)) -
                                sqrt(length2) * radius;
      if (!positive(margin - one)) return false;
      const BallNumber above = number(constraints_.gram_scale() * Rational(products[c], near.denominator)) +
                               sqrt(length2) * radius;
      const BallNumber slope = BallNumber(hull(margin.ball(), above.ball(), BallNumber::bits)) / norm_;
      far_.push_back({constraints_.constraint(c), slope - one / norm_,
                      sqrt(fmax(length2 - slope * slope, BallNumber(0.0)))});
    }
    return true;
  }

  void set_radius(const Rational& radius) {
    found_.from_radius = radius;
    decay_ = path_.decay(number(radius));
    scale_ = path_.scale(decay_);
  }

  // K of T21: <u, W_r> >= r - K.
  BallNumber lag() const {
    BallNumber sum(0.0);
    for (std::size_t k = 0; k < at_.size(); ++k)
      sum += weight_[k] * path_.level(constraints_.constraint(at_[k]), scale_, decay_);
    return norm_ * sum;
  }

  BallNumber weight(std::size_t c) const { return path_.weight(constraints_.constraint(c), scale_, decay_); }

  // log(b_c/mu_c) of the support, and their mean.
  std::vector<BallNumber> levels(BallNumber& mean) const {
    std::vector<BallNumber> level;
    mean = BallNumber(0.0);
    for (std::size_t k = 0; k < at_.size(); ++k) {
      level.push_back(log(weight(at_[k]) / weight_[k]));
      mean += weight_[k] * level.back();
    }
    return level;
  }

  // The point of the support's span with <Delta_c, p> = log(b_c/mu_c) less their mean.
  void guess_pull(const ActiveGram& gram, long exponent) {
    BallNumber mean;
    const std::vector<BallNumber> level = levels(mean);
    Eigen::VectorXd wanted(static_cast<Eigen::Index>(at_.size()));
    for (std::size_t k = 0; k < at_.size(); ++k)
      wanted[static_cast<Eigen::Index>(k)] = (level[k] - mean).ball().approx_mid();
    const Eigen::VectorXd solved = gram.approx_solve(wanted);
    constexpr long bits = 64;
    found_.pull.denominator = Integer(1) << bits;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const Rational value =
          Rational(std::ldexp(solved[static_cast<Eigen::Index>(k)], static_cast<int>(-2 * exponent)));
      const Integer numerator = Integer(value * Rational(found_.pull.denominator));
      if (numerator == 0) continue;
      found_.pull.constraint.push_back(constraints_.constraint(at_[k]));
      found_.pull.numerator.push_back(numerator);
      pulled_.push_back(at_[k]);
    }
  }

  // At least ||p||, for all weights that there may be; `mean` as of levels().
  BallNumber centre(BallNumber& mean) const {
    const std::vector<BallNumber> level = levels(mean);
    const std::vector<Integer> products = constraints_.products(pulled_, found_.pull.numerator, budget_);
    const Rational unit = constraints_.gram_scale() / Rational(found_.pull.denominator);
    Rational length2 = 0;
    for (std::size_t k = 0; k < pulled_.size(); ++k)
      length2 += found_.pull.value(k) * unit * Rational(products[pulled_[k]]);
    BallNumber squares(0.0);
    for (std::size_t k = 0; k < at_.size(); ++k) {
      const BallNumber rest = level[k] - mean - number(unit * Rational(products[at_[k]]));
      squares += rest * rest;
    }
    return sqrt(number(length2)) + sqrt(squares / number(found_.least_eigenvalue));
  }

  // The least radius in doubles at which the other constraints add next to nothing, and a little more.
  bool choose_radius() {
    const Rational least = found_.from_radius;
    BallNumber mean;
    const double reach = centre(mean).ball().upper_double(), behind = lag().ball().upper_double();
    const double unit = norm_.ball().upper_double() * std::exp(-mean.ball().approx_mid());
    double first = 0;  // the height from which height times weight falls
    struct Term {
      double weight, beyond;
    };
    std::vector<Term> terms;
    for (const FarConstraint& c : far_) {
      const double beyond = c.beyond.ball().lower_double();
      terms.push_back({std::log(path_.weight(c.at, scale_, decay_).ball().upper_double()) +
                           c.across.ball().upper_double() * reach,
                       beyond});
      first = std::max(first, 1.001 / beyond);
    }
    const auto share = [&](double height) {
      double sum = 0;
      for (const Term& term : terms) sum += std::exp(term.weight - term.beyond * height);
      return 2 * height * unit * sum;
    };
    const double wanted = 0x1p-10 * (reach * reach + 0x1p-10);
    double low = std::max({first, number(least).ball().approx_mid() - behind, 0x1p-20}), high = low;
    while (!(share(high) <= wanted) && high < 0x1p200) high *= 2;
    for (int round = 0; round < 20 && high > 1.01 * low; ++round) {
      const double middle = std::sqrt(low * high);
      (share(middle) <= wanted ? high : low) = middle;
    }
    if (!std::isfinite(high + behind) || !std::isfinite(reach) || high >= 0x1p200) return false;
    set_radius(std::max(least, dyadic_above(Rational(1.001 * high + behind), 24)));
    return path_.allowed(found_.from_radius);
  }

  std::optional<PathResidual> conclude() {
    BallNumber mean;
    const BallNumber reach = centre(mean), radius = number(found_.from_radius), behind = lag();
    const BallNumber height = radius - behind;
    BallNumber sum(0.0);
    for (const FarConstraint& c : far_) {
      if (!at_most(BallNumber(1.0), c.beyond * height)) return std::nullopt;
      sum += path_.weight(c.at, scale_, decay_) * exp(c.across * reach - c.beyond * height);
    }
    if (!positive(height)) return std::nullopt;
    const auto squared =
        interval_of((reach * reach + BallNumber(2.0) * height * norm_ * sum / exp(mean)).ball());
    if (!squared || squared->hi <= 0) return std::nullopt;
    found_.residual = with_slack(dyadic_above_sqrt(squared->hi, residual_bits));
    // 1 - y/r = X^2/(r (r + y)), y >= r - K.
    const BallNumber x = number(found_.residual);
    const auto rate = interval_of((x * x / (BallNumber(2.0) - behind / radius)).ball());
    if (!rate) return std::nullopt;
    found_.rate_constant = with_slack(rate->hi);
    return std::move(found_);
  }

  const PrimalDual& known_;
  const Budget& budget_;
  const IntegerConstraints constraints_;
  const BallNumber norm_;
  const PathScale path_;
  std::vector<std::size_t> at_, pulled_;  // S, and where the pull has entries
  std::vector<BallNumber> weight_;        // mu_c on S
  std::vector<FarConstraint> far_;
  BallNumber decay_, scale_;  // at found_.from_radius
  PathResidual found_;
};

}  // namespace

std::optional<PathResidual> bound_path_residual(const TokenData& data, const Selection& selection,
                                                const MarginSolution& solution, Loss loss,
                                                const Rational& from_radius, const Budget& budget) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (known == nullptr || known->dual() == nullptr || data.outputs || !solution.support) return std::nullopt;
  const ConstraintVector& tight = *known->dual();
  if (tight.size() > most_tight || tight.constraint != *solution.support) return std::nullopt;
  return ResidualProof(data, selection, *known, loss, budget).run(from_radius);
}

}  // namespace attest
