#include "numerics/margin/spanning_conflict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/margin/active_gram.hpp"
#include "numerics/margin/exact.hpp"
#include "numerics/margin/fingerprint.hpp"
#include "numerics/margin/unit_rows.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kBlock = 128;

// Rank of rows of residues, by elimination as they come.
class ModularRank {
 public:
  explicit ModularRank(std::size_t columns) : columns_(columns), pivot_row_(columns) {}

  bool full() const { return rank_ == columns_; }
  std::size_t rank() const { return rank_; }

  void add(std::vector<Residue> row) {
    for (std::size_t j = 0; j < columns_; ++j) {
      if (row[j].value == 0) continue;
      std::vector<Residue>& pivot = pivot_row_[j];
      if (pivot.empty()) {
        const Residue unit = inverse(row[j]);
        for (std::size_t k = j; k < columns_; ++k) row[k] = row[k] * unit;
        pivot = std::move(row);
        ++rank_;
        return;
      }
      const Residue factor = row[j];
      for (std::size_t k = j; k < columns_; ++k) row[k] = row[k] - factor * pivot[k];
    }
  }

 private:
  std::size_t columns_;
  std::vector<std::vector<Residue>> pivot_row_;  // by column of the pivot
  std::size_t rank_ = 0;
};

// Rows that are safely independent in doubles, chosen greedily in a given order: a Cholesky factor that grows
// by blocks.
class IndependentRows {
 public:
  IndependentRows(const UnitRows& rows, std::size_t wanted, const Budget& budget)
      : rows_(rows), wanted_(wanted), budget_(budget) {
    const auto size = static_cast<Index>(wanted);
    budget.reserve(8.0 * static_cast<double>(size) * static_cast<double>(size), "spanning rows");
    factor_ = MatrixXd::Zero(size, size);
  }

  bool full() const { return chosen_.size() == wanted_; }
  const std::vector<std::size_t>& chosen() const { return chosen_; }

  // Adds rows of the block whose distance from the span of the chosen ones is not small beside what is
  // typical there (a random direction has squared distance (wanted - chosen) / wanted); returns the others.
  std::vector<std::size_t> add(const std::vector<std::size_t>& block, double part) {
    budget_.poll();
    const auto have = static_cast<Index>(chosen_.size()), width = static_cast<Index>(block.size());
    MatrixXd cross = have > 0 ? cross_products(block) : MatrixXd(0, width);
    if (have > 0) solve_in_strips(cross);
    MatrixXd rest = rows_.gram(block, budget_).selfadjointView<Eigen::Lower>();
    rest.noalias() -= cross.transpose() * cross;
    std::vector<std::size_t> others;
    std::vector<Index> taken;
    for (Index k = 0; k < width && !full(); ++k) {
      const double left = static_cast<double>(wanted_ - chosen_.size()) / static_cast<double>(wanted_);
      if (!(rest(k, k) > part * left)) {
        others.push_back(block[static_cast<std::size_t>(k)]);
        continue;
      }
      append(cross.col(k), rest, taken, k);
      chosen_.push_back(block[static_cast<std::size_t>(k)]);
      taken.push_back(k);
    }
    return others;
  }

 private:
  MatrixXd cross_products(const std::vector<std::size_t>& block) const {
    const ScaledConstraints& scaled = rows_.constraints();
    const auto gather = [&](const std::vector<std::size_t>& at, RowMatrix& tokens, RowMatrix& queries) {
      tokens.resize(static_cast<Index>(at.size()), scaled.d());
      queries.resize(static_cast<Index>(at.size()), scaled.e());
      for (std::size_t k = 0; k < at.size(); ++k) {
        const auto c = static_cast<Index>(at[k]);
        tokens.row(static_cast<Index>(k)) = rows_.offset()[c] * scaled.difference.row(c);
        queries.row(static_cast<Index>(k)) = scaled.query.row(static_cast<Index>(scaled.group[at[k]]));
      }
    };
    RowMatrix tokens, queries, block_tokens, block_queries;
    gather(chosen_, tokens, queries);
    gather(block, block_tokens, block_queries);
    MatrixXd cross = tokens * block_tokens.transpose();
    const MatrixXd other = queries * block_queries.transpose();
    cross.array() *= other.array();
    return cross;
  }

  // cross = factor^-1 cross, whose columns do not depend on each other.
  void solve_in_strips(MatrixXd& cross) const {
    constexpr Index kStrip = 32;
    const auto factor = factor_.topLeftCorner(cross.rows(), cross.rows()).triangularView<Eigen::Lower>();
    parallel_for(static_cast<std::size_t>((cross.cols() + kStrip - 1) / kStrip), [&](std::size_t strip) {
      const Index begin = static_cast<Index>(strip) * kStrip;
      auto columns = cross.middleCols(begin, std::min(kStrip, cross.cols() - begin));
      factor.solveInPlace(columns);
    });
  }

  // Row k of the block joins: its part outside the span is eliminated from the rows after it.
  void append(const Eigen::Ref<const VectorXd>& inside, MatrixXd& rest, const std::vector<Index>& taken,
              Index k) {
    const auto place = static_cast<Index>(chosen_.size());
    const Index have = inside.size();
    factor_.row(place).head(have) = inside.transpose();
    for (std::size_t a = 0; a < taken.size(); ++a)
      factor_(place, have + static_cast<Index>(a)) = rest(k, taken[a]);
    const double pivot = std::sqrt(rest(k, k));
    factor_(place, place) = pivot;
    for (Index j = k + 1; j < rest.rows(); ++j) rest(j, k) /= pivot;
    for (Index j = k + 1; j < rest.rows(); ++j) {
      for (Index l = k + 1; l <= j; ++l) rest(j, l) -= rest(j, k) * rest(l, k);
    }
  }

