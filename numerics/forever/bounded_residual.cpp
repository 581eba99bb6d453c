#include "numerics/forever/bounded_residual.hpp"

#include <arb_mat.h>

#include <algorithm>
#include <cmath>

#include "numerics/forever/group_images.hpp"
#include "numerics/forever/region_bounds.hpp"

namespace attest {
namespace {

// <a, t>, `a` starting at entry `first` of `matrix`.
double row_product(const std::vector<double>& matrix, std::size_t first, const std::vector<double>& t) {
  double sum = 0;
  for (std::size_t b = 0; b < t.size(); ++b) sum += matrix[first + b] * t[b];
  return sum;
}

BallNumber row_product(const std::vector<BallNumber>& matrix, std::size_t first,
                       const std::vector<BallNumber>& t) {
  static_assert(sizeof(BallNumber) == sizeof(arb_struct), "arrays of balls are arrays of arb_struct");
  Ball sum;
  arb_dot(sum.raw(), nullptr, 0, matrix[first].ball().raw(), 1, t.front().ball().raw(), 1,
          static_cast<slong>(t.size()), BallNumber::bits);
  return BallNumber(sum);
}

// t' A t for a symmetric A given row by row.
template <typename Number>
Number quadratic_form(const std::vector<Number>& matrix, const std::vector<Number>& t) {
  Number sum(0.0);
  for (std::size_t a = 0; a < t.size(); ++a) sum += row_product(matrix, a * t.size(), t) * t[a];
  return sum;
}

// Enclosures of <Delta_c, Delta_k> = <x_c, x_k> <z_c, z_k>, x_c the difference of the two tokens.
class ConstraintProducts {
 public:
  ConstraintProducts(const RunGeometry& geometry, const ReferenceDirection& direction,
                     const SelectionFacts<BallNumber>& facts, const Budget& budget)
      : facts_(facts), dimension_(geometry.dimension), groups_(geometry.groups.size()) {
    const TokenData& data = *geometry.data;
    for (const ConstraintFacts<BallNumber>& c : facts.constraints) {
      budget.poll();
      const std::size_t i = geometry.groups[c.group].original;
      const std::size_t selected = data.row(i, direction.selection[i]);
      const std::size_t other = data.row(i, c.row - geometry.groups[c.group].first_row);
      for (std::size_t j = 0; j < dimension_; ++j) {
        differences_.emplace_back(data.token_factor.exact(selected * dimension_ + j) -
                                      data.token_factor.exact(other * dimension_ + j),
                                  bits);
      }
    }
    for (std::size_t i = 0; i < groups_; ++i) {
      budget.poll();
      for (std::size_t k = 0; k < groups_; ++k) {
        queries_.emplace_back(exact_dot(data.query_factor, geometry.groups[i].original, data.query_factor,
                                        geometry.groups[k].original, geometry.query_dimension),
                              bits);
      }
    }
  }

  BallNumber operator()(std::size_t c, std::size_t k) const {
    const Ball tokens = dot(std::span(differences_).subspan(c * dimension_, dimension_),
                            std::span(differences_).subspan(k * dimension_, dimension_), bits);
    const Ball& queries = queries_[facts_.constraints[c].group * groups_ + facts_.constraints[k].group];
    return BallNumber(mul(tokens, queries, bits));
  }

