// Rank of W* by a modular or spectral lower bound and a structural upper bound; see rank.hpp.
#include "numerics/margin/rank.hpp"

#include <arb_mat.h>
#include <flint/fmpq.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "numerics/margin/tiled_cholesky.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "numerics/numbers/exact_elimination.hpp"
#include "numerics/numbers/quotient.hpp"

namespace attest {
namespace {

// W* is eliminated exactly only while bits of a multiplier times the smaller dimension stay below this;
// beyond, the claim is not made.
constexpr std::size_t elimination_budget_bits = std::size_t{1} << 17;

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t prime) {
  std::uint64_t result = 1;
  for (base %= prime; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % prime;
    base = base * base % prime;
  }
  return result;
}

// 1/value modulo prime, or nothing when the prime divides it.
std::optional<std::uint64_t> inverse(mpz_srcptr value, std::uint64_t prime) {
  const std::uint64_t divisor = mpz_fdiv_ui(value, prime);
  if (divisor == 0) return std::nullopt;
  return power_modulo(divisor, prime - 2, prime);
}

// A finite double is a whole number of 53 bits times a power of two.
std::uint64_t residue(double value, std::uint64_t prime) {
  int exponent = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const std::uint64_t two_or_half = exponent < 0 ? (prime + 1) / 2 : 2;
  const std::uint64_t magnitude =
      static_cast<std::uint64_t>(std::abs(mantissa)) % prime *
      power_modulo(two_or_half, static_cast<std::uint64_t>(std::abs(exponent)), prime) % prime;
  return mantissa < 0 && magnitude != 0 ? prime - magnitude : magnitude;
}

// Entry `index` modulo prime, or nothing when the prime divides its denominator.
std::optional<std::uint64_t> residue(const ExactArray& values, std::size_t index, std::uint64_t prime) {
  if (values.is_binary64()) return residue(values.binary64()[index], prime);
  const Rational value = values.exact(index);
  const auto* raw = value.backend().data();
  const std::optional<std::uint64_t> below = inverse(mpq_denref(raw), prime);
  if (!below) return std::nullopt;
  return mpz_fdiv_ui(mpq_numref(raw), prime) * *below % prime;
}

// The low-rank form W* = sum over groups u_i z_i' with u_i = sum_t multiplier (x_selected - x_it).
class OptimumFactors {
 public:
  OptimumFactors(const TokenData& data, const Selection& selection, const ConstraintVector& multipliers)
      : data_(data), selection_(selection), multipliers_(multipliers) {
    for (const Constraint& c : multipliers.constraint) {
      if (groups_.empty() || groups_.back() != c.group) groups_.push_back(c.group);
    }
  }

  const std::vector<std::size_t>& groups() const { return groups_; }

  RationalRows query_rows() const {
    RationalRows rows;
    for (const std::size_t group : groups_)
      rows.push_back(row(data_.query_factor, group, data_.right_dimension));
    return rows;
  }

  RationalRows token_differences() const {
    RationalRows rows;
    for (const Constraint& c : multipliers_.constraint) rows.push_back(difference(c));
    return rows;
  }

  // d x e residues of W*, or nothing when the prime divides a denominator.
  std::optional<std::vector<std::vector<std::uint64_t>>> modulo(std::uint64_t prime,
                                                                const Budget& budget) const {
    const std::size_t d = data_.left_dimension, e = data_.right_dimension;
    const auto below = inverse(multipliers_.denominator.backend().data(), prime);
    if (!below) return std::nullopt;
    std::map<std::size_t, std::vector<std::uint64_t>> left;
    for (std::size_t k = 0; k < multipliers_.size(); ++k) {
      budget.poll();
      const Constraint& c = multipliers_.constraint[k];
      const std::uint64_t weight =
          mpz_fdiv_ui(multipliers_.numerator[k].backend().data(), prime) * *below % prime;
      auto& sum = left.try_emplace(c.group, d, 0).first->second;
      const std::size_t winner = data_.row(c.group, selection_[c.group]), loser = data_.row(c.group, c.token);
      for (std::size_t j = 0; j < d; ++j) {
        const auto plus = residue(data_.token_factor, winner * d + j, prime);
        const auto minus = residue(data_.token_factor, loser * d + j, prime);
        if (!plus || !minus) return std::nullopt;
        sum[j] = (sum[j] + weight * ((*plus + prime - *minus) % prime)) % prime;
      }
    }
    std::vector<std::vector<std::uint64_t>> W(d, std::vector<std::uint64_t>(e, 0));
    for (const auto& [group, sum] : left) {
      budget.poll();
      for (std::size_t k = 0; k < e; ++k) {
        const auto query = residue(data_.query_factor, group * e + k, prime);
        if (!query) return std::nullopt;
        for (std::size_t j = 0; j < d; ++j) W[j][k] = (W[j][k] + sum[j] * *query) % prime;
      }
    }
    return W;
  }

