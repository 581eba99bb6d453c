// Rows about the loss: B.A (assumption on l), B.L2 (the infimum is approached but not attained), B.L4 beside
// T6.
#include <algorithm>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/smoothness.hpp"
#include "certify/numbers/decimal.hpp"

namespace attest {
namespace {

constexpr long loss_bits = 192;

void require_loss_conditions(Row& row, Loss loss, const Rational& lo, const Rational& hi) {
  const std::string range = show(lo) + " to " + show(hi);
  const std::string prefix = std::string(name(loss)) + ": ";
  const std::optional<Interval> steepest = largest_slope(loss, lo, hi, loss_bits);
  const std::optional<Interval> flattest = slope_size(loss, hi, loss_bits);
  const std::optional<Interval> curvature = largest_curvature(loss, lo, hi, loss_bits);
  if (!steepest || !flattest || !curvature) {
    row.require(prefix + "conditions on the score range", Verdict::undecided,
                "precision: the loss at scores beyond 2^20 in size is not evaluated");
    return;
  }
  // l' < 0 everywhere by its formula (-1/(1 + e^u), -e^-u, -1); the number is its bound on the range.
  row.require(prefix + "strictly decreasing, l' < 0", Verdict::holds,
              "l' <= -" + decimal_down(flattest->lo, 12) + " on the score range, " + range);
  row.require(
      prefix + "bounded below on bounded intervals", Verdict::holds,
      loss == Loss::correlation ? "l >= " + show(Rational(-hi)) + " on the score range" : "l > 0 everywhere");
  row.require(prefix + "|l'| <= M1", Verdict::holds, "M1 = max |l'| in " + show(*steepest));
  row.require(prefix + "l' is M0-Lipschitz", Verdict::holds, "M0 = max |l''| in " + show(*curvature));
}

// The multiplicity of the token over the selected one's; 0 where another token stands for it.
Rational odds_ratio(const TokenData& data, const Selection& selection, const Constraint& c) {
  return Rational(data.multiplicity(c.group, c.token), data.multiplicity(c.group, selection[c.group]));
}

// l(f_i) - l(g_i,opt) of one group at R W for the margins at W.
std::optional<Interval> group_excess(const TokenData& data, const Selection& best, Loss loss, std::size_t i,
                                     const std::vector<Interval>& margins, const Rational& scale) {
  Interval others = point(0), shortfall = point(0);
  for (std::size_t t = 0; t < data.tokens(i); ++t) {
    if (t == best[i] || !data.present(i, t)) continue;
    const Interval& m = margins[t];
    std::optional<Interval> weight = exp_of(shorten({-scale * m.hi, -scale * m.lo}, loss_bits), loss_bits);
    if (!weight) return std::nullopt;
    if (const Rational ratio = odds_ratio(data, best, {i, t}); ratio != 1) *weight = point(ratio) * *weight;
    others = shorten(others + *weight, loss_bits);
    shortfall = shorten(shortfall + *weight * point(score_gap(data, best, {i, t})), loss_bits);
  }
  return excess_loss(loss, data.score(i, best[i]), shorten(shortfall / (point(1) + others), loss_bits),
                     loss_bits);
}

// L(R W_mm) - L* for each of these R, the mean over the groups; nothing where it is not evaluated.
std::vector<std::optional<Interval>> loss_excesses(const TokenData& data, const Selection& best, Loss loss,
                                                   const OptimumGeometry& geometry,
                                                   const std::vector<int>& scales, const Budget& budget) {
  std::vector<std::optional<Interval>> total(scales.size(), point(0));
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    budget.poll();
    const std::vector<Interval> margins = geometry.margins(data, best, i);
    for (std::size_t k = 0; k < scales.size(); ++k) {
      if (!total[k]) continue;
      const std::optional<Interval> excess = group_excess(data, best, loss, i, margins, scales[k]);
      total[k] = excess ? std::optional(shorten(*total[k] + *excess, loss_bits)) : std::nullopt;
    }
  }
  for (std::optional<Interval>& one : total) {
    if (one) one = *one / point(Rational(static_cast<unsigned long>(data.groups())));
  }
  return total;
}

// A constant C with L(R W) - L* <= C e^-R for every R >= 0 when all margins of W are at least 1.
std::optional<Interval> decay_constant(const TokenData& data, const Selection& best, Loss loss) {
  Interval total = point(0);
  PassedGroups passed(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    passed.before(i);
    Rational gaps = 0;
    Rational least = data.score(i, 0);
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      gaps += odds_ratio(data, best, {i, t}) * score_gap(data, best, {i, t});
      least = std::min(least, data.score(i, t));
    }
    const std::optional<Interval> slope = slope_size(loss, least, loss_bits);
    if (!slope) return std::nullopt;
    total = shorten(total + *slope * point(gaps), loss_bits);
  }
  return total / point(Rational(static_cast<unsigned long>(data.groups())));
}

}  // namespace