 private:
  static constexpr long bits = BallNumber::bits + 64;
  const SelectionFacts<BallNumber>& facts_;
  std::size_t dimension_, groups_;
  std::vector<Ball> differences_;  // constraints x dimension
  std::vector<Ball> queries_;      // groups x groups
};

// Measured: a factorisation and a solve of `size` right sides, 50 ns a product of balls.
double predicted_inverse_seconds(std::size_t size) {
  const auto n = static_cast<double>(size);
  return 1.4 * n * n * n * 5e-8;
}

// The inverse of a symmetric matrix that the Cholesky factorisation in balls proves positive definite.
std::optional<std::vector<BallNumber>> inverse_of(const std::vector<BallNumber>& matrix, std::size_t size) {
  const auto n = static_cast<slong>(size);
  arb_mat_t a, inverse;
  arb_mat_init(a, n, n);
  arb_mat_init(inverse, n, n);
  for (slong r = 0; r < n; ++r) {
    for (slong c = 0; c < n; ++c) {
      arb_set(arb_mat_entry(a, r, c), matrix[static_cast<std::size_t>(r * n + c)].ball().raw());
    }
  }
  std::optional<std::vector<BallNumber>> result;
  if (arb_mat_spd_inv(inverse, a, BallNumber::bits + 64) != 0) {
    result.emplace();
    for (slong r = 0; r < n; ++r) {
      for (slong c = 0; c < n; ++c) {
        Ball entry;
        arb_set(entry.raw(), arb_mat_entry(inverse, r, c));
        result->emplace_back(std::move(entry));
      }
    }
  }
  arb_mat_clear(a);
  arb_mat_clear(inverse);
  return result;
}

template <typename Number>
struct ResidualImage {
  std::vector<Number> attention;
  Number step{0.0}, outside{0.0}, reach{0.0};
  Number bound{0.0};           // X_e
  Number centre_norm{0.0};     // ||p||
  Number start_distance{0.0};  // x_0
  Number log_weight{0.0}, growth{0.0};
};

// Nothing when a hypothesis that is not of the form F(constants) <= constants is not certain.
template <typename Number>
std::optional<ResidualImage<Number>> residual_image(const SelectionFacts<Number>& facts,
                                                    const SupportFacts<Number>& support,
                                                    const StartPoint<Number>& start, StepLength length,
                                                    const Number& eta, const RegionConstants& constants) {
  using std::exp;
  using std::fmax;
  using std::sqrt;
  const Number one(1.0), two(2.0), four(4.0);
  const Number reach(constants.reach), step(constants.step), outside(constants.outside);
  const auto bounds = factor_bounds(facts, constants, false);
  if (!bounds) return std::nullopt;
  ResidualImage<Number> image;
  image.log_weight = bounds->log_weight;
  const Number left = facts.margin - outside * facts.norm_bound;
  if (!positive(left)) return std::nullopt;
  if (!at_most(step * support.diameter * support.diameter, four * left)) return std::nullopt;

  // Start: the parts of w_0 - y_0 u in and orthogonal to U, and its distance from p_inf.
  std::vector<Number> products, distances;
  for (std::size_t k = 0; k < support.support.size(); ++k) {
    products.push_back(start.offsets[support.support[k]]);
    distances.push_back(products.back() - support.limit[k]);
  }
  const Number in_square = quadratic_form(support.inverse, products);
  image.start_distance = sqrt(fmax(quadratic_form(support.inverse, distances), Number(0.0)));
  image.centre_norm = sqrt(support.limit_norm * support.limit_norm +
                           fmax(start.residual * start.residual - in_square, Number(0.0)));

  Number push(0.0), drift(0.0), noise(0.0), far(0.0);
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    const SelectionGroup<Number>& group = facts.groups[i];
    const Number half_range = two * Number(constants.attention[i]) * fmax(group.gap_above, group.gap_below);
    Number odds(0.0);
    for (std::size_t c = group.first; c < group.last; ++c) {
      const ConstraintFacts<Number>& k = facts.constraints[c];
      // eps_i max|gap| <= gap_c/2 on S, for the logarithms of the factors.
      if (k.active && !at_most(half_range, k.gap)) return std::nullopt;
      const Number low = start.margins[c] - k.spread * reach;
      odds += exp(-low);
      push += bounds->high[c] * exp(-low);
      noise += support.sensitivity[i] * exp(k.margin_rate * step - low) / k.margin_rate;
      if (k.active) continue;
      if (!positive(k.excess)) return std::nullopt;
      const Number pull = bounds->high[c] * exp(k.spread * reach - start.offsets[c] - image.log_weight);
      if (!constants.inside[c]) drift += pull;
      far += pull * exp(k.excess * step) / (left * k.excess) * k.spread;
    }
    image.attention.push_back(odds / (one + odds));
  }
  image.outside = drift;
  image.step = length == StepLength::constant ? eta : eta * facts.norm_bound * push;
  image.bound = sqrt(image.start_distance * image.start_distance + four * noise / left) + far;
  image.reach = image.bound + image.start_distance;
  const bool everything =
      std::find(constants.inside.begin(), constants.inside.end(), false) == constants.inside.end();
  image.growth = length == StepLength::gradient ? facts.margin * left * exp(image.log_weight)
                 : everything                   ? facts.least_cosine
                                                : left / (facts.norm_bound * (one + outside));
  return image;
}

constexpr double inflation = 1e-6;

}  // namespace

