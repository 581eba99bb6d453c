// T14's bound against a slow one: dense vectors, the least singular value of the lateral parts by
// decomposition, the multiplier shares and slopes from them, and the far constraints' sums taken term by term
// along the worst of many paths.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "numerics/forever/forever.hpp"
#include "numerics/numbers/decompositions.hpp"
#include "tests/unit/numerics/forever/simulation.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using namespace attest_test;

namespace {

double mid(const BallNumber& value) {
  return value.ball().approx_mid();
}

struct Slow {
  double bound = 0;  // no smaller X is proved by the steps of the proof
  double inner = 0;  // X_in
};

struct SlowConstraint {
  Eigen::VectorXd lateral;  // off u
  double rate, margin;      // along u, and at the start
  double low, high;         // of b_c
  double share;
  bool active;
};

// In doubles from the definitions; the ranges of b_c are the proof's own.
std::vector<SlowConstraint> slow_constraints(const TokenData& data, const Selection& selection, Loss loss,
                                             const SelectionFacts<BallNumber>& facts,
                                             const SpanResidual& evidence, const Eigen::VectorXd& u,
                                             const Eigen::VectorXd& start) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  const RegionConstants& constants = evidence.constants();
  const bool global = std::holds_alternative<Absorbing>(evidence.region);
  std::vector<SlowConstraint> all;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const double best = data.score(i, selection[i]).convert_to<double>();
    const auto gap_of = [&](std::size_t t) { return best - data.score(i, t).convert_to<double>(); };
    double up = 0, down = 0;
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      up = std::max(up, gap_of(t));
      down = std::max(down, -gap_of(t));
    }
    const double eps = constants.attention[i], over = global ? constants.output[i] : eps * up;
    const double under = global ? 0 : eps * down;
    const auto slope = [&](double f) { return loss_slope(loss, f) / static_cast<double>(data.groups()); };
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == selection[i]) continue;
      const double gap = gap_of(t);
      Eigen::VectorXd delta(static_cast<Eigen::Index>(d * e));
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t q = 0; q < e; ++q) {
          delta[static_cast<Eigen::Index>(j * e + q)] =
              (data.token_factor.approx(data.row(i, selection[i]) * d + j) -
               data.token_factor.approx(data.row(i, t) * d + j)) *
              data.query_factor.approx(i * e + q);
        }
      }
      const std::size_t c = all.size();
      SlowConstraint one{
          delta - delta.dot(u) * u,   delta.dot(u), delta.dot(start), 0, 0, mid(facts.constraints[c].share),
          facts.constraints[c].active};
      one.high =
          slope(best - over) * (constants.inside[c] ? gap + under : std::abs(gap) + std::max(over, under));
      if (constants.inside[c]) one.low = slope(best + under) * (1 - eps) * (gap - over);
      all.push_back(std::move(one));
    }
  }
  return all;
}

// X_in: what constraints of the support need alone.
double slow_inner(const std::vector<SlowConstraint>& all, double height, double speed, double h) {
  double top = 0, bottom = INFINITY, share = 0.5, widest = 0;
  std::vector<Eigen::VectorXd> columns;
  for (const SlowConstraint& one : all) {
    if (!one.active) continue;
    const double scale = std::exp(-(one.margin - one.rate * height));
    top += one.high * scale;
    bottom = std::min(bottom, one.low * scale);
    share = std::min(share, one.share);
    widest = std::max(widest, one.lateral.norm());
    columns.push_back(one.lateral);
  }
  Eigen::MatrixXd lateral(all.front().lateral.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) lateral.col(static_cast<Eigen::Index>(k)) = columns[k];
  const Eigen::VectorXd singular = lateral.jacobiSvd().singularValues();
  double sigma = INFINITY;
  for (const double value : singular) {
    if (value > 1e-9) sigma = std::min(sigma, value);
  }
  if (!std::isfinite(sigma)) return 0;
  const double kappa = share * sigma / std::sqrt(1 - share);
  const double still = (std::log(top / bottom) + h * widest * widest / (2 * speed)) / kappa;
  return std::max(still, std::sqrt(2 * h * kappa * still / speed));
}

// The largest sum of psi(y) = exp(a sqrt(y) - beta y) found: along paths of short steps, and of steps of
// length h that meet the peak of psi or start at 0.
double slow_path_sum(double beta, double a, double h) {
  const auto psi = [&](double y) { return std::exp(-beta * y + a * std::sqrt(y)); };
  const double peak = a * a / (4 * beta * beta), end = peak + (80 + 2 * a * std::sqrt(80 / beta)) / beta,
               short_step = end / 50000;
  double worst = 0;
  for (double y = short_step / 2; y < end; y += short_step) worst += short_step * psi(y);
  for (const double first : {0.0, std::fmod(peak, h)}) {
    if (h < short_step) continue;
    double sum = first * psi(0);
    for (double y = first; y < end; y += h) sum += h * psi(y);
    worst = std::max(worst, sum);
  }
  return worst;
}