  // W(multipliers) in doubles, and a bound of its error in the Frobenius norm; infinite where none is known.
  struct Approximation {
    Eigen::MatrixXd W;
    double error = 0;
  };

  // With u = 2^-53, l_k = |multiplier| ||dx|| and n the number of multipliers of a group: a multiplier is
  // within 4 u, a difference and a product within u each, their sum adds n u, so a column of `left` is off by
  // at most (n + 9) u sum l_k; the product with `right` adds groups u ||left_i|| ||z_i|| for each group. In
  // all
  //     (n + groups + 9) u sum over groups of ||z_i|| sum l_k
  // to first order; twice that is taken. Numbers whose products might underflow are left to balls.
  Approximation approx(const Budget& budget) const {
    const auto d = static_cast<Eigen::Index>(data_.left_dimension),
               e = static_cast<Eigen::Index>(data_.right_dimension);
    const auto groups = static_cast<Eigen::Index>(groups_.size());
    Eigen::MatrixXd left = Eigen::MatrixXd::Zero(d, groups), right(groups, e);
    Eigen::VectorXd size = Eigen::VectorXd::Zero(groups), difference(d);
    double least = 1;
    for (std::size_t k = 0, at = 0; k < multipliers_.size(); ++k) {
      budget.poll();
      const Constraint& c = multipliers_.constraint[k];
      if (c.group != groups_[at]) ++at;
      const auto group = static_cast<Eigen::Index>(at);
      const double weight = approx_quotient(multipliers_.numerator[k], multipliers_.denominator);
      least = std::min(least, std::fabs(weight));
      approx_difference(c, difference);
      left.col(group) += weight * difference;
      size[group] += std::fabs(weight) * difference.norm();
    }
    for (Eigen::Index at = 0; at < groups; ++at) {
      const std::size_t first = groups_[static_cast<std::size_t>(at)] * data_.right_dimension;
      for (Eigen::Index j = 0; j < e; ++j)
        right(at, j) = data_.query_factor.approx(first + static_cast<std::size_t>(j));
    }
    Approximation result{left * right, std::numeric_limits<double>::infinity()};
    const Eigen::VectorXd query = right.rowwise().norm();
    const double terms = static_cast<double>(multipliers_.size()) + static_cast<double>(groups) + 9;
    const double error = terms * 0x1p-52 * size.dot(query);
    const bool binary = data_.token_factor.is_binary64() && data_.query_factor.is_binary64();
    const bool normal = least > 0x1p-900 && query.maxCoeff() < 0x1p200;
    if (binary && normal && error > 0x1p-500 && error < 0x1p400) result.error = error;
    return result;
  }

