#include "numerics/mirror/error_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

constexpr double unit = 0x1p-53, least_bound = 0x1p-990;

}  // namespace

ErrorFrame::ErrorFrame(Eigen::Index size)
    : basis_(Eigen::MatrixXd::Identity(size, size)), bound_(Eigen::VectorXd::Zero(size)) {}

Eigen::VectorXd ErrorFrame::coordinates() const {
  const double rounding = 1 + 4 * static_cast<double>(bound_.size()) * unit;
  return basis_.cwiseAbs() * bound_ * rounding;
}

void ErrorFrame::set(const Eigen::VectorXd& bound) {
  growth_bits_ += std::max(0.0, std::log2(bound.lpNorm<1>() / (bound_.lpNorm<1>() + least_bound)));
  basis_.setIdentity();
  bound_ = bound;
}

bool ErrorFrame::step(const Eigen::MatrixXd& jacobian, double slack, const Eigen::VectorXd& noise) {
  const Eigen::Index size = bound_.size();
  if (is_zero()) {
    basis_.setIdentity();
    bound_ = noise.array() + least_bound;
    return noise.allFinite();
  }
  const double count = static_cast<double>(size), before = bound_.lpNorm<1>();
  const Eigen::MatrixXd image = jacobian * basis_;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Eigen::VectorXd length = image.colwise().norm().transpose().cwiseProduct(bound_);
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return length[a] > length[b]; });
  Eigen::MatrixXd sorted(size, size);
  for (Eigen::Index k = 0; k < size; ++k) sorted.col(k) = image.col(order[static_cast<std::size_t>(k)]);
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(sorted);
  const Eigen::MatrixXd frame = factors.householderQ();
  const Eigen::MatrixXd turned = frame.transpose() * image;
  const double products = 8 * count * count * unit;  // of two products and their norms, with room
  const double askew = (Eigen::MatrixXd::Identity(size, size) - frame.transpose() * frame).norm() + products;
  if (!(askew <= 0x1p-20) || !turned.allFinite()) return false;
  // ||B|| <= 1 + 2^-20, so ||e'|| <= (||J|| + slack) ||B|| ||r|| + ||noise||.
  const double noise_norm = noise.lpNorm<1>();
  const double rest =
      (1.01 * slack + 3 * (products + askew) * (jacobian.norm() + 1)) * before + 3 * askew * noise_norm;
  Eigen::VectorXd next = turned.cwiseAbs() * bound_ + frame.transpose().cwiseAbs() * noise;
  // Sums of sizes, not of squares, and a floor: nothing underflows unseen.
  next = (next * (1 + 4 * count * unit)).array() + rest * (1 + 0x1p-20) + least_bound;
  if (!next.allFinite()) return false;
  growth_bits_ += std::max(0.0, std::log2(next.lpNorm<1>() / (before + noise_norm)));
  basis_ = frame;
  bound_ = next;
  return true;
}

}  // namespace attest
