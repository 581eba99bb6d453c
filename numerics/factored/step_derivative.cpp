#include "numerics/factored/step_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numerics/factored/spectral_bound.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dense.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = 0x1p-36;     // of products of four matrices, against the product of their norms
constexpr double gram_shift = 0x1p-38;   // against the trace
constexpr double negligible = 0x1p-14;   // what coordinates that are left out may add to the bound
constexpr double most_change = 0x1p-10;  // of logits, and of gradients against their norm

}  // namespace

StepDerivativeBound::StepDerivativeBound(const Features& features)
    : features_(features),
      token_(index(features.coordinates), index(features.d)),
      query_(index(features.groups.size()), index(features.e)) {
  for (std::size_t i = 0; i < features.groups.size(); ++i) {
    const FeatureGroup& group = features.groups[i];
    for (std::size_t k = 0; k < features.e; ++k) query_(index(i), index(k)) = group.query[k].approx_mid();
    for (std::size_t t = 1; t < group.tokens.size(); ++t) {
      group_.push_back(i);
      for (std::size_t j = 0; j < features.d; ++j)
        token_(index(group.first + t - 1), index(j)) =
            sub(group.token[t * features.d + j], group.token[j], 80).approx_mid();
    }
    const MatrixXd own = token_.middleRows(index(group.first), index(group.tokens.size() - 1));
    double widest = 0;
    for (Index a = 0; a < own.rows(); ++a) {
      widest = std::max(widest, own.row(a).norm());
      for (Index b = 0; b < a; ++b) widest = std::max(widest, (own.row(a) - own.row(b)).norm());
    }
    diameter_.push_back(widest * outward);
  }
  token_gram_ = token_ * token_.transpose();
}

// S = d(tau_K v)/d(logits) at fixed tau_K: tau v_t ([t = u] - s_u - kappa o_u) - s_t tau v_u.
StepDerivativeBound::Weights StepDerivativeBound::weights(const FactoredPoint& point) const {
  const Index count = index(features_.coordinates);
  Weights found{MatrixXd::Zero(count, count), MatrixXd::Zero(count, count)};
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const std::size_t first = features_.groups[i].first;
    const std::vector<double>&v = point.weight[i], &s = point.share[i], &o = point.output[i];
    const double curvature = point.curvature[i];
    for (std::size_t t = 1; t < v.size(); ++t) {
      for (std::size_t u = 1; u < v.size(); ++u) {
        const double one = t == u ? 1 : 0;
        const Index row = index(first + t - 1), column = index(first + u - 1);
        found.derivative(row, column) = v[t] * (one - s[u] - curvature * o[u]) - s[t] * v[u];
        found.size(row, column) =
            std::abs(v[t]) * (one + s[u] + curvature * std::abs(o[u])) + s[t] * std::abs(v[u]);
      }
    }
  }
  return found;
}

// <a_k, a_l> in K and in Q; of normalised steps apart, with <a_k, direction>.
StepDerivativeBound::Blocks StepDerivativeBound::blocks(const FactoredPoint& point) const {
  const Index count = index(features_.coordinates);
  const MatrixXd query_image_gram = point.query_image * point.query_image.transpose();
  const MatrixXd query_gram = query_ * query_.transpose();
  const MatrixXd image_gram = point.token_image * point.token_image.transpose();
  MatrixXd left(count, count), right(count, count);
  for (Index k = 0; k < count; ++k) {
    const Index i = index(group_[static_cast<std::size_t>(k)]);
    for (Index l = 0; l < count; ++l) {
      const Index j = index(group_[static_cast<std::size_t>(l)]);
      left(k, l) = token_gram_(k, l) * query_image_gram(i, j);
      right(k, l) = query_gram(i, j) * image_gram(k, l);
    }
  }
  if (!point.normalised) return {{left + right}, {}};
  const MatrixXd across = point.left_direction * point.query_image.transpose();  // d x groups
  const MatrixXd back = query_ * point.right_direction;                          // groups x m
  Blocks found{{left, right}, {VectorXd(count), VectorXd(count)}};
  for (Index k = 0; k < count; ++k) {
    const Index i = index(group_[static_cast<std::size_t>(k)]);
    found.along[0][k] = token_.row(k).dot(across.col(i));
    found.along[1][k] = back.row(i).dot(point.token_image.row(k));
  }
  return found;
}

// ||tau V||_F for the longer of both steps.
double StepDerivativeBound::velocity_norm(const FactoredPoint& point) const {
  MatrixXd velocity = MatrixXd::Zero(token_.cols(), query_.cols());
  double size = 0;
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const FeatureGroup& group = features_.groups[i];
    VectorXd part = VectorXd::Zero(token_.cols());
    double mass = 0;
    for (std::size_t t = 1; t < group.tokens.size(); ++t) {
      part += point.weight[i][t] * token_.row(index(group.first + t - 1)).transpose();
      mass += std::abs(point.weight[i][t]);
    }
    velocity += part * query_.row(index(i));
    size += mass * diameter_[i] * query_.row(index(i)).norm();
  }
  return (velocity.norm() + rounding * size) * std::max(1.0, point.ratio) * outward;
}

