#include "numerics/margin/tiled_cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "numerics/numbers/parallel.hpp"

namespace attest {

using Eigen::Index;
using Eigen::MatrixXd;

bool factorise_cholesky(Eigen::Ref<MatrixXd> matrix, const Budget* budget) {
  constexpr Index kTile = 256;
  const Index size = matrix.rows();
  const Index tiles = (size + kTile - 1) / kTile;
  const auto begin = [&](Index tile) { return tile * kTile; };
  const auto width = [&](Index tile) { return std::min(kTile, size - begin(tile)); };
  const auto poll = [&] {
    if (budget != nullptr && !on_helper_thread()) budget->poll();
  };
  for (Index step = 0; step < tiles; ++step) {
    poll();
    const Index at = begin(step), wide = width(step);
    Eigen::Ref<MatrixXd> corner = matrix.block(at, at, wide, wide);
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(corner);
    if (factor.info() != Eigen::Success) return false;
    const Index left = tiles - step - 1;
    parallel_for(static_cast<std::size_t>(left), [&](std::size_t k) {
      const Index row = step + 1 + static_cast<Index>(k);
      corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(
          matrix.block(begin(row), at, width(row), wide));
    });
    // Columns from the left: the ones with most tiles first.
    parallel_for(static_cast<std::size_t>(left), [&](std::size_t k) {
      poll();
      const Index column = step + 1 + static_cast<Index>(k);
      const auto side = matrix.block(begin(column), at, width(column), wide);
      matrix.block(begin(column), begin(column), width(column), width(column))
          .triangularView<Eigen::Lower>() -= side * side.transpose();
      const Index below = begin(column) + width(column);
      if (below < size) {
        matrix.block(below, begin(column), size - below, width(column)).noalias() -=
            matrix.block(below, at, size - below, wide) * side.transpose();
      }
    });
  }
  return true;
}

bool has_cholesky_factor(Eigen::Ref<MatrixXd> matrix) {
  if (!factorise_cholesky(matrix)) return false;
  for (Index k = 0; k < matrix.rows(); ++k) {
    if (!(matrix(k, k) > 0) || !matrix.col(k).tail(matrix.rows() - k).allFinite()) return false;
  }
  return true;
}

}  // namespace attest