  // Encloses W(multipliers) in `W` (d x e).
  void enclose(arb_mat_t W, slong precision) const {
    const std::size_t d = data_.left_dimension, e = data_.right_dimension;
    arb_mat_t left, right;
    arb_mat_init(left, static_cast<slong>(d), static_cast<slong>(groups_.size()));
    arb_mat_init(right, static_cast<slong>(groups_.size()), static_cast<slong>(e));
    arb_t weight, term;
    arb_init(weight);
    arb_init(term);
    fmpq_t fraction;
    fmpq_init(fraction);
    const auto set = [&](arb_t ball, const Rational& value) {
      fmpq_set_mpq(fraction, value.backend().data());
      arb_set_fmpq(ball, fraction, precision);
    };
    const auto set_entry = [&](arb_t ball, const ExactArray& values, std::size_t index) {
      if (values.is_binary64()) {
        arb_set_d(ball, values.binary64()[index]);
      } else {
        set(ball, values.exact(index));
      }
    };
    arb_t other;
    arb_init(other);
    std::size_t k = 0;
    for (slong at = 0; at < arb_mat_nrows(right); ++at) {
      const std::size_t group = groups_[static_cast<std::size_t>(at)];
      for (; k < multipliers_.size() && multipliers_.constraint[k].group == group; ++k) {
        set(weight, multipliers_.value(k));
        const std::size_t winner = data_.row(group, selection_[group]);
        const std::size_t loser = data_.row(group, multipliers_.constraint[k].token);
        for (std::size_t j = 0; j < d; ++j) {
          set_entry(term, data_.token_factor, winner * d + j);
          set_entry(other, data_.token_factor, loser * d + j);
          arb_sub(term, term, other, precision);
          arb_addmul(arb_mat_entry(left, static_cast<slong>(j), at), weight, term, precision);
        }
      }
      for (std::size_t j = 0; j < e; ++j) {
        set_entry(arb_mat_entry(right, at, static_cast<slong>(j)), data_.query_factor, group * e + j);
      }
    }
    arb_mat_mul(W, left, right, precision);
    fmpq_clear(fraction);
    arb_clear(other);
    arb_clear(term);
    arb_clear(weight);
    arb_mat_clear(right);
    arb_mat_clear(left);
  }

  // The rows of W*, exactly.
  RationalRows exact(const Budget& budget) const {
    const std::size_t d = data_.left_dimension, e = data_.right_dimension;
    RationalRows W(d, std::vector<Rational>(e, 0));
    std::size_t k = 0;
    for (const std::size_t group : groups_) {
      budget.poll();
      std::vector<Rational> left(d, 0);
      for (; k < multipliers_.size() && multipliers_.constraint[k].group == group; ++k) {
        const std::vector<Rational> delta = difference(multipliers_.constraint[k]);
        // The shared denominator only scales W*.
        for (std::size_t j = 0; j < d; ++j) left[j] += Rational(multipliers_.numerator[k]) * delta[j];
      }
      const std::vector<Rational> right = row(data_.query_factor, group, e);
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < e; ++b) W[a][b] += left[a] * right[b];
      }
    }
    return W;
  }

 private:
  static std::vector<Rational> row(const ExactArray& values, std::size_t index, std::size_t width) {
    std::vector<Rational> entries;
    for (std::size_t j = 0; j < width; ++j) entries.push_back(values.exact(index * width + j));
    return entries;
  }
  void approx_difference(const Constraint& c, Eigen::VectorXd& dx) const {
    const std::size_t d = data_.left_dimension;
    const std::size_t winner = data_.row(c.group, selection_[c.group]) * d,
                      loser = data_.row(c.group, c.token) * d;
    // What is no double is subtracted exactly: wide entries can agree to far more than 53 bits.
    std::vector<Rational> exact;
    const bool binary = data_.token_factor.is_binary64();
    if (!binary) exact = difference(c);
    for (std::size_t j = 0; j < d; ++j) {
      dx[static_cast<Eigen::Index>(j)] =
          binary ? data_.token_factor.binary64()[winner + j] - data_.token_factor.binary64()[loser + j]
                 : mpq_get_d(exact[j].backend().data());
    }
  }
  std::vector<Rational> difference(const Constraint& c) const {
    const std::size_t d = data_.left_dimension;
    std::vector<Rational> winner = row(data_.token_factor, data_.row(c.group, selection_[c.group]), d);
    const std::vector<Rational> loser = row(data_.token_factor, data_.row(c.group, c.token), d);
    for (std::size_t j = 0; j < d; ++j) winner[j] -= loser[j];
    return winner;
  }

  const TokenData& data_;
  const Selection& selection_;
  const ConstraintVector& multipliers_;
  std::vector<std::size_t> groups_;
};

using Upper = RankEvidence::Upper;

// The least of the three bounds that are read off.
std::pair<std::size_t, Upper> counted_bound(const TokenData& data, const OptimumFactors& factors) {
  std::pair<std::size_t, Upper> least{factors.groups().size(), Upper::groups};
  if (data.left_dimension < least.first) least = {data.left_dimension, Upper::left_dimension};
  if (data.right_dimension < least.first) least = {data.right_dimension, Upper::right_dimension};
  return least;
}

