#include "numerics/joint/derivative.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/factored/spectral_bound.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/dense.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double three_rounding =
    0x1p-40;                              // of products of three matrices, against the product of their norms
constexpr double own_rounding = 0x1p-46;  // of an entry, against the sizes of what it is made of
constexpr double most_logit_change = 0x1p-16, most_turn = 0x1p-2;
constexpr double underflow = 0x1p-700;  // of all entries that doubles do not hold
constexpr double factors = 16;          // an entry is a sum of products of at most six quantities

// Middle of x; `change` at least its radius over `scale`. What is below 2^-900 is no part of any bound but
// `underflow`.
double middle(const Ball& x, double scale, double& change) {
  const double radius = x.radius_upper();
  if (radius > 0x1p-900) change = std::max(change, scale > 0 ? radius / scale * outward : 1.0);
  return x.approx_mid();
}
double relative_middle(const Ball& x, double& change) {
  if (!x.is_exact())
    change = std::max(change, std::ldexp(1.0, static_cast<int>(-std::clamp(x.accuracy_bits(), -1L, 1000L))));
  return x.approx_mid();
}

// I - m m' applied, where m is a unit vector but for `error`.
void project(MatrixXd& matrix, const VectorXd& m) {
  matrix -= m * (m.transpose() * matrix);
}

}  // namespace

// Matrices at the middle of everything, and sizes: what the sum of the terms of an entry may be. An entry
// over the ball differs from its middle by at most factors * change * size.
struct JointDerivativeBound::Parts {
  MatrixXd weights, weights_size;  // tau_W dv/dlogits: coordinates x coordinates
  MatrixXd scores, scores_size;    // tau_W dv/dv: coordinates x decoder dimension
  MatrixXd turned, turned_size;    // tau_v d(-grad_v)/dlogits: decoder dimension x coordinates
  MatrixXd decoder;                // tau_v d(-grad_v)/dv
  double decoder_size = 0;
  VectorXd pull, pull_size;                  // tau_W v_t of every coordinate
  VectorXd decoder_pull, decoder_pull_size;  // tau_v (-grad_v)
  double change = own_rounding;
};

JointDerivativeBound::JointDerivativeBound(const JointFeatures& features) {
  std::vector<VectorXd> keys;
  std::vector<std::size_t> group_of;
  for (std::size_t i = 0; i < features.groups.size(); ++i) {
    const JointGroup& group = features.groups[i];
    const std::size_t tokens = group.tokens.size(), dim = features.decoder_dimension;
    first_.push_back(keys.size());
    for (std::size_t t = 1; t < tokens; ++t) {
      VectorXd& key = keys.emplace_back(index(features.d));
      for (std::size_t j = 0; j < features.d; ++j)
        key[index(j)] = sub(group.key[t * features.d + j], group.key[j], features.bits).approx_mid();
      group_of.push_back(i);
    }
    MatrixXd& value = value_.emplace_back(index(tokens), index(dim));
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t j = 0; j < dim; ++j) value(index(t), index(j)) = group.value[t * dim + j].approx_mid();
    }
    MatrixXd& apart = apart_.emplace_back(index(tokens * tokens), index(dim));
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t u = 0; u < tokens; ++u) {
        for (std::size_t j = 0; j < dim; ++j) {
          apart(index(t * tokens + u), index(j)) =
              sub(group.value[t * dim + j], group.value[u * dim + j], features.bits).approx_mid();
        }
      }
    }
  }
  coordinates_ = keys.size();
  const Index count = index(coordinates_);
  MatrixXd gram(count, count);
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const std::size_t at = group_of[static_cast<std::size_t>(a)] * features.groups.size() +
                             group_of[static_cast<std::size_t>(b)];
      gram(a, b) = keys[static_cast<std::size_t>(a)].dot(keys[static_cast<std::size_t>(b)]) *
                   features.query_gram[at].approx_mid();
    }
  }
  if (count == 0) return;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(gram);
  basis_ = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  // Any factors L, M of positive matrices lie within ||L L' - M M'||^(1/2), but for an orthogonal matrix.
  const double summed = std::max(0x1p-44, static_cast<double>(coordinates_ + features.d) * 0x1p-50);
  const double residual = (basis_ * basis_.transpose() - gram).norm() + summed * gram.trace();
  basis_error_ = std::sqrt(residual) * outward;
}