  const UnitRows& rows_;
  const std::size_t wanted_;
  const Budget& budget_;
  MatrixXd factor_;
  std::vector<std::size_t> chosen_;
};

// `wanted` independent rows of `at`, those of large value times length first; fewer when there are none.
std::vector<std::size_t> choose_spanning(const ScaledConstraints& scaled, const std::vector<std::size_t>& at,
                                         const VectorXd& value, std::size_t wanted, const Budget& budget) {
  const UnitRows rows(scaled);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto c = static_cast<Index>(at[k]);
    order.emplace_back(-value[static_cast<Index>(k)] / rows.offset()[c], at[k]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> candidates;
  for (const auto& entry : order) candidates.push_back(entry.second);
  IndependentRows independent(rows, wanted, budget);
  for (const double part : {0.2, 0.02, 1e-4}) {
    std::vector<std::size_t> left;
    for (std::size_t begin = 0; begin < candidates.size() && !independent.full(); begin += kBlock) {
      const std::size_t end = std::min(begin + kBlock, candidates.size());
      const std::vector<std::size_t> block(candidates.begin() + static_cast<std::ptrdiff_t>(begin),
                                           candidates.begin() + static_cast<std::ptrdiff_t>(end));
      const std::vector<std::size_t> others = independent.add(block, part);
      left.insert(left.end(), others.begin(), others.end());
    }
    if (independent.full()) break;
    candidates = std::move(left);
  }
  std::vector<std::size_t> chosen = independent.chosen();
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::size_t span_dimension(const IntegerConstraints& constraints, const std::vector<std::size_t>& at) {
  const TokenData& data = constraints.data();
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  ModularRank tokens(d), queries(e);
  for (std::size_t k = 0; k < at.size() && !(tokens.full() && queries.full()); ++k) {
    const MarginRow& row = constraints.row(at[k]);
    if (!tokens.full()) {
      std::vector<Residue> difference(d);
      for (std::size_t j = 0; j < d; ++j) {
        difference[j] = residue(data.token_factor, data.row(row.group, row.winner) * d + j) -
                        residue(data.token_factor, data.row(row.group, row.loser) * d + j);
      }
      tokens.add(std::move(difference));
    }
    if (queries.full() || (k > 0 && constraints.row(at[k - 1]).group == row.group)) continue;
    std::vector<Residue> query(e);
    for (std::size_t j = 0; j < e; ++j) query[j] = residue(data.query_factor, row.group * e + j);
    queries.add(std::move(query));
  }
  return tokens.rank() * queries.rank();
}

std::optional<SpanningConflict> prove_spanning_conflict(const IntegerConstraints& constraints,
                                                        const ScaledConstraints& scaled,
                                                        const std::vector<std::size_t>& at,
                                                        const SpanPoint& point, const Budget& budget) {
  const std::size_t wanted = span_dimension(constraints, at);
  if (wanted == 0 || at.size() < wanted) return std::nullopt;
  const auto order = static_cast<double>(wanted);
  budget.reserve(24 * order * order, "spanning rows");
  budget.needs_seconds(order * order * order / 2e9, "choosing spanning rows");
  VectorXd value(static_cast<Index>(at.size()));
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (is_equality(constraints, at[k])) {  // its sign is of no matter: it comes first
      value[static_cast<Index>(k)] = std::numeric_limits<double>::infinity();
      continue;
    }
    const ScaledDouble entry = scaled_double(point.numerator[k]);
    value[static_cast<Index>(k)] = std::ldexp(entry.mantissa, static_cast<int>(entry.exponent));
  }
  const std::vector<std::size_t> chosen = choose_spanning(scaled, at, value, wanted, budget);
  if (chosen.size() < wanted) return std::nullopt;
  const std::optional<ActiveGram> gram = ActiveGram::factorise(scaled, chosen);
  if (!gram) return std::nullopt;
  const double bound = gram->proved_least_eigenvalue(budget);
  if (bound == 0) return std::nullopt;

  SpanningConflict conflict;
  conflict.least_eigenvalue = Rational(bound) * power_of_two(2 * scaled.exponent);
  std::optional<Integer> least;
  for (std::size_t k = 0, b = 0; k < at.size() && b < chosen.size(); ++k) {
    if (at[k] != chosen[b]) continue;
    ++b;
    conflict.spanning.push_back(constraints.constraint(at[k]));
    if (is_equality(constraints, at[k])) continue;
    if (!least || point.numerator[k] < *least) least = point.numerator[k];
  }
  if (!least) return std::nullopt;
  const Rational smallest = Rational(*least) * power_of_two(-point.shift);
  if (!(point.norm_squared < conflict.least_eigenvalue * smallest * smallest)) return std::nullopt;
  SharedVector shared;
  shared.numerator = point.numerator;
  conflict.combination = constraint_vector(constraints, at, shared, power_of_two(-point.shift));
  return conflict;
}

}  // namespace attest