// An upper bound equal to `rank`, cheapest first; W* is eliminated exactly only when it is known exactly and
// small.
std::optional<Upper> matching_bound(const TokenData& data, const OptimumFactors& factors, std::size_t rank,
                                    const ConstraintVector* exact_multipliers, const Budget& budget) {
  const auto [count, kind] = counted_bound(data, factors);
  if (count == rank) return kind;
  if (exact_rank(factors.query_rows(), budget) == rank) return Upper::queries;
  if (exact_rank(factors.token_differences(), budget) == rank) return Upper::tokens;
  if (exact_multipliers == nullptr) return std::nullopt;
  std::size_t bits = 0;
  for (const Integer& numerator : exact_multipliers->numerator) {
    bits = std::max(bits, mpz_sizeinbase(numerator.backend().data(), 2));
  }
  if (bits * std::min(data.left_dimension, data.right_dimension) > elimination_budget_bits)
    return std::nullopt;
  if (exact_rank(factors.exact(budget), budget) == rank) return Upper::elimination;
  return std::nullopt;
}

std::optional<RankEvidence> rank_of_exact(const TokenData& data, const OptimumFactors& factors,
                                          const ConstraintVector& multipliers, const Budget& budget) {
  for (const std::uint64_t prime : short_primes) {
    auto W = factors.modulo(prime, budget);
    if (!W) continue;
    RankEvidence evidence;
    evidence.rank = rank_modulo(std::move(*W), prime, budget);
    evidence.lower = evidence.rank == 0 ? RankEvidence::Lower::none : RankEvidence::Lower::modulus;
    evidence.modulus = prime;
    const auto upper = matching_bound(data, factors, evidence.rank, &multipliers, budget);
    if (!upper) return std::nullopt;
    evidence.upper = *upper;
    return evidence;
  }
  return std::nullopt;
}

// True proves lambda_min(B'B) > bound in doubles, B being within `error` of `approx`: then B's least singular
// value is at most that much below that of `approx`, whose Gram matrix minus a shift has a Cholesky factor.
// As in active_gram.cpp, with a product of columns off by (d + 4) 2^-53 of the product of their norms.
bool columns_are_independent(const Eigen::MatrixXd& approx, double error, double bound) {
  Eigen::MatrixXd gram = approx.transpose() * approx;
  const double trace = gram.trace(), root = std::sqrt(bound) * (1 + 0x1p-50) + error;
  const auto rows = static_cast<double>(approx.rows()), size = static_cast<double>(gram.rows());
  const double shift = root * root * (1 + 0x1p-50) + trace * (size + rows + 30) * 0x1p-50;
  if (!(bound > 0x1p-500) || !(shift < trace) || !(trace < 0x1p500)) return false;
  gram.diagonal().array() -= shift;
  return has_cholesky_factor(gram);
}

// The same in balls.
bool columns_are_independent(const TokenData& data, const OptimumFactors& factors,
                             const std::vector<std::size_t>& columns, const Rational& bound) {
  constexpr slong precision = 256;
  const auto d = static_cast<slong>(data.left_dimension), r = static_cast<slong>(columns.size());
  arb_mat_t W, B, transposed, gram;
  arb_mat_init(W, d, static_cast<slong>(data.right_dimension));
  arb_mat_init(B, d, r);
  arb_mat_init(transposed, r, d);
  arb_mat_init(gram, r, r);
  factors.enclose(W, precision);
  for (slong a = 0; a < d; ++a) {
    for (slong k = 0; k < r; ++k) {
      arb_set(arb_mat_entry(B, a, k),
              arb_mat_entry(W, a, static_cast<slong>(columns[static_cast<std::size_t>(k)])));
    }
  }
  arb_mat_transpose(transposed, B);
  arb_mat_mul(gram, transposed, B, precision);
  fmpq_t fraction;
  arb_t shift;
  fmpq_init(fraction);
  arb_init(shift);
  fmpq_set_mpq(fraction, bound.backend().data());
  arb_set_fmpq(shift, fraction, precision);
  for (slong k = 0; k < r; ++k) {
    arb_sub(arb_mat_entry(gram, k, k), arb_mat_entry(gram, k, k), shift, precision);
  }
  const bool positive = arb_mat_cho(gram, gram, precision) != 0;
  arb_clear(shift);
  fmpq_clear(fraction);
  arb_mat_clear(gram);
  arb_mat_clear(transposed);
  arb_mat_clear(B);
  arb_mat_clear(W);
  return positive;
}

