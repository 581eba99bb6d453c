#include "numerics/norms/entrywise_hessian.hpp"

namespace attest {

void entrywise_hessian(const ScaledConstraints& constraints, const RowMatrix& weight,
                       Eigen::MatrixXd& result) {
  const auto size = static_cast<Eigen::Index>(constraints.size());
  result.resize(size, size);
  const Eigen::Index groups = constraints.query.rows();
  for (Eigen::Index i = 0; i < groups; ++i) {
    const auto begin = static_cast<Eigen::Index>(constraints.first[static_cast<std::size_t>(i)]);
    const Eigen::Index count =
        static_cast<Eigen::Index>(constraints.first[static_cast<std::size_t>(i) + 1]) - begin;
    if (count == 0) continue;
    const RowMatrix weighted = weight.array().rowwise() * constraints.query.row(i).array();
    for (Eigen::Index j = 0; j <= i; ++j) {
      const auto other = static_cast<Eigen::Index>(constraints.first[static_cast<std::size_t>(j)]);
      const Eigen::Index others =
          static_cast<Eigen::Index>(constraints.first[static_cast<std::size_t>(j) + 1]) - other;
      if (others == 0) continue;
      const Eigen::VectorXd entry = weighted * constraints.query.row(j).transpose();
      result.block(begin, other, count, others).noalias() =
          constraints.difference.middleRows(begin, count) * entry.asDiagonal() *
          constraints.difference.middleRows(other, others).transpose();
      if (j < i)
        result.block(other, begin, others, count) = result.block(begin, other, count, others).transpose();
    }
  }
}

}  // namespace attest
