#include "numerics/mirror/limit.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/margin/conflict_rows.hpp"
#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

constexpr long limit_bits = 256;
constexpr int refinements = 12;

std::vector<Ball> constraint_vector(const TokenData& data, const Selection& selection, const Constraint& c) {
  std::vector<Ball> row;
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  const std::size_t winner = data.row(c.group, selection[c.group]), loser = data.row(c.group, c.token);
  for (std::size_t j = 0; j < d; ++j) {
    const Rational difference =
        data.token_factor.exact(winner * d + j) - data.token_factor.exact(loser * d + j);
    for (std::size_t k = 0; k < e; ++k)
      row.emplace_back(difference * data.query_factor.exact(c.group * e + k), limit_bits);
  }
  return row;
}

// lambda with sum_k lambda_k rows[k] = target, which exists: an approximate solution by refinement, and its
// distance by ||lambda~ - lambda||_2 <= ||target - sum lambda~_k rows[k]||_2 / s, s^2 <= least eigenvalue of
// the Gram matrix G, from an approximate inverse R: ||G^-1|| <= ||R||_F / (1 - ||I - R G||_F). Empty when the
// rows are not independent enough to show that.
std::vector<Ball> solve_rows(const std::vector<const std::vector<Ball>*>& rows,
                             const std::vector<Ball>& target) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd gram(size, size);
  double largest = 0;
  for (Eigen::Index k = 0; k < size; ++k) {
    for (Eigen::Index l = 0; l < size; ++l) {
      gram(k, l) = dot(*rows[static_cast<std::size_t>(k)], *rows[static_cast<std::size_t>(l)], limit_bits)
                       .approx_mid();
      largest = std::max(largest, std::abs(gram(k, l)));
    }
  }
  const Eigen::MatrixXd inverse = gram.inverse();
  // Entries of G are right to 2^-50 of the largest.
  const double count = static_cast<double>(size);
  const double askew = (Eigen::MatrixXd::Identity(size, size) - inverse * gram).norm() +
                       count * count * 0x1p-48 * inverse.norm() * largest;
  if (!(askew < 0.5)) return {};
  std::vector<Ball> found(rows.size());
  std::vector<Ball> residual;
  for (int round = 0; round <= refinements; ++round) {
    residual = target;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      for (std::size_t j = 0; j < target.size(); ++j)
        residual[j] = sub(residual[j], mul(found[k], (*rows[k])[j], limit_bits), limit_bits);
    }
    if (round == refinements) break;
    Eigen::VectorXd right(size);
    // Doubles with an exponent of their own: residuals become very small.
    Ball scale;
    for (const Ball& x : residual) scale = max(scale, abs(x), limit_bits);
    const double exponent = std::max(std::log2(std::max(scale.upper_double(), 0x1p-900)), -900.0);
    const long shift = static_cast<long>(exponent);
    for (Eigen::Index k = 0; k < size; ++k) {
      right[k] = scale_by_power_of_two(dot(*rows[static_cast<std::size_t>(k)], residual, limit_bits), -shift)
                     .approx_mid();
    }
    const Eigen::VectorXd change = inverse * right;
    if (!change.allFinite()) return {};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      found[k] =
          add(found[k], scale_by_power_of_two(Ball(change[static_cast<Eigen::Index>(k)]), shift), limit_bits);
      mag_zero(arb_radref(found[k].raw()));
    }
  }
  const Ball square_norm = dot(residual, residual, limit_bits);
  if (!square_norm.is_finite()) return {};
  const Ball distance = mul(sqrt(Ball(abs(square_norm).upper(), limit_bits), limit_bits),
                            Ball(std::sqrt(inverse.norm() / (1 - askew)) * (1 + 0x1p-20)), limit_bits);
  for (Ball& x : found) {
    arf_t end;
    arf_init(end);
    arb_get_abs_ubound_arf(end, distance.raw(), limit_bits);
    arb_add_error_arf(x.raw(), end);
    arf_clear(end);
  }
  return found;
}

void add_multipliers(MirrorLimit& limit) {
  const std::vector<std::vector<Ball>>& rows = limit.rows;
  if (!limit.optimum.support_within) return;
  std::vector<const std::vector<Ball>*> support;
  std::vector<std::size_t> at;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const auto& within = *limit.optimum.support_within;
    if (std::find(within.begin(), within.end(), limit.constraints[c]) == within.end()) continue;
    support.push_back(&rows[c]);
    at.push_back(c);
  }
  std::vector<Ball> target;
  for (const Ball& x : limit.normal) target.push_back(mul(x, limit.gamma, limit_bits));
  const std::vector<Ball> found = solve_rows(support, target);
  if (found.empty()) return;
  limit.multipliers.assign(rows.size(), Ball());
  for (std::size_t k = 0; k < at.size(); ++k) limit.multipliers[at[k]] = found[k];
}

}  // namespace

std::optional<MirrorLimit> mirror_limit(const TokenData& data, const Selection& selection,
                                        const Potential& potential, const Budget& budget, std::string& reason,
                                        std::vector<Constraint>* conflict) {
  if (constraint_count(data) == 0) {
    reason = "no sequence has two different tokens";
    return std::nullopt;
  }
  MarginOptions options;
  options.outer = &budget;
  const MarginSolution euclidean = solve_margin_problem(data, selection, options);
  if (euclidean.feasibility != Feasibility::feasible) {
    reason = euclidean.feasibility == Feasibility::infeasible ? "no W separates the selection it heads for"
                                                              : euclidean.reason;
    if (conflict != nullptr) *conflict = conflict_rows(euclidean);
    return std::nullopt;
  }
  NormRequest request;
  request.norm.kind = NormKind::power;
  request.norm.exponent = potential.exponent();
  request.norm.word.assign(1, 'l').append(potential.exponent().str());
  request.gap = Rational(1, pow(Integer(10), 50));
  const NormAnswer answer = solve_norm_problem(data, selection, euclidean, request, budget);
  if (!answer.optimum || !answer.optimum->distance || answer.optimum->value.lo <= 0) {
    reason = answer.reason.empty() ? "the margin problem in that norm is undecided" : answer.reason;
    return std::nullopt;
  }
  MirrorLimit limit;
  limit.selection = selection;
  limit.optimum = *answer.optimum;
  limit.constraints = constraints(data, selection);
  const Ball norm(limit.optimum.value.lo, limit.optimum.value.hi, limit_bits);
  const Ball near(-*limit.optimum.distance, *limit.optimum.distance, limit_bits);
  limit.gamma = inverse(norm, limit_bits);
  double square = 0;
  for (const Integer& entry : limit.optimum.left.numerator) {
    const Ball w(Rational(entry, limit.optimum.left.denominator), limit_bits);
    limit.direction.push_back(div(add(w, near, limit_bits), norm, limit_bits));
    limit.normal.push_back(potential.gradient(limit.direction.back(), limit_bits));
    square += limit.direction.back().approx_mid() * limit.direction.back().approx_mid();
  }
  limit.euclidean_norm = std::sqrt(square);
  for (const Constraint& c : limit.constraints) {
    limit.rows.push_back(constraint_vector(data, selection, c));
    // At least gamma: W* is feasible.
    limit.along.push_back(max(dot(limit.rows.back(), limit.direction, limit_bits), limit.gamma, limit_bits));
  }
  add_multipliers(limit);
  return limit;
}

}  // namespace attest