bool JointDerivativeBound::fill(const JointJacobianPoint& point, Parts& parts) const {
  const Index count = index(coordinates_), dim = value_.empty() ? 0 : value_.front().cols();
  parts.weights = parts.weights_size = MatrixXd::Zero(count, count);
  parts.scores = parts.scores_size = MatrixXd::Zero(count, dim);
  parts.turned = parts.turned_size = MatrixXd::Zero(dim, count);
  parts.decoder = MatrixXd::Zero(dim, dim);
  parts.pull = parts.pull_size = VectorXd::Zero(count);
  parts.decoder_pull = parts.decoder_pull_size = VectorXd::Zero(dim);
  double& change = parts.change;
  for (std::size_t i = 0; i < point.weights->size(); ++i) {
    const JointWeights& own = (*point.weights)[i];
    const MatrixXd& value = value_[i];
    const Index tokens = value.rows(), first = index(first_[i]);
    const double ratio = middle(own.ratio, 1, change);
    const double outer = relative_middle(mul(point.decoder_factor, own.slope, 80), change);
    const Ball slope = mul(point.attention_factor, own.slope, 80);
    const auto dominant = index(own.dominant);
    // lift: tau_W |l'|/n s_t, not of the dominant token, whose may be beyond doubles.
    VectorXd share(tokens), lift = VectorXd::Zero(tokens), gap(tokens), moved(tokens), moved_size(tokens),
                            output(tokens), output_size(tokens);
    double widest = 0, spread = 0, spread_lift = 0, deficit = 0;
    for (const Ball& one : own.gap) widest = std::max(widest, std::abs(one.approx_mid()));
    for (Index t = 0; t < tokens; ++t) {
      const auto k = static_cast<std::size_t>(t);
      share[t] = relative_middle(own.share[k], change);
      gap[t] = middle(own.gap[k], widest, change);
      if (t == dominant) continue;
      lift[t] = relative_middle(mul(slope, own.share[k], 80), change);
      spread += share[t] * widest;
      spread_lift += lift[t] * widest;
      deficit += share[t] * gap[t];
    }
    for (Index t = 0; t < tokens; ++t) {
      const bool first_of_all = t == dominant;
      output[t] = share[t] * (deficit - gap[t]);
      output_size[t] = share[t] * (spread + (first_of_all ? 0 : widest));
      moved_size[t] = first_of_all ? share[t] * spread_lift : lift[t] * (spread + widest);
      moved[t] = middle(mul(point.attention_factor, own.weight[static_cast<std::size_t>(t)], 80),
                        moved_size[t], change);
    }
    // x_t - sum_u s_u x_u without cancellation where attention is nearly one-hot, and that times
    // tau_W |l'|/n s_t.
    MatrixXd off = MatrixXd::Zero(tokens, dim), off_size = off, lifted = off, lifted_size = off;
    for (Index t = 0; t < tokens; ++t) {
      for (Index u = 0; u < tokens; ++u) {
        if (u == t) continue;
        const VectorXd apart = apart_[i].row(t * tokens + u);
        off.row(t) += share[u] * apart;
        off_size.row(t) += share[u] * apart.cwiseAbs();
        const double both = t == dominant ? share[t] * lift[u] : lift[t] * share[u];
        lifted.row(t) += both * apart;
        lifted_size.row(t) += both * apart.cwiseAbs();
      }
    }
    const VectorXd mean = value.transpose() * share, mean_size = value.cwiseAbs().transpose() * share;
    parts.decoder -= ratio * outer * mean * mean.transpose();
    parts.decoder_size += std::abs(outer) * mean_size.squaredNorm();
    parts.decoder_pull += outer * mean;
    parts.decoder_pull_size += std::abs(outer) * mean_size;
    for (Index t = 1; t < tokens; ++t) {
      const Index row = first + t - 1;
      parts.pull[row] = moved[t];
      parts.pull_size[row] = moved_size[t];
      for (Index u = 1; u < tokens; ++u) {
        const double kept = (t == u ? 1 : 0) - share[u];
        parts.weights(row, first + u - 1) = moved[t] * (kept - ratio * output[u]) - share[t] * moved[u];
        parts.weights_size(row, first + u - 1) =
            moved_size[t] * (1 + share[u] + output_size[u]) + share[t] * moved_size[u];
      }
      parts.scores.row(row) = -ratio * moved[t] * mean.transpose() + lifted.row(t);
      parts.scores_size.row(row) = moved_size[t] * mean_size.transpose() + lifted_size.row(t);
      parts.turned.col(row) = outer * (share[t] * off.row(t).transpose() - ratio * output[t] * mean);
      parts.turned_size.col(row) =
          std::abs(outer) * (share[t] * off_size.row(t).transpose() + output_size[t] * mean_size);
    }
  }
  return change <= most_logit_change && parts.weights_size.allFinite() && parts.scores_size.allFinite() &&
         parts.turned_size.allFinite() && std::isfinite(parts.decoder_size);
}