std::optional<SupportFacts<BallNumber>> enclose_support(const SelectionFacts<BallNumber>& facts,
                                                        const RunGeometry& geometry,
                                                        const ReferenceDirection& direction,
                                                        const Budget& budget) {
  SupportFacts<BallNumber> result;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    if (k.active) {
      if (facts.better[c]) return std::nullopt;
      result.support.push_back(c);
    } else if (!positive(k.excess)) {
      return std::nullopt;
    }
  }
  const std::size_t size = result.support.size();
  const double left = budget.remaining_seconds();
  if (left >= 0 && predicted_inverse_seconds(size) > left / 4) return std::nullopt;
  const ConstraintProducts product(geometry, direction, facts, budget);
  std::vector<BallNumber> gram(size * size);
  for (std::size_t a = 0; a < size; ++a) {
    budget.poll();
    for (std::size_t b = 0; b <= a; ++b) {
      gram[a * size + b] = gram[b * size + a] = product(result.support[a], result.support[b]);
    }
  }
  for (std::size_t a = 0; a < size; ++a) {
    budget.poll();
    for (std::size_t b = 0; b < a; ++b) {
      const BallNumber square =
          gram[a * size + a] + gram[b * size + b] - BallNumber(2.0) * gram[a * size + b];
      result.diameter = fmax(result.diameter, sqrt(square));
    }
  }
  auto inverse = inverse_of(gram, size);
  if (!inverse) return std::nullopt;
  result.inverse = std::move(*inverse);

  BallNumber squares(0.0);
  for (const BallNumber& entry : result.inverse) squares += entry * entry;
  result.least_eigenvalue = BallNumber(1.0) / sqrt(squares);

  BallNumber mean(0.0);
  for (const std::size_t c : result.support) {
    const ConstraintFacts<BallNumber>& k = facts.constraints[c];
    const BallNumber slope = loss_slope(facts.loss, facts.groups[k.group].score);
    result.limit.push_back(log(facts.weight * slope * k.gap / k.share));
    mean += k.share * result.limit.back();
  }
  for (BallNumber& value : result.limit) value = value - mean;
  result.limit_norm = sqrt(quadratic_form(result.inverse, result.limit));

  for (const SelectionGroup<BallNumber>& group : facts.groups) {
    const BallNumber wide = fmax(group.gap_above, group.gap_below);
    std::optional<BallNumber> least;
    for (std::size_t c = group.first; c < group.last; ++c) {
      if (!facts.constraints[c].active) continue;
      least = least ? fmin(*least, facts.constraints[c].gap) : facts.constraints[c].gap;
    }
    const BallNumber doubled_log = BallNumber(2.0) * log(BallNumber(2.0));
    result.sensitivity.push_back(least
                                     ? BallNumber(1.0) + BallNumber(loss_curvature_ratio(facts.loss)) * wide +
                                           doubled_log * wide / *least
                                     : BallNumber(0.0));
  }
  return result;
}

SupportFacts<double> approximate(const SupportFacts<BallNumber>& support) {
  const auto mids = [](const std::vector<BallNumber>& values) {
    std::vector<double> result;
    for (const BallNumber& value : values) result.push_back(value.ball().approx_mid());
    return result;
  };
  const auto mid = [](const BallNumber& value) { return value.ball().approx_mid(); };
  return {support.support,          mids(support.inverse),         mids(support.limit),
          mid(support.limit_norm),  mid(support.least_eigenvalue), mid(support.diameter),
          mids(support.sensitivity)};
}

