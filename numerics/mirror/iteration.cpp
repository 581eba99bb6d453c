#include "numerics/mirror/iteration.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/numbers/dense.hpp"

namespace attest {
namespace {

constexpr double most_relative = 0x1p-24;      // change of an entry of Z for P > 2
constexpr double most_other_change = 0x1p-12;  // of anything else that the derivative depends on
constexpr double product_rounding = 0x1p-36;   // of the products below, against the product of their norms

}  // namespace

MirrorIteration::MirrorIteration(const Features& features, const MirrorSpec& spec, const Potential& potential,
                                 const ExactArray& start)
    : features_(features),
      spec_(spec),
      potential_(potential),
      start_dual_(features.d * features.e),
      coordinates_(features.coordinates),
      frame_(index(features.coordinates)) {
  for (std::size_t j = 0; j < start.size(); ++j)
    start_dual_[j] = potential.gradient(Ball(start.exact(j), features.bits), features.bits);
}

IterationStatus MirrorIteration::evaluate() {
  const long bits = features_.bits;
  std::vector<std::vector<Ball>> values;
  for (const FeatureGroup& group : features_.groups) {
    std::vector<Ball>& value = values.emplace_back(1);
    for (std::size_t t = 1; t < group.tokens.size(); ++t) {
      value.push_back(coordinates_[group.first + t - 1]);
      value[0] = sub(value[0], value[t], bits);
    }
  }
  kept_dual_ = features_.combine(values);
  kept_primal_.clear();
  for (std::size_t j = 0; j < kept_dual_.size(); ++j) {
    kept_dual_[j] = add(kept_dual_[j], start_dual_[j], bits);
    kept_primal_.push_back(potential_.inverse_gradient(kept_dual_[j], bits));
  }
  weights_ = features_.weigh(kept_primal_, spec_.steps.loss);
  const auto vanish = [](const std::vector<Ball>& balls) {
    return std::all_of(balls.begin(), balls.end(), [](const Ball& x) { return arb_is_zero(x.raw()) != 0; });
  };
  bool still = true;
  values.clear();
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    values.push_back(weights_[i].weight);
    still &= vanish(weights_[i].weight) || vanish(features_.groups[i].query);
  }
  enclose_errors();
  if (still) return IterationStatus::stationary;
  velocity_ = features_.combine(values);
  velocity_norm_ = potential_.dual_norm(velocity_, bits);
  step_size(factor_.raw(), spec_.steps, step_, bits);
  if (spec_.normalised) factor_ = div(factor_, velocity_norm_, bits);
  return factor_.is_finite() && certainly_positive(factor_) ? IterationStatus::ok
                                                            : IterationStatus::precision;
}

// Z_t - Z~ = sum e_k D_k, and W moves by at most the largest slope of |z|^(Q-1) on the way.
void MirrorIteration::enclose_errors() {
  const Eigen::VectorXd error = frame_.coordinates();
  const double q = potential_.q();
  variation_.dual = features_.rows.cwiseAbs().transpose() * error * outward;
  variation_.primal = Eigen::VectorXd::Zero(variation_.dual.size());
  response_ = variation_.primal;
  dual_ = kept_dual_;
  primal_ = kept_primal_;
  double moved = 0, size = 0;
  for (std::size_t j = 0; j < dual_.size(); ++j) {
    const Eigen::Index at = index(j);
    const double change = variation_.dual[at], z = std::abs(kept_dual_[j].approx_mid());
    if (features_.moves[j] && z > 0) response_[at] = (q - 1) * std::pow(z, q - 2);
    if (change > 0) {
      arb_add_error_arf(dual_[j].raw(), arb_midref(Ball(change).raw()));
      const double extreme = q < 2 ? z - 2 * change : z + 2 * change;
      if (extreme > 0 && dual_[j].accuracy_bits() > 24) {
        variation_.primal[at] = (q - 1) * std::pow(extreme, q - 2) * change * outward;
        arb_add_error_arf(primal_[j].raw(), arb_midref(Ball(variation_.primal[at]).raw()));
      } else {
        primal_[j] = potential_.inverse_gradient(dual_[j], features_.bits);
        variation_.primal[at] = 2 * primal_[j].radius_upper();
      }
    }
    const double w = kept_primal_[j].approx_mid(), radius = primal_[j].radius_upper();
    size += w * w;
    moved += radius + 0x1p-1000;  // no squares: they underflow
  }
  variation_.logits = 0;
  if (features_.coordinates > 0)
    variation_.logits = 2 * (features_.rows.cwiseAbs() * variation_.primal).maxCoeff() * outward;
  const double relative = std::log2(moved) - 0.5 * std::log2(size) + 1e-6;
  correct_bits_ = size > 0 ? static_cast<long>(std::floor(std::max(-relative, 0.0))) : 0;
}

