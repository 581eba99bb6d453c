#include "numerics/problem/scaled_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

// The power of two just above the largest magnitude, 0 for all zeros.
long exponent_above(const ExactArray& values) {
  if (values.is_binary64()) {
    double most = 0;
    for (std::size_t k = 0; k < values.size(); ++k) most = std::max(most, std::fabs(values.binary64()[k]));
    int exponent = 0;
    (void)std::frexp(most, &exponent);
    return exponent;
  }
  long most = 0;
  bool any = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Rational value = values.exact(k);
    if (value == 0) continue;
    const long power = static_cast<long>(mpz_sizeinbase(mpq_numref(value.backend().data()), 2)) -
                       static_cast<long>(mpz_sizeinbase(mpq_denref(value.backend().data()), 2)) + 1;
    most = any ? std::max(most, power) : power;
    any = true;
  }
  return most;
}

// Multiplication by a power of two, which a double holds nearly always: ldexp takes several times as long.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(long exponent)
      : exponent_(static_cast<int>(exponent)),
        factor_(std::ldexp(1.0, exponent_)),
        held_(std::isnormal(factor_)) {}
  double times(double value) const { return held_ ? value * factor_ : std::ldexp(value, exponent_); }

 private:
  int exponent_;
  double factor_;
  bool held_;
};

// value * 2^-exponent, truncated to a double.
double scaled_double(Rational value, long exponent) {
  auto* raw = value.backend().data();
  if (exponent >= 0) {
    mpq_div_2exp(raw, raw, static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_mul_2exp(raw, raw, static_cast<mp_bitcnt_t>(-exponent));
  }
  return mpq_get_d(raw);
}

}  // namespace

ScaledConstraints scale_constraints(const IntegerConstraints& constraints, const Budget& budget) {
  const TokenData& data = constraints.data();
  const std::size_t d = data.left_dimension;
  const std::size_t e = data.right_dimension;
  const std::size_t count = constraints.size();
  budget.reserve(static_cast<double>(count * d + data.groups() * e) * 8, "scaled constraints");
  const long token_exponent = exponent_above(data.token_factor);
  const long query_exponent = exponent_above(data.query_factor);
  const PowerOfTwo token_scale(-token_exponent), query_scale(-query_exponent);

  ScaledConstraints scaled;
  scaled.exponent = token_exponent + query_exponent;
  scaled.difference.resize(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(d));
  scaled.query.resize(static_cast<Eigen::Index>(data.groups()), static_cast<Eigen::Index>(e));
  scaled.group.reserve(count);
  scaled.first.assign(data.groups() + 1, 0);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    for (std::size_t j = 0; j < e; ++j) {
      double& entry = scaled.query(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      entry = data.query_factor.is_binary64()
                  ? query_scale.times(data.query_factor.binary64()[i * e + j])
                  : scaled_double(data.query_factor.exact(i * e + j), query_exponent);
    }
  }
  for (std::size_t c = 0; c < count; ++c) ++scaled.first[constraints.row(c).group + 1];
  std::partial_sum(scaled.first.begin(), scaled.first.end(), scaled.first.begin());
  for (std::size_t c = 0; c < count; ++c) {
    budget.poll();
    const MarginRow& at = constraints.row(c);
    scaled.group.push_back(at.group);
    const std::size_t plus = data.row(at.group, at.winner) * d;
    const std::size_t minus = data.row(at.group, at.loser) * d;
    double* row = scaled.difference.row(static_cast<Eigen::Index>(c)).data();
    if (data.token_factor.is_binary64()) {
      // Scaling by a power of two first keeps the difference of two huge entries finite; it is exact but for
      // underflow.
      const BinaryArray& x = data.token_factor.binary64();
      for (std::size_t j = 0; j < d; ++j)
        row[j] = token_scale.times(x[plus + j]) - token_scale.times(x[minus + j]);
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = scaled_double(data.token_factor.exact(plus + j) - data.token_factor.exact(minus + j),
                               token_exponent);
      }
    }
  }
  scaled.query_norm_squared = scaled.query.rowwise().squaredNorm();
  scaled.norm_squared = scaled.difference.rowwise().squaredNorm();
  for (std::size_t c = 0; c < count; ++c) {
    scaled.norm_squared[static_cast<Eigen::Index>(c)] *=
        scaled.query_norm_squared[static_cast<Eigen::Index>(scaled.group[c])];
  }
  return scaled;
}