ResidualLimit compare_with_limit(const SupportFacts<BallNumber>& support,
                                 const StartPoint<BallNumber>& point) {
  std::vector<BallNumber> products, distances;
  for (std::size_t k = 0; k < support.support.size(); ++k) {
    products.push_back(point.offsets[support.support[k]]);
    distances.push_back(products.back() - support.limit[k]);
  }
  return {point.step, sqrt(quadratic_form(support.inverse, products)), support.limit_norm,
          sqrt(quadratic_form(support.inverse, distances))};
}

std::optional<RegionConstants> propose_residual(const SelectionFacts<double>& facts,
                                                const SupportFacts<double>& support,
                                                const StartPoint<double>& start, const LaterSteps& steps,
                                                const std::vector<bool>& inside) {
  if (!without_loss_gap(step_length(steps.spec))) return std::nullopt;
  const double eta = steps.largest.ball().approx_mid();
  RegionConstants constants;
  constants.inside = inside;
  constants.attention.assign(facts.groups.size(), 0);
  for (int round = 0; round < 400; ++round) {
    const auto image = residual_image(facts, support, start, step_length(steps.spec), eta, constants);
    if (!image || !std::isfinite(image->reach) || !std::isfinite(image->step)) return std::nullopt;
    double largest_change = 0;
    RegionConstants next = constants;
    const auto raise = [&](double& constant, double value) {
      const double raised = std::max(constant, value * (1 + inflation) + 0x1p-1000);
      if (raised > constant) largest_change = std::max(largest_change, (raised - constant) / raised);
      constant = raised;
    };
    for (std::size_t i = 0; i < facts.groups.size(); ++i) raise(next.attention[i], image->attention[i]);
    raise(next.step, image->step);
    raise(next.outside, image->outside);
    raise(next.reach, image->reach);
    if (largest_change < inflation / 4) return constants;
    constants = std::move(next);
  }
  return std::nullopt;
}

std::optional<ForeverProof> prove_residual(const SelectionFacts<BallNumber>& facts,
                                           const SupportFacts<BallNumber>& support,
                                           const StartPoint<BallNumber>& start, const LaterSteps& steps,
                                           const RegionConstants& constants) {
  if (!without_loss_gap(step_length(steps.spec))) return std::nullopt;
  for (std::size_t c = 0; c < facts.constraints.size(); ++c) {
    if (facts.constraints[c].active && !constants.inside[c]) return std::nullopt;
    if (constants.inside[c] && facts.better[c]) return std::nullopt;
  }
  if (!(constants.reach > 0) || !(constants.outside >= 0) || !(constants.step > 0)) return std::nullopt;
  for (const double eps : constants.attention) {
    if (!(eps > 0)) return std::nullopt;
  }
  const auto image = residual_image(facts, support, start, step_length(steps.spec), steps.largest, constants);
  if (!image) return std::nullopt;
  const auto dominated = [](const BallNumber& value, double constant) {
    return at_most(value, BallNumber(constant));
  };
  for (std::size_t i = 0; i < facts.groups.size(); ++i) {
    if (!dominated(image->attention[i], constants.attention[i])) return std::nullopt;
  }
  if (!dominated(image->reach, constants.reach) || !dominated(image->step, constants.step) ||
      !dominated(image->outside, constants.outside)) {
    return std::nullopt;
  }
  ForeverProof proof;
  proof.theorem = ForeverTheorem::bounded_residual;
  proof.t0 = start.step;
  proof.steps = steps;
  proof.rate = forever_rate(steps.spec, true);
  proof.constants = constants;
  proof.log_weight = image->log_weight;
  proof.logarithmic = step_length(steps.spec) == StepLength::gradient;
  proof.margin = facts.margin;
  proof.start_height = start.height;
  proof.growth = image->growth;
  proof.centre_norm = image->centre_norm;
  proof.path_offset = image->bound * image->bound;
  proof.start_distance = image->start_distance;
  proof.start_margins = start.margins;
  const std::size_t size = support.support.size();
  for (std::size_t a = 0; a < size; ++a) {
    BallNumber sum(0.0);
    for (std::size_t b = 0; b < size; ++b) {
      sum += support.inverse[a * size + b] * (start.offsets[support.support[b]] - support.limit[b]);
    }
    proof.pull.emplace_back(support.support[a], sum);
  }
  proof.least_eigenvalue = support.least_eigenvalue;
  return proof;
}

}  // namespace attest
