// Rows about one locally optimal selection: B.T7 with its proof's explicit constants, B.Def3 and B.L5.
#include <algorithm>
#include <optional>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/cone.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/numbers/ball_matrix.hpp"
#include "numerics/numbers/dyadic.hpp"
#include "numerics/problem/score_range.hpp"

namespace attest {
namespace {

// 1/2 min (m_tau - m_t) over support t and non-support tau != alpha_i of one group; nothing when there is no
// such pair.
std::optional<Interval> separation(const TokenData& data, const Selection& alpha,
                                   const SolvedSelection& solved) {
  std::optional<Interval> least;
  const std::vector<Constraint>& support = *solved.solution.support;
  for (auto from = support.begin(), to = from; from != support.end(); from = to) {
    const std::size_t i = from->group;
    while (to != support.end() && to->group == i) ++to;
    const std::vector<Interval> margins = solved.geometry->margins(data, alpha, i);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == alpha[i] || !data.present(i, t) || std::binary_search(from, to, Constraint{i, t})) continue;
      const Interval slack = margins[t] - point(1);
      least = least ? lower_of(*least, slack) : slack;
    }
  }
  if (!least) return std::nullopt;
  return point(Rational(1, 2)) * *least;
}

// max_it ||x_it||^2 ||z_i||^2, exactly.
Rational largest_squared_feature(const TokenData& data, const Budget& budget) {
  Rational largest = 0;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    budget.poll();
    Rational longest = 0;
    for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row) {
      longest =
          std::max(longest, exact_dot(data.token_factor, row, data.token_factor, row, data.left_dimension));
    }
    largest = std::max(largest, Rational(longest * exact_dot(data.query_factor, i, data.query_factor, i,
                                                             data.right_dimension)));
  }
  return largest;
}

// The constants of the proof of B.T7.
struct ConeConstants {
  std::optional<Interval> delta;   // nothing: infinite
  Interval reach, mu;              // A, mu
  std::optional<Interval> radius;  // R; nothing when it is not enclosed
};

ConeConstants cone_constants(const TokenData& data, const SolvedSelection& solved, const Budget& budget) {
  const Selection& alpha = solved.selection;
  const OptimumGeometry& geometry = *solved.geometry;
  ConeConstants result;
  result.delta = separation(data, alpha, solved);
  const std::optional<Interval>& delta = result.delta;
  const Interval one_half = point(Rational(1, 2));
  const Interval clipped = delta ? lower_of(one_half, *delta) : one_half;
  result.reach = square_root(largest_squared_feature(data, budget)) * geometry.norm;
  const Interval ratio = clipped / result.reach;
  result.mu = point(Rational(1, 8)) * ratio * ratio;

  std::uint64_t longest = 0;  // T, multiplicities included
  Rational spread = 0;
  std::optional<Rational> least_gap;
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    std::uint64_t tokens = 0;
    for (std::size_t t = 0; t < data.tokens(i); ++t) tokens += data.multiplicity(i, t);
    longest = std::max(longest, tokens);
    const auto [lo, hi] = score_range(data.scores, data.first_row[i], data.first_row[i + 1]);
    spread = std::max(spread, Rational(hi - lo));
  }
  for (const Constraint& c : *solved.solution.support) {
    const Rational gap = score_gap(data, alpha, c);
    least_gap = least_gap ? std::min(*least_gap, gap) : gap;
  }
  const Interval argument =
      shorten(point(Rational(64 * Rational(static_cast<unsigned long>(longest)) * spread / *least_gap)) *
              result.reach);
  const Ball logarithm = log(Ball(argument.lo, argument.hi, 192), 192);
  if (!logarithm.is_finite() || (delta && delta->lo <= 0)) return result;
  Interval factor = point(2);
  if (delta) factor = upper_of(factor, point(1) / *delta);
  result.radius = factor * geometry.norm * to_interval(logarithm);
  return result;
}

std::string describe(const ConeConstants& constants) {
  std::string text = "delta ";
  text += constants.delta ? "in " + show(*constants.delta)
                          : "= infinity (every token beside a support token is one)";
  text += ", A in " + show(constants.reach) + ", mu in " + show(constants.mu);
  if (constants.radius) text += ", R in " + show(*constants.radius);
  return text + " (checked)";
}

// factor W for the matrix W of norm about `norm`, each entry rounded towards 0 to a multiple of some unit of
// at most 2^-128 factor norm.
ExactArray scaled_entries(const SharedDenominatorMatrix& matrix, const Rational& factor,
                          const Rational& norm) {
  const Rational unit = power_of_two(approx_log2(factor * norm) - 128);
  std::vector<Rational> entries;
  for (const Integer& entry : matrix.numerators) {
    const Rational multiple = factor * Rational(entry, matrix.denominator) / unit;
    entries.push_back(unit * Rational(Integer(numerator(multiple) / denominator(multiple))));
  }
  return ExactArray::from_rationals(std::move(entries));
}

