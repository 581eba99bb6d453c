#include "numerics/margin/unit_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kPieces = 16;  // of a scan: fixed, so that sums have a fixed order
constexpr Index kStrip = 256;

std::size_t piece_begin(std::size_t piece, std::size_t groups) {
  return piece * groups / kPieces;
}

}  // namespace

UnitRows::UnitRows(const ScaledConstraints& constraints) : constraints_(constraints) {
  offset_.resize(static_cast<Index>(constraints.size()));
  for (Index c = 0; c < offset_.size(); ++c) {
    const double length = std::sqrt(constraints.norm_squared[c]);
    offset_[c] = length > 0 && std::isfinite(1 / length) ? 1 / length : 1;
  }
}

RowMatrix UnitRows::combination(const VectorXd& value) const {
  const std::size_t groups = constraints_.first.size() - 1;
  std::vector<RowMatrix> part(kPieces);
  parallel_for(kPieces, [&](std::size_t piece) {
    const std::size_t begin = piece_begin(piece, groups), end = piece_begin(piece + 1, groups);
    RowMatrix rows = RowMatrix::Zero(static_cast<Index>(end - begin), constraints_.d());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = constraints_.first[i]; c < constraints_.first[i + 1]; ++c) {
        const auto at = static_cast<Index>(c);
        if (value[at] == 0) continue;
        rows.row(static_cast<Index>(i - begin)) += value[at] * offset_[at] * constraints_.difference.row(at);
      }
    }
    part[piece].noalias() = rows.transpose() * constraints_.query.middleRows(static_cast<Index>(begin),
                                                                             static_cast<Index>(end - begin));
  });
  for (std::size_t piece = 1; piece < kPieces; ++piece) part[0] += part[piece];
  return std::move(part[0]);
}

VectorXd UnitRows::margins(const RowMatrix& w) const {
  const std::size_t groups = constraints_.first.size() - 1;
  VectorXd margins(offset_.size());
  parallel_for(kPieces, [&](std::size_t piece) {
    const std::size_t begin = piece_begin(piece, groups), end = piece_begin(piece + 1, groups);
    const RowMatrix rows =
        constraints_.query.middleRows(static_cast<Index>(begin), static_cast<Index>(end - begin)) *
        w.transpose();
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = static_cast<Index>(constraints_.first[i]);
      const auto count = static_cast<Index>(constraints_.first[i + 1]) - from;
      if (count == 0) continue;
      margins.segment(from, count).noalias() = constraints_.difference.middleRows(from, count) *
                                               rows.row(static_cast<Index>(i - begin)).transpose();
    }
  });
  return margins.cwiseProduct(offset_);
}

MatrixXd UnitRows::gram(const std::vector<std::size_t>& at, const Budget& budget) const {
  const auto k = static_cast<Index>(at.size());
  RowMatrix rows(k, constraints_.d());
  RowMatrix queries(k, constraints_.e());
  for (Index a = 0; a < k; ++a) {
    const auto c = static_cast<Index>(at[static_cast<std::size_t>(a)]);
    rows.row(a) = offset_[c] * constraints_.difference.row(c);
    queries.row(a) =
        constraints_.query.row(static_cast<Index>(constraints_.group[static_cast<std::size_t>(c)]));
  }
  MatrixXd gram(k, k);
  parallel_for(static_cast<std::size_t>((k + kStrip - 1) / kStrip), [&](std::size_t strip) {
    if (!on_helper_thread()) budget.poll();
    const Index begin = static_cast<Index>(strip) * kStrip, width = std::min(kStrip, k - begin);
    auto block = gram.block(begin, begin, k - begin, width);
    block.noalias() = rows.bottomRows(k - begin) * rows.middleRows(begin, width).transpose();
    const MatrixXd other = queries.bottomRows(k - begin) * queries.middleRows(begin, width).transpose();
    block.array() *= other.array();
  });
  return gram;
}

// Group i contributes M_i (x) z_i z_i' with M_i = sum of its dx dx': as entries of symmetric matrices by
// their lower halves this is one product of a (d (d + 1) / 2) x groups and a groups x (e (e + 1) / 2) matrix.
MatrixXd UnitRows::normal_matrix(const std::vector<std::size_t>& at, const Budget& budget) const {
  const Index d = constraints_.d(), e = constraints_.e();
  const auto half = [](Index j, Index k) { return j >= k ? j * (j + 1) / 2 + k : k * (k + 1) / 2 + j; };
  const Index token_entries = d * (d + 1) / 2, query_entries = e * (e + 1) / 2;
  MatrixXd sum = MatrixXd::Zero(token_entries, query_entries);
  MatrixXd tokens(token_entries, kStrip), queries(query_entries, kStrip);
  Index filled = 0;
  const auto flush = [&] {
    const Index strips = (query_entries + kStrip - 1) / kStrip;
    parallel_for(static_cast<std::size_t>(strips), [&](std::size_t strip) {
      if (!on_helper_thread()) budget.poll();
      const Index begin = static_cast<Index>(strip) * kStrip, width = std::min(kStrip, query_entries - begin);
      sum.middleCols(begin, width).noalias() +=
          tokens.leftCols(filled) * queries.block(begin, 0, width, filled).transpose();
    });
    filled = 0;
  };
  RowMatrix block(d, d);
  for (std::size_t k = 0; k < at.size();) {
    const std::size_t group = constraints_.group[at[k]];
    block.setZero();
    for (; k < at.size() && constraints_.group[at[k]] == group; ++k) {
      const auto c = static_cast<Index>(at[k]);
      const Eigen::VectorXd row = offset_[c] * constraints_.difference.row(c).transpose();
      block.selfadjointView<Eigen::Lower>().rankUpdate(row);
    }
    const auto query = constraints_.query.row(static_cast<Index>(group));
    for (Index j = 0; j < d; ++j)
      for (Index l = 0; l <= j; ++l) tokens(half(j, l), filled) = block(j, l);
    for (Index j = 0; j < e; ++j)
      for (Index l = 0; l <= j; ++l) queries(half(j, l), filled) = query[j] * query[l];
    if (++filled == kStrip) flush();
  }
  if (filled > 0) flush();
  MatrixXd normal(d * e, d * e);
  parallel_for(static_cast<std::size_t>(d), [&](std::size_t column) {
    const auto l = static_cast<Index>(column);
    for (Index m = 0; m < e; ++m)
      for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < e; ++k) normal(j * e + k, l * e + m) = sum(half(j, l), half(k, m));
  });
  return normal;
}

}  // namespace attest