// The least singular value of a regular triangular matrix, a guess from above by inverse iteration.
double approx_least_singular(const Eigen::MatrixXd& upper) {
  const auto R = upper.triangularView<Eigen::Upper>();
  Eigen::VectorXd v(upper.cols());
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] = 1 + 0.5 * std::sin(static_cast<double>(k + 1) * 1.618);
  double least = 0;
  for (int round = 0; round < 12; ++round) {
    v.normalize();
    R.transpose().solveInPlace(v);
    R.solveInPlace(v);
    least = 1 / std::sqrt(v.norm());
  }
  return least;
}

// Columns of W chosen by pivoted QR and half of their smallest squared singular value, confirmed in doubles
// or in balls. The rank guessed is at most the counted bound, and the columns must be far from dependent in
// double precision: close to that the fixed-point evidence would need more bits than it is worth.
std::optional<RankEvidence> rank_of_enclosure(const TokenData& data, const OptimumFactors& factors,
                                              const Rational& radius, const Budget& budget) {
  const OptimumFactors::Approximation near = factors.approx(budget);
  const Eigen::MatrixXd& W = near.W;
  if (!W.allFinite()) return std::nullopt;
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(W);
  RankEvidence evidence;
  evidence.rank = std::min(static_cast<std::size_t>(qr.rank()), counted_bound(data, factors).first);
  if (evidence.rank == 0) return std::nullopt;
  const auto r = static_cast<Eigen::Index>(evidence.rank);
  for (Eigen::Index k = 0; k < r; ++k) {
    evidence.columns.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()[k]));
  }
  std::sort(evidence.columns.begin(), evidence.columns.end());
  const Eigen::MatrixXd triangle = qr.matrixR().topLeftCorner(r, r);
  const double least = approx_least_singular(triangle);
  if (!(least >= 1e-10 * std::fabs(triangle(0, 0)))) return std::nullopt;
  const double bound = std::ldexp(1.0, std::ilogb(least * least) - 1);
  if (!(bound > 0) || !std::isfinite(bound) || Rational(bound) <= radius * radius) return std::nullopt;
  Eigen::MatrixXd chosen(W.rows(), r);
  for (Eigen::Index k = 0; k < r; ++k)
    chosen.col(k) = W.col(static_cast<Eigen::Index>(evidence.columns[static_cast<std::size_t>(k)]));
  if (!columns_are_independent(chosen, near.error, bound)) {
    // W's enclosure and the Gram matrix in balls: at most 60 ns a product.
    const auto d = static_cast<double>(data.left_dimension), e = static_cast<double>(data.right_dimension);
    const auto groups = static_cast<double>(factors.groups().size()),
               rank = static_cast<double>(evidence.rank);
    budget.needs_seconds(6e-8 * d * (groups * e + rank * rank), "the bound of a rank");
    if (!columns_are_independent(data, factors, evidence.columns, Rational(bound))) return std::nullopt;
  }
  evidence.lower = RankEvidence::Lower::lambda_min;
  evidence.lambda_min = Rational(bound);
  const auto upper = matching_bound(data, factors, evidence.rank, nullptr, budget);
  if (!upper) return std::nullopt;
  evidence.upper = *upper;
  return evidence;
}

}  // namespace

std::optional<RankEvidence> rank_of_optimum(const TokenData& data, const Selection& selection,
                                            const MarginSolution& solution, const Budget& budget) {
  if (solution.exact) {
    const OptimumFactors factors(data, selection, solution.exact->multipliers);
    return rank_of_exact(data, factors, solution.exact->multipliers, budget);
  }
  if (!solution.enclosed) return std::nullopt;
  const OptimumFactors factors(data, selection, solution.enclosed->multipliers);
  return rank_of_enclosure(data, factors, solution.enclosed->radius, budget);
}

}  // namespace attest