std::optional<JointDerivative> JointDerivativeBound::operator()(const JointJacobianPoint& point) const {
  Parts parts;
  if (!fill(point, parts)) return std::nullopt;
  double change = factors * parts.change;
  const double basis = (basis_.norm() + basis_error_) * outward;
  // Of both coordinates' basis and entries, against the norm of what stands between two bases.
  const auto slack = [&](double size, int bases) {
    const double twice = bases == 2 ? basis : 1.0;
    return size * ((change + three_rounding) * basis * twice + 2 * basis_error_ * twice) + underflow;
  };
  JointDerivative bound;
  double turned_error = 0, decoder_turned_error = 0, stretch = 0;  // stretch: of tau over the ball
  VectorXd along, decoder_along;
  if (point.attention_normalised) {
    const double eta = point.attention_eta.approx_mid();
    along = basis_.transpose() * parts.pull / eta;
    turned_error = 4 * slack(parts.pull_size.norm(), 1) / eta + three_rounding;
    stretch = 4 * (change + three_rounding) * basis * parts.pull_size.norm() / eta;
  }
  if (point.decoder_normalised) {
    const double eta = point.decoder_eta.approx_mid();
    decoder_along = parts.decoder_pull / eta;
    decoder_turned_error =
        4 * (change + three_rounding) * parts.decoder_pull_size.norm() / eta + three_rounding;
    stretch += decoder_turned_error;
  }
  if (!(turned_error <= most_turn) || !(decoder_turned_error <= most_turn) || !(stretch <= most_logit_change))
    return std::nullopt;
  // tau moves over the ball as the gradient's norm does.
  change += 2 * stretch;
  // ||(I - n n') X||, X within `error` of `middle`.
  const auto turned = [](MatrixXd& matrix, const VectorXd& m, double turn, double error) {
    const double size = matrix.norm() + error;
    if (m.size() != 0) project(matrix, m);
    return (m.size() != 0 ? error + turn * size : error) * outward;
  };
  if (coordinates_ > 0) {
    MatrixXd attention = basis_.transpose() * (parts.weights * basis_);
    double error = turned(attention, along, turned_error, slack(parts.weights_size.norm(), 2));
    attention.diagonal().array() += 1;
    bound.attention = std::max(1.0, spectral_bound(attention)) + error;  // the other directions stay
    MatrixXd scores = basis_.transpose() * parts.scores;
    error = turned(scores, along, turned_error, slack(parts.scores_size.norm(), 1));
    bound.from_decoder = scores.norm() * outward + error;
    MatrixXd across = parts.turned * basis_;
    error = turned(across, decoder_along, decoder_turned_error, slack(parts.turned_size.norm(), 1));
    bound.from_attention = across.norm() * outward + error;
  }
  const double error = turned(parts.decoder, decoder_along, decoder_turned_error,
                              (change + three_rounding) * parts.decoder_size + underflow);
  parts.decoder.diagonal().array() += 1;
  bound.decoder = spectral_bound(parts.decoder) + error;
  const bool finite = std::isfinite(bound.attention) && std::isfinite(bound.from_decoder) &&
                      std::isfinite(bound.from_attention) && std::isfinite(bound.decoder);
  return finite ? std::optional(bound) : std::nullopt;
}

}  // namespace attest