// tau dv_t/da_u = tau v_t ([t = u] - s_u - ratio f_u) - s_t tau v_u, f_u = s_u (g_u - f), for logits a of one
// group; those relative to the first token are what moves. `size` bounds the sum of the entries' sizes, and
// that of all terms that cancel in them.
Eigen::MatrixXd MirrorIteration::weight_derivatives(double& size) const {
  const Eigen::Index count = index(features_.coordinates);
  Eigen::MatrixXd blocks = Eigen::MatrixXd::Zero(count, count);
  size = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const FeatureWeights& group = weights_[i];
    const std::size_t tokens = group.weight.size(), first = features_.groups[i].first;
    std::vector<double> moved, share, output;
    double weight = 0, spread = 0;
    for (std::size_t t = 0; t < tokens; ++t) {
      moved.push_back(mul(factor_, group.weight[t], 64).approx_mid());
      share.push_back(group.share[t].approx_mid());
      Ball slope;  // wt |l'|, by which weight = wt |l'| f_u
      arb_div_ui(slope.raw(), group.slope.raw(), features_.all_groups, 64);
      output.push_back(div(group.weight[t], slope, 64).approx_mid());
      weight += std::abs(moved[t]);
      spread += std::abs(output[t]);
    }
    const double ratio = std::abs(group.ratio.approx_mid());
    for (std::size_t t = 1; t < tokens; ++t) {
      for (std::size_t u = 1; u < tokens; ++u) {
        blocks(index(first + t - 1), index(first + u - 1)) =
            moved[t] * ((t == u ? 1 : 0) - share[u] - ratio * output[u]) - share[t] * moved[u];
      }
    }
    const double factor = (1 + ratio) * (1 + spread);
    size += 4 * static_cast<double>(tokens) * weight * factor * factor;
  }
  return blocks;
}

// c -> c + tau v(W(Z(c))): I + (I - (tau v) n') S G, S as above, G_kl = sum_j D_kj D_lj dW_j/dZ_j, and, with
// normalised steps, n_l = <grad ||.||_Q (V), D_l>/eta. `slack` bounds the Frobenius norm of what it may
// differ by at points between W~ and W_t, rounding included (proofs/statements/MIRROR.md).
bool MirrorIteration::jacobian(Eigen::MatrixXd& result, double& slack) const {
  const double q = potential_.q();
  const Eigen::MatrixXd& rows = features_.rows;
  double weights = 0;
  const Eigen::MatrixXd blocks = weight_derivatives(weights);
  const Eigen::MatrixXd scaled = rows * response_.cwiseMax(0).cwiseSqrt().asDiagonal();
  const Eigen::MatrixXd gram = scaled * scaled.transpose();
  // Change of G against its trace: relative where slopes fall, absolute where they rise from 0.
  double relative = 0, absolute = 0;
  for (std::size_t j = 0; j < kept_dual_.size(); ++j) {
    if (!features_.moves[j]) continue;
    const double change = variation_.dual[index(j)], z = std::abs(kept_dual_[j].approx_mid());
    if (q < 2) {
      if (!(change <= most_relative * z)) return false;
      relative = std::max(relative, 2 * change / z);
    } else if (q > 2) {
      const double rise = q <= 3 ? std::pow(change, q - 2) : (q - 2) * std::pow(z + change, q - 3) * change;
      absolute = std::max(absolute, (q - 1) * rise);
    }
  }
  const double trace = gram.trace() * outward;
  const double gram_change = relative * trace + absolute * rows.squaredNorm() * outward;
  double weights_change = 16 * variation_.logits * weights;
  result = blocks * gram;
  if (spec_.normalised) {
    const Ball eta = mul(factor_, velocity_norm_, 64);
    Eigen::VectorXd moved(result.rows()), direction(rows.cols());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      for (std::size_t t = 1; t < weights_[i].weight.size(); ++t)
        moved[index(features_.groups[i].first + t - 1)] =
            mul(factor_, weights_[i].weight[t], 64).approx_mid();
    }
    for (std::size_t j = 0; j < velocity_.size(); ++j) {
      const double part = div(velocity_[j], velocity_norm_, 64).approx_mid();
      direction[index(j)] = std::copysign(std::pow(std::abs(part), q - 1), part);
    }
    const Eigen::VectorXd normal = rows * direction / eta.approx_mid();
    const double longest = rows.cwiseAbs().rowwise().sum().maxCoeff();
    const double reach = moved.norm() * normal.norm() * outward;
    // V, relative to its norm; tau v with it; the gradient of the norm at V/||V||.
    const double velocity_change =
        2 * weights * variation_.logits * longest / std::abs(eta.approx_mid()) + 0x1p-200;
    if (!(velocity_change <= most_other_change)) return false;
    const double turned =
        q <= 2 ? 2 * std::pow(2 * velocity_change, q - 1) + 0x1p-48 : 4 * (q - 1) * velocity_change + 0x1p-48;
    const double moved_change = 2 * weights * variation_.logits + 2 * moved.norm() * velocity_change;
    const double normal_change = std::sqrt(static_cast<double>(rows.rows())) * longest * turned *
                                 static_cast<double>(rows.cols()) / std::abs(eta.approx_mid());
    weights_change += 2 * velocity_change * weights;
    result -= moved * (normal.transpose() * result);
    slack = (1 + reach) * (weights_change * trace + weights * gram_change) +
            (moved_change * normal.norm() + moved.norm() * normal_change) * weights * trace +
            product_rounding * (1 + reach) * weights * trace;
  } else {
    slack = weights_change * trace + weights * gram_change + product_rounding * weights * trace;
  }
  slack *= 4;  // products of changes, each at most a 2^-12th of what it changes
  result += Eigen::MatrixXd::Identity(result.rows(), result.cols());
  return variation_.logits <= most_other_change && result.allFinite() && std::isfinite(slack);
}