// The proof's own M and h are taken, too.
Slow slow_bound(const TokenData& data, const Selection& selection, const Direction& direction,
                const OptimizerSpec& spec, const ForeverProof& proof, const SelectionFacts<BallNumber>& facts,
                const Eigen::VectorXd& start) {
  Eigen::VectorXd u(start.size());
  for (Eigen::Index k = 0; k < u.size(); ++k) u[k] = double(direction.unit[static_cast<std::size_t>(k)]);
  const double gamma = double(direction.margin), height = start.dot(u);
  const SpanResidual& evidence = *proof.by<SpanResidual>();
  const RegionConstants& constants = evidence.constants();
  const auto all = slow_constraints(data, selection, spec.loss, facts, evidence, u, start);
  double widest_norm = 0, K = 0;
  for (const SlowConstraint& one : all) {
    if (one.active) K += one.share * std::log(one.low / one.share);
    widest_norm = std::max(widest_norm, std::hypot(one.lateral.norm(), one.rate));
  }
  const bool global = std::holds_alternative<Absorbing>(evidence.region);
  const double speed = global ? gamma : gamma - constants.outside * widest_norm;
  Slow slow;
  slow.inner = slow.bound = slow_inner(all, height, speed, constants.step);
  for (const SlowConstraint& one : all) {
    if (one.active) continue;
    const double worst =
        slow_path_sum(one.rate - gamma, one.lateral.norm() * std::sqrt(constants.path), constants.step);
    slow.bound +=
        one.lateral.norm() * one.high / speed * std::exp(-K - (one.margin - gamma * height)) * worst;
  }
  return slow;
}

}  // namespace

TEST_CASE("T14's bound is at least what the slow computation needs, and not far above" *
          doctest::test_suite("long")) {
  int compared = 0, far_matters = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const bool local = seed % 3 == 2;
    const TokenData data = gaussian_instance({3, 4, 2}, 4, 3, seed);
    std::optional<Selection> selection;
    MarginOptions exactly;
    exactly.form = Form::exact;
    MarginSolution solution;
    for (std::size_t k = 0; k < 24 && !selection; ++k) {
      const Selection candidate = local ? Selection{k % 3, k / 3 % 4, k / 12} : best_selection(data);
      if (local != global_optimality_witness(data, candidate).has_value()) continue;
      solution = solve_margin_problem(data, candidate, exactly);
      if (solution.exact && solution.locally_optimal.value_or(false)) selection = candidate;
    }
    if (!selection) continue;
    const Direction direction = direction_of(data, *selection, *solution.exact);
    const UpdateRule* rule =
        local ? (seed % 2 == 0 ? update_rule("gd") : update_rule("ngd"))
              : std::vector{update_rule("ngd"), update_rule("gd"), update_rule("polyak")}[seed / 3 % 3];
    const OptimizerSpec spec{rule, Schedule::constant,
                             rule == update_rule("gd") ? Rational(20) : Rational(1, 2), Loss::logistic};
    for (const double scale : {50.0, 100.0, 200.0, 400.0}) {
      std::vector<double> entries;
      for (const Real& value : direction.unit) entries.push_back(scale * double(value));
      const RunGeometry geometry(data, 6);
      const auto result =
          forever_from_point(geometry, spec, *selection, ExactArray::from_binary64(entries), 0);
      for (const ForeverProof& proof : result.proofs) {
        if (proof.by<SpanResidual>() == nullptr) continue;
        const Slow slow =
            slow_bound(data, *selection, direction, spec, proof, *result.facts,
                       Eigen::VectorXd::Map(entries.data(), static_cast<Eigen::Index>(entries.size())));
        const double bound = std::sqrt(mid(proof.path_offset));
        INFO("seed ", seed, ", scale ", scale, ": ", bound, " against ", slow.bound, ", inside the span ",
             slow.inner);
        CHECK(bound >= slow.bound * (1 - 1e-9));
        CHECK(bound <= 30 * slow.bound);
        ++compared;
        if (slow.bound > 1.1 * slow.inner) ++far_matters;
      }
    }
  }
  CHECK(compared >= 30);
  CHECK(far_matters >= 5);
}