Eigen::MatrixXd scaled_gram(const ScaledConstraints& constraints, const std::vector<std::size_t>& at) {
  const auto k = static_cast<Eigen::Index>(at.size());
  RowMatrix rows(k, constraints.d());
  std::vector<Eigen::Index> query_of(at.size());  // position among the groups met
  std::vector<std::size_t> groups;
  for (std::size_t a = 0; a < at.size(); ++a) {
    rows.row(static_cast<Eigen::Index>(a)) = constraints.difference.row(static_cast<Eigen::Index>(at[a]));
    if (groups.empty() || groups.back() != constraints.group[at[a]])
      groups.push_back(constraints.group[at[a]]);
    query_of[a] = static_cast<Eigen::Index>(groups.size()) - 1;
  }
  RowMatrix queries(static_cast<Eigen::Index>(groups.size()), constraints.e());
  for (std::size_t g = 0; g < groups.size(); ++g)
    queries.row(static_cast<Eigen::Index>(g)) = constraints.query.row(static_cast<Eigen::Index>(groups[g]));
  Eigen::MatrixXd gram(k, k);
  constexpr Eigen::Index kStrip = 128;
  parallel_for(static_cast<std::size_t>((k + kStrip - 1) / kStrip), [&](std::size_t strip) {
    const Eigen::Index begin = static_cast<Eigen::Index>(strip) * kStrip, width = std::min(kStrip, k - begin);
    const Eigen::Index first = query_of[static_cast<std::size_t>(begin)];
    const Eigen::Index last = query_of[static_cast<std::size_t>(begin + width - 1)];
    auto block = gram.block(begin, begin, k - begin, width);
    block.noalias() = rows.bottomRows(k - begin) * rows.middleRows(begin, width).transpose();
    const Eigen::MatrixXd of_queries =
        queries.bottomRows(queries.rows() - first) * queries.middleRows(first, last - first + 1).transpose();
    for (Eigen::Index b = 0; b < width; ++b) {
      const double* factor = of_queries.col(query_of[static_cast<std::size_t>(begin + b)] - first).data();
      for (Eigen::Index a = b; a < k - begin; ++a)
        block(a, b) *= factor[query_of[static_cast<std::size_t>(begin + a)] - first];
    }
    gram.block(begin, begin + width, width, k - begin - width) =
        gram.block(begin + width, begin, k - begin - width, width).transpose();
    auto corner = gram.block(begin, begin, width, width);
    corner.triangularView<Eigen::StrictlyUpper>() = corner.transpose();
  });
  return gram;
}

double gram_error_factor(Eigen::Index d, Eigen::Index e) {
  // Entry (c, c~): two inner products in any order of summation (Higham, gamma_d and gamma_e, with respect to
  // the product of the norms), four data roundings of 2^-51 and one product; doubled for the higher-order
  // terms. The matrix of the products of norms has the trace as its spectral norm.
  return static_cast<double>(d + e + 40) * 0x1p-52;
}

RowMatrix approx_combination(const ScaledConstraints& constraints, const std::vector<std::size_t>& at,
                             const Eigen::VectorXd& value) {
  RowMatrix w = RowMatrix::Zero(constraints.d(), constraints.e());
  Eigen::VectorXd row(constraints.d());
  for (std::size_t k = 0; k < at.size();) {
    const std::size_t group = constraints.group[at[k]];
    row.setZero();
    for (; k < at.size() && constraints.group[at[k]] == group; ++k) {
      row += value[static_cast<Eigen::Index>(k)] *
             constraints.difference.row(static_cast<Eigen::Index>(at[k])).transpose();
    }
    w.noalias() += row * constraints.query.row(static_cast<Eigen::Index>(group));
  }
  return w;
}

Eigen::VectorXd approx_margins(const ScaledConstraints& constraints, const RowMatrix& w) {
  Eigen::VectorXd margins(static_cast<Eigen::Index>(constraints.size()));
  const RowMatrix rows = constraints.query * w.transpose();  // groups x d
  for (std::size_t i = 0; i + 1 < constraints.first.size(); ++i) {
    const auto begin = static_cast<Eigen::Index>(constraints.first[i]);
    const auto count = static_cast<Eigen::Index>(constraints.first[i + 1]) - begin;
    if (count == 0) continue;
    margins.segment(begin, count).noalias() =
        constraints.difference.middleRows(begin, count) * rows.row(static_cast<Eigen::Index>(i)).transpose();
  }
  return margins;
}

}  // namespace attest
