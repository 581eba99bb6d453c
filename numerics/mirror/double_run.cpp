#include "numerics/mirror/double_run.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct DoubleGroup {
  Matrix token;  // tokens x d
  Eigen::VectorXd query, score, count;
};

class DoubleRun {
 public:
  DoubleRun(const Features& features, const MirrorSpec& spec, const ExactArray& start)
      : spec_(spec), exponent_(mpq_get_d(spec.exponent.backend().data())) {
    const auto d = static_cast<Eigen::Index>(features.d), e = static_cast<Eigen::Index>(features.e);
    dual_ = Matrix::Zero(d, e);
    for (std::size_t j = 0; j < start.size(); ++j) {
      const double w = start.approx(j);
      dual_.data()[j] = std::copysign(std::pow(std::abs(w), exponent_ - 1), w);
    }
    for (const FeatureGroup& from : features.groups) {
      DoubleGroup& group = groups_.emplace_back();
      const auto tokens = static_cast<Eigen::Index>(from.tokens.size());
      group.token.resize(tokens, d);
      for (std::size_t k = 0; k < from.token.size(); ++k) group.token.data()[k] = from.token[k].approx_mid();
      group.query.resize(e);
      for (Eigen::Index k = 0; k < e; ++k)
        group.query[k] = from.query[static_cast<std::size_t>(k)].approx_mid();
      group.score.resize(tokens);
      group.count.resize(tokens);
      for (Eigen::Index t = 0; t < tokens; ++t) {
        group.score[t] = from.score[static_cast<std::size_t>(t)].approx_mid();
        group.count[t] = static_cast<double>(from.counts[static_cast<std::size_t>(t)]);
      }
    }
    share_ = 1.0 / static_cast<double>(features.all_groups);
    dominant_.resize(groups_.size());
  }

  // False when there is no step to make.
  bool step(std::uint64_t t) {
    const double q = exponent_ / (exponent_ - 1);
    const Matrix primal = dual_.array().sign() * dual_.array().abs().pow(q - 1);
    Matrix velocity = Matrix::Zero(dual_.rows(), dual_.cols());
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const DoubleGroup& group = groups_[i];
      const Eigen::VectorXd logit = group.token * (primal * group.query);
      Eigen::Index best = 0;
      const double top = logit.maxCoeff(&best);
      dominant_[i] = static_cast<std::size_t>(best);
      Eigen::VectorXd share = (logit.array() - top).exp() * group.count.array();
      share /= share.sum();
      const Eigen::VectorXd gap = (group.score[best] - group.score.array()).matrix();
      const double deficit = share.dot(gap);
      const double outer = share_ * loss_slope(spec_.steps.loss, group.score[best] - deficit);
      const Eigen::VectorXd weight = outer * share.array() * (deficit - gap.array());
      velocity += (group.token.transpose() * weight) * group.query.transpose();
    }
    const double largest = velocity.cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    Ball eta;
    step_size(eta.raw(), spec_.steps, t, 64);
    double factor = eta.approx_mid();
    if (spec_.normalised)
      factor /= largest * std::pow((velocity.array().abs() / largest).pow(q).sum(), 1 / q);
    dual_ += factor * velocity;
    return dual_.allFinite();
  }

  const std::vector<std::size_t>& dominant() const { return dominant_; }

 private:
  const MirrorSpec& spec_;
  double exponent_, share_ = 1;
  Matrix dual_;
  std::vector<DoubleGroup> groups_;
  std::vector<std::size_t> dominant_;
};

}  // namespace

Selection guess_mirror_selection(const Features& features, const MirrorSpec& spec, const ExactArray& start,
                                 std::uint64_t steps, const Budget& budget) {
  DoubleRun run(features, spec, start);
  for (std::uint64_t t = 0; t <= steps; ++t) {
    if (t % 64 == 0) budget.poll();
    if (!run.step(t)) break;
  }
  Selection selection(features.all_groups, 0);
  for (std::size_t i = 0; i < features.groups.size(); ++i)
    selection[features.groups[i].original] = features.groups[i].tokens[run.dominant()[i]];
  return selection;
}

}  // namespace attest