// Where W is not differentiable on the box, as at an entry of Z that might be 0: the step over the whole box
// in balls. c+ lies within |e| + |tau v(W_t) - (c~+ - c~)| of c~+.
bool MirrorIteration::wide_bound(const std::vector<Ball>& before, Eigen::VectorXd& bound) const {
  const long bits = features_.bits;
  const std::vector<FeatureWeights> weights = features_.weigh(primal_, spec_.steps.loss);
  Ball factor = factor_;
  if (spec_.normalised) {
    std::vector<std::vector<Ball>> values;
    for (const FeatureWeights& group : weights) values.push_back(group.weight);
    step_size(factor.raw(), spec_.steps, step_, bits);
    factor = div(factor, potential_.dual_norm(features_.combine(values), bits), bits);
  }
  bound = frame_.coordinates();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t t = 1; t < weights[i].weight.size(); ++t) {
      const std::size_t k = features_.groups[i].first + t - 1;
      const Ball kept = sub(coordinates_[k], before[k], bits);
      const Ball missed = sub(mul(factor, weights[i].weight[t], bits), kept, bits);
      bound[index(k)] += std::max(-missed.lower_double(), missed.upper_double()) * outward + 0x1p-990;
    }
  }
  return bound.allFinite() && bound.maxCoeff() < 0x1p-20;
}

IterationStatus MirrorIteration::advance() {
  const long bits = features_.bits;
  Eigen::MatrixXd derivative;
  double slack = 0;
  const bool smooth = frame_.is_zero() || jacobian(derivative, slack);
  const std::vector<Ball> before = coordinates_;
  Eigen::VectorXd noise(index(coordinates_.size()));
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    for (std::size_t t = 1; t < weights_[i].weight.size(); ++t) {
      const std::size_t k = features_.groups[i].first + t - 1;
      Ball next = add(coordinates_[k], mul(factor_, weights_[i].weight[t], bits), bits);
      if (!next.is_finite()) return IterationStatus::precision;
      noise[index(k)] = next.radius_upper() * outward + 0x1p-1000;
      mag_zero(arb_radref(next.raw()));
      coordinates_[k] = std::move(next);
    }
  }
  if (smooth) {
    if (!frame_.step(derivative, slack, noise)) return IterationStatus::precision;
  } else {
    Eigen::VectorXd bound;
    if (!wide_bound(before, bound)) return IterationStatus::precision;
    frame_.set(bound);
  }
  ++step_;
  return IterationStatus::ok;
}

}  // namespace attest