// How far the derivative over the ball may be from that at the point, in norm (FACTORED.md, Lemma 3).
std::optional<double> StepDerivativeBound::slack(const FactoredPoint& point, double radius,
                                                 double velocity) const {
  double derivative = 0, change = 0, turning = 0;
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const double z = query_.row(index(i)).norm() * outward, wide = diameter_[i];
    double mass = 0, deviation = 0;
    for (const double weight : point.weight[i]) mass += std::abs(weight);
    for (const double output : point.output[i]) deviation += std::abs(output);
    double longest = 0;  // of K'(x_t - x_u)
    const std::size_t first = features_.groups[i].first, tokens = features_.groups[i].tokens.size();
    for (std::size_t t = 1; t < tokens; ++t)
      longest = std::max(longest, 2 * point.token_image.row(index(first + t - 1)).norm());
    const double reach =
        (std::hypot(wide * point.query_image.row(index(i)).norm(), z * longest) + wide * z * radius) *
        outward;
    const double moved = reach * radius;  // of differences of logits
    const double b = point.curvature[i] * deviation;
    if (!(moved * (2 + b + deviation) <= most_change)) return std::nullopt;
    const double first_order = mass * (2 + b);
    const double second_order = mass * (deviation * deviation + 2 * b * b + 6 * b + 6);
    derivative += first_order * reach * reach;
    change += second_order * moved * reach * reach + 2 * first_order * reach * wide * z * radius;
    turning += first_order * moved * wide * z;  // of V
  }
  const double longer = std::max(1.0, point.ratio);
  derivative = 1.1 * longer * (derivative + turning) + velocity;
  change = 1.1 * longer * (change + turning);
  if (point.normalised) {
    const double turned = derivative * radius / point.eta;
    if (!(turned <= most_change)) return std::nullopt;
    change = 1.1 * change + 8 * turned * derivative;
  }
  change *= outward;
  if (!std::isfinite(change)) return std::nullopt;
  return change;
}

std::optional<double> StepDerivativeBound::operator()(const FactoredPoint& point, double radius) const {
  const double velocity = velocity_norm(point);
  const std::optional<double> change = slack(point, radius, velocity);
  if (!change) return std::nullopt;
  const Weights weights = this->weights(point);
  Blocks blocks = this->blocks(point);
  const double longer = std::max(1.0, point.ratio);

  // Coordinates that hardly matter are left out, the smallest first.
  const Index count = token_.rows();
  VectorXd length = VectorXd::Zero(count);
  for (const MatrixXd& gram : blocks.gram) length += gram.diagonal().cwiseMax(0);
  length = length.cwiseSqrt() * outward;
  const MatrixXd sizes = weights.size + weights.size.transpose();
  const VectorXd matters = longer * length.cwiseProduct(sizes * length) * outward;
  std::vector<Index> kept(static_cast<std::size_t>(count));
  std::iota(kept.begin(), kept.end(), Index{0});
  std::sort(kept.begin(), kept.end(), [&](Index a, Index b) { return matters[a] > matters[b]; });
  double left_out = 0;
  while (!kept.empty() && left_out + matters[kept.back()] <= negligible) {
    left_out += matters[kept.back()];
    kept.pop_back();
  }
  std::sort(kept.begin(), kept.end());
  const Index size = index(kept.size());

  const MatrixXd s = weights.derivative(kept, kept);
  const double size_norm = weights.size.norm();
  const Index extra = point.normalised ? 1 : 0, side = size + extra;
  const Index number = index(blocks.gram.size());
  std::vector<MatrixXd> factor;  // L_b, L L' >= the Gram matrix
  for (Index b = 0; b < number; ++b) {
    const auto at = static_cast<std::size_t>(b);
    MatrixXd gram(side, side);
    gram.topLeftCorner(size, size) = blocks.gram[at](kept, kept);
    if (extra == 1) {
      gram.col(size).head(size) = blocks.along[at](kept);
      gram.row(size).head(size) = gram.col(size).head(size).transpose();
      gram(size, size) = 1;
    }
    gram.diagonal().array() += gram_shift * gram.trace() + 0x1p-1000;
    const Eigen::LLT<MatrixXd> llt(gram);
    if (llt.info() != Eigen::Success) return std::nullopt;
    factor.push_back(llt.matrixL());
  }
  MatrixXd f = MatrixXd::Identity(number * side, number * side);
  double error = 0;
  for (Index b = 0; b < number; ++b) {
    const double scale = b == 0 ? 1 : point.ratio;
    MatrixXd turn = MatrixXd::Zero(side, size);
    turn.topRows(size).setIdentity();
    if (extra == 1) turn.row(size) = -blocks.along[static_cast<std::size_t>(b)](kept).transpose();
    const MatrixXd& own = factor[static_cast<std::size_t>(b)];
    const MatrixXd half = own.transpose() * turn * (scale * s);
    for (Index c = 0; c < number; ++c) {
      const MatrixXd& other = factor[static_cast<std::size_t>(c)];
      f.block(b * side, c * side, side, side) += half * other.topRows(size);
      error += scale * own.norm() * (1 + turn.norm() + own.norm()) * size_norm * other.norm();
    }
  }
  if (!f.allFinite()) return std::nullopt;
  const double bound =
      (std::max(1.0, size > 0 ? spectral_bound(f) : 1.0) + rounding * error + left_out + velocity + *change) *
      outward;
  if (!std::isfinite(bound)) return std::nullopt;
  return bound;
}

}  // namespace attest