// Gradient descent from a point of the cone near the least multiple R u, 2 R u, ..., 2^20 R u of u =
// W_mm/||W_mm|| from which a theorem proves the limit, and from a ball around it.
Observation observe_cone_point(CatalogueContext& context, const SolvedSelection& solved,
                               const ConeConstants& constants, const OptimizerSpec& spec) {
  const OptimumGeometry& geometry = *solved.geometry;
  Observation none;
  none.spec = spec;
  none.start = "multiples of W_mm(alpha) in the cone";
  const PointObserver observer(context.geometry(), solved.selection, solved.solution, spec, context.budget());
  if (!observer.obstacle().empty()) none.reason = "precision: " + observer.obstacle();
  // At distance r factor ||W_mm|| from factor W_mm: ||W|| >= factor ||W_mm|| (1 - r) and 1 - corr <= r^2. The
  // rounding of the entries is far below the 2^-64 that is allowed for it.
  const Rational r = geometry.radius.hi / geometry.norm.lo + power_of_two(-64);
  if (r >= Rational(1, 2) || r * r > constants.mu.lo)
    none.reason = "precision: W_mm(alpha) is not enclosed well enough";
  if (!none.reason.empty()) return none;
  Rational factor = dyadic_above(constants.radius->hi / (geometry.norm.lo * (1 - r)), 10);
  for (int k = 0; k <= 20; ++k, factor *= 2) {
    context.budget().poll();
    const ExactArray entries = scaled_entries(geometry.matrix, factor, geometry.norm.lo);
    const std::string name = "W(0) near " + show_short(factor) + " W_mm(alpha), in the cone";
    std::optional<Observation> seen = observer.observe(entries, 0, 0, name);
    if (!seen) continue;
    for (long part = 2; part <= 14 && seen->start_radius == 0 && !context.budget().reached(); part += 3) {
      const Rational radius = dyadic_below(factor * geometry.norm.lo, 10) * power_of_two(-part);
      if (observer.observe(entries, radius, 0, name)) seen->start_radius = radius;
    }
    return *seen;
  }
  none.reason = "budget: no theorem's hypotheses hold at R u, 2 R u, ..., 2^20 R u";
  return none;
}

}  // namespace

void decide_local_convergence(CatalogueContext& context, Row& row) {
  const SolvedSelection& solved = context.solved();
  row.require(loss_assumption(context));
  row.require(some_constraint(context));
  row.require(feasible("alpha", solved));
  row.require(locally_optimal(context, solved));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  if (!solved.geometry || !solved.solution.support) {
    settle(row, Verdict::undecided,
           "precision: W_mm(alpha) and its support set are needed for the constants");
    return;
  }
  const ConeConstants constants = cone_constants(context.data(), solved, context.budget());
  row.require(descent_step_small(context));
  settle(row);
  std::shared_ptr<const Observation> seen;
  if (row.verdict == Verdict::holds && constants.radius && context.options().run_steps > 0) {
    seen = std::make_shared<Observation>(observe_cone_point(context, solved, constants, *context.descent()));
  }
  conclude_by_run(
      row, seen, context.selection(), "alpha",
      "no stationary point in {corr >= 1 - mu, ||W|| >= R} and convergence from its other points are the "
      "paper's theorem");
  if (!constants.radius) settle(row, Verdict::undecided, "precision: R is not enclosed");
  row.conclusion += "; the paper's constants: " + describe(constants);
}

void decide_cone(CatalogueContext& context, Row& row) {
  const std::optional<ConeValue> cone = cone_at_solution(context, row);
  if (!cone) return;
  const std::string seen = describe(*cone, *context.solved().geometry);
  row.conclusion = seen + " (checked)";
  const Verdict inside = in_some_cone(*cone);
  settle(row, inside, inside == Verdict::fails ? seen : "precision: the sign of the supremum is open");
}

void decide_cone_lemma(CatalogueContext& context, Row& row) {
  const std::optional<ConeValue> cone = cone_at_solution(context, row);
  if (!cone) return;
  const SolvedSelection& solved = context.solved();
  const Verdict inside = in_some_cone(*cone);
  const Hypothesis local = locally_optimal(context, solved);
  row.conclusion = "locally optimal: " + std::string(name(local.verdict)) + " (" + local.detail +
                   "); in cone_eps for some eps > 0: " + name(inside) + " (" +
                   describe(*cone, *solved.geometry) + ") (checked)";
  if (inside == Verdict::undecided || local.verdict == Verdict::undecided) {
    settle(row, Verdict::undecided, "precision: one side of the equivalence is open");
  } else if (inside != local.verdict) {
    settle(row, Verdict::fails,
           "the two sides differ: sequence " + std::to_string(cone->group) +
               " has no support token, which the lemma's proof takes for granted");
  }
}

}  // namespace attest