Hypothesis loss_assumption(CatalogueContext& context) {
  const Row& row = check_row("B.A", context);
  return {"B.A for the " + std::string(name(context.options().loss)) + " loss", row.verdict,
          row.verdict == Verdict::holds ? "on the exact score range" : row.reason};
}

void decide_loss_assumption(CatalogueContext& context, Row& row) {
  const Loss chosen = context.options().loss;
  require_loss_conditions(row, chosen, context.least_score(), context.greatest_score());
  settle(row);  // the chosen loss decides; the other two are listed for comparison
  for (const Loss loss : {Loss::logistic, Loss::exponential, Loss::correlation}) {
    if (loss != chosen) require_loss_conditions(row, loss, context.least_score(), context.greatest_score());
  }
  if (row.verdict == Verdict::holds) {
    row.conclusion =
        "the " + std::string(name(chosen)) + " loss satisfies the assumption on the scores of this instance";
  }
}

void decide_infimum(CatalogueContext& context, Row& row) {
  const TokenData& data = context.data();
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  const SolvedSelection& solved = context.solved_best();
  row.require(feasible("opt", solved));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  if (!solved.geometry) {
    settle(row, Verdict::undecided, "precision: W_mm(opt) is not enclosed");
    return;
  }
  const Loss loss = context.options().loss;
  std::string values;
  Verdict positive = Verdict::holds;
  const std::vector<int> scales{0, 1, 8, 64};
  const std::vector<std::optional<Interval>> excesses =
      loss_excesses(data, context.best(), loss, *solved.geometry, scales, context.budget());
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const std::optional<Interval>& excess = excesses[k];
    if (!excess || excess->lo <= 0) positive = Verdict::undecided;
    if (!excess) continue;
    values += (values.empty() ? "R = " : "; R = ") + std::to_string(scales[k]) + ": " + show(*excess, 8);
  }
  const std::optional<Interval> decay = decay_constant(data, context.best(), loss);
  if (!decay) positive = Verdict::undecided;
  row.conclusion = "L(R W_mm) - L* in " + values;
  if (decay) row.conclusion += "; at most " + decimal_up(decay->hi, 8) + " e^-R for every R >= 0";
  row.conclusion += " (checked)";
  settle(row, positive, "precision: L(R W_mm) - L* is not separated from 0");
}

void decide_smoothness(CatalogueContext& context, Row& row) {
  row.require(loss_assumption(context));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  if (context.instance().scores) {
    settle(row, Verdict::undecided, "not applicable: L_W depends on v, and the instance gives scores");
    return;
  }
  const Loss loss = context.options().loss;
  const std::optional<Interval> paper =
      paper_smoothness(context.instance(), context.data(), loss, context.least_score(),
                       context.greatest_score(), context.budget());
  const std::optional<Interval>& sharp = context.smoothness();
  if (!paper || !sharp) {
    settle(row, Verdict::undecided, "precision: the loss at these scores is not evaluated");
    return;
  }
  row.conclusion = "L_W in " + show(*paper) + "; sharper constant beta of T6 in " + show(*sharp);
  if (paper->hi < sharp->lo || paper->lo > sharp->hi) {
    row.conclusion += paper->lo > sharp->hi ? " (beta is smaller)" : " (L_W is smaller)";
  }
  row.conclusion += " (checked)";
  settle(row);
}

}  // namespace attest
