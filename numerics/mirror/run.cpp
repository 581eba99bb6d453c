#include "numerics/mirror/run.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/double_run.hpp"

namespace attest {
namespace {

constexpr long most_bits = 960;  // errors are doubles
constexpr long guard_bits = 64;

// The rates of papers.md D.rate and the powers that runs show.
struct Shape {
  std::string name;
  std::uint64_t from;
  std::function<double(double)> value;
};

std::vector<Shape> shapes_for(double p) {
  std::vector<Shape> shapes{
      {"1/t", 1, [](double t) { return 1 / t; }},
      {"t^(-1/2)", 1, [](double t) { return 1 / std::sqrt(t); }},
      {"1/log(t)", 2, [](double t) { return 1 / std::log(t); }},
  };
  // log log t is positive from t = 3 on.
  if (p > 2) {
    shapes.push_back({"log(log(t))/log(t)", 3, [](double t) { return std::log(std::log(t)) / std::log(t); }});
  } else if (p == 2) {
    shapes.push_back({"log(log(t))^2/log(t)", 3, [](double t) {
                        const double twice = std::log(std::log(t));
                        return twice * twice / std::log(t);
                      }});
  } else {
    shapes.push_back({"1/log(t)^(P-1)", 2, [p](double t) { return std::pow(std::log(t), 1 - p); }});
  }
  return shapes;
}

// Products at one step from which all correlations are made.
struct Products {
  Ball primal_dual;  // <W,Z> = ||W||_P^P = ||Z||_Q^Q
  Ball norm, dual_norm, along, bregman, euclidean;
};

class MirrorAttempt {
 public:
  MirrorAttempt(const TokenData& data, const MirrorSpec& spec, const Potential& potential,
                const ExactArray& start, const MirrorOptions& options, const Budget& budget,
                MirrorOutcome& outcome)
      : data_(data),
        spec_(spec),
        potential_(potential),
        options_(options),
        budget_(budget),
        outcome_(outcome),
        features_(data, outcome.precision_bits),
        run_(features_, spec, potential, start),
        shapes_(shapes_for(potential.p())),
        bits_(outcome.precision_bits) {
    for (const Shape& shape : shapes_) outcome_.record.shapes.push_back({shape.name, {}, {}});
  }

  // How the trajectory ended: reached, stationary, precision or time. What leaves the range lacks bits.
  RunEnding follow() {
    const auto evaluate = [&] {
      const IterationStatus status = run_.evaluate();
      return status == IterationStatus::range ? IterationStatus::precision : status;
    };
    const RunEnding ending = follow_steps(
        run_, options_, budget_, outcome_, evaluate, [&] { return observe(); },
        [&] { return options_.until_forever && outcome_.proof && (outcome_.planned || !plans()); });
    if (ending != RunEnding::precision) finish();
    return ending;
  }

  double growth_bits() const { return run_.growth_bits(); }

  // At the last step, with a solution in each norm that was asked for, for the same selection.
  std::vector<MirrorAgainst> compare() const {
    std::vector<MirrorAgainst> found;
    if (options_.against.empty()) return found;
    const bool seen = outcome_.settled() && run_.step() == outcome_.record.step;
    std::optional<MarginSolution> euclidean;
    for (const Norm& norm : options_.against) {
      MirrorAgainst& one = found.emplace_back();
      one.norm = norm;
      if (!seen) {
        one.reason =
            "the run did not settle on tokens whose margin problem is solved in the potential's norm";
        continue;
      }
      if (norm.exponent == potential_.exponent()) {  // that of no other norm is above 1
        one.bregman = previous_.bregman;
        one.euclidean = previous_.euclidean;
        continue;
      }
      if (!euclidean) euclidean = solve();
      const auto other =
          solution_matrix(data_, outcome_.limit->selection, *euclidean, norm, budget_, one.reason);
      if (other) measure(*other, one);
    }
    return found;
  }

 private:
  MarginSolution solve() const {
    MarginOptions margin;
    margin.outer = &budget_;
    return solve_margin_problem(data_, outcome_.limit->selection, margin);
  }

  void measure(const SolutionMatrix& other, MirrorAgainst& one) const {
    one.standing = other.standing;
    one.gap = other.gap;
    std::vector<Ball> normal;
    for (const Ball& u : other.entries) normal.push_back(potential_.gradient(u, bits_));
    const Ball norm = potential_.root_p(dot(other.entries, normal, bits_), bits_);
    const Ball along = div(dot(previous_dual_, other.entries, bits_), norm, bits_);
    one.bregman = sub(Ball(1), div(along, previous_.dual_norm, bits_), bits_);
    one.euclidean = one_minus_corr(previous_primal_, other.entries);
  }

  Ball one_minus_corr(const std::vector<Ball>& w, const std::vector<Ball>& u) const {
    const Ball squares = mul(dot(w, w, bits_), dot(u, u, bits_), bits_);
    return sub(Ball(1), div(dot(w, u, bits_), sqrt(squares, bits_), bits_), bits_);
  }

  Products products() const {
    Products found;
    found.primal_dual = dot(run_.primal(), run_.dual(), bits_);
    found.norm = potential_.root_p(found.primal_dual, bits_);
    found.dual_norm = potential_.root_q(found.primal_dual, bits_);
    if (!outcome_.limit) return found;
    const std::vector<Ball>& u = outcome_.limit->direction;
    found.along = dot(run_.dual(), u, bits_);
    found.bregman = sub(Ball(1), div(found.along, found.dual_norm, bits_), bits_);
    found.euclidean = one_minus_corr(run_.primal(), u);
    return found;
  }

  // False when the enclosure has not the bits wanted.
  bool observe() {
    const std::uint64_t t = run_.step();
    MirrorRecord& record = outcome_.record;
    const long correct = t > 0 ? run_.correct_bits() : record.correct_bits;
    if (t > 0 && options_.precision == 0 && correct < options_.bits) return false;
    record.correct_bits = std::min(record.correct_bits, correct);
    const Products now = products();
    if (t > 0) {
      record_shapes(t, now.bregman);
      record_inequality(t, now);
    }
    // Before what a limit may end: the last step observed is the one that finish() speaks of.
    record.step = t;
    previous_ = now;
    previous_primal_ = run_.primal();
    previous_dual_ = run_.dual();
    if (is_checkpoint(t, options_.steps)) record.checkpoints.push_back(point(now));
    record_trace(now);
    if (outcome_.limit && !outcome_.proof && (t >= next_proof_ || t == options_.steps)) {
      if (!prover_) prover_.emplace(potential_.exponent());
      const auto found = (*prover_)(data_, spec_, potential_, *outcome_.limit, run_.primal(), budget_,
                                    outcome_.proof_reason);
      if (found) outcome_.proof = MirrorProof{t, *found};
      next_proof_ = std::max(t + t / 6, t + 10);
    }
    if (plans()) plan_later_steps(t, now);
    return true;
  }

  bool plans() const { return options_.plan && outcome_.limit; }

  // Its step becomes a checkpoint.
  void plan_later_steps(std::uint64_t t, const Products& now) {
    if (outcome_.planned || (t < next_plan_ && t != options_.steps)) return;
    next_plan_ = std::max(t + t / 6, t + 10);
    const auto found = mirror_plan(data_, spec_, t, potential_, *outcome_.limit, run_.primal(), budget_);
    if (!found) return;
    outcome_.planned = MirrorPlanned{t, *found};
    std::vector<MirrorPoint>& points = outcome_.record.checkpoints;
    if (points.empty() || points.back().step != t) points.push_back(point(now));
  }

  void record_shapes(std::uint64_t t, const Ball& bregman) {
    if (!outcome_.limit || !bregman.is_finite()) return;
    const double lo = std::max(0.0, bregman.lower_double()), hi = bregman.upper_double();
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      if (t < shapes_[k].from) continue;
      const double shape = shapes_[k].value(static_cast<double>(t));
      RateShape& kept = outcome_.record.shapes[k];
      // The C library's functions are within a few ulps.
      const double low = lo / shape * (1 - 0x1p-45), high = hi / shape * (1 + 0x1p-45);
      take_in(kept.whole, t, t, low, high);
      if (kept.blocks.empty() || (t & (t - 1)) == 0) kept.blocks.emplace_back();
      take_in(kept.blocks.back(), t, t, low, high);
    }
  }

  // T13 at the step to t: ||Z+||_Q - ||Z||_Q <= (1 + C_0/(gamma ||W||_P)) <Z+ - Z,u> + r/||W||_P with
  // r = D_psi*(Z+,Z): the C_0 it needs.
  void record_inequality(std::uint64_t t, const Products& now) {
    if (!outcome_.limit) return;
    const Ball rise = sub(now.along, previous_.along, bits_);
    const bool usable = certainly_positive(rise) && certainly_positive(previous_.norm);
    MirrorInequality& kept = outcome_.record.inequality;
    if (!usable) {
      kept = {};
      return;
    }
    Ball moved;
    for (std::size_t j = 0; j < previous_dual_.size(); ++j)
      add_product(moved, previous_primal_[j], sub(run_.dual()[j], previous_dual_[j], bits_), bits_);
    const Ball q(Rational(spec_.exponent / (spec_.exponent - 1)), bits_);
    const Ball curvature =
        sub(div(sub(now.primal_dual, previous_.primal_dual, bits_), q, bits_), moved, bits_);
    const Ball left =
        sub(sub(now.dual_norm, previous_.dual_norm, bits_), div(curvature, previous_.norm, bits_), bits_);
    const Ball needed = mul(sub(div(left, rise, bits_), Ball(1), bits_),
                            mul(outcome_.limit->gamma, previous_.norm, bits_), bits_);
    if (!needed.is_finite()) return;
    take_in(kept.needed, t - 1, t, needed.lower_double(), needed.upper_double());
    if (is_checkpoint(t - 1, options_.steps)) {
      if (const auto own = theorem_constant(previous_weights_)) kept.steps.push_back({t - 1, *own, needed});
    }
  }

  // C_0 = log(sum_P b_c) - sum mu_c log(b_c/mu_c) at the kept point before the step, where all b_c are
  // positive: b_c = omega_c e^(m_c).
  std::optional<Ball> theorem_constant(const std::vector<FeatureWeights>& weights) const {
    const MirrorLimit& limit = *outcome_.limit;
    if (limit.multipliers.empty()) return std::nullopt;
    Ball sum, level;
    for (std::size_t c = 0; c < limit.constraints.size(); ++c) {
      const Constraint& at = limit.constraints[c];
      for (std::size_t i = 0; i < features_.groups.size(); ++i) {
        const FeatureGroup& group = features_.groups[i];
        if (group.original != at.group) continue;
        const auto place = std::find(group.tokens.begin(), group.tokens.end(), at.token);
        const auto t = static_cast<std::size_t>(place - group.tokens.begin());
        if (group.tokens[weights[i].dominant] != limit.selection[at.group]) return std::nullopt;
        const Ball b = mul(neg(weights[i].weight[t]), exp(weights[i].margin[t], bits_), bits_);
        if (!certainly_positive(b)) return std::nullopt;
        sum = add(sum, b, bits_);
        const Ball& mu = limit.multipliers[c];
        if (arb_is_zero(mu.raw()) != 0) continue;
        if (!certainly_positive(mu)) return std::nullopt;
        level = add(level, mul(mu, log(div(b, mu, bits_), bits_), bits_), bits_);
      }
    }
    return sub(log(sum, bits_), level, bits_);
  }

  MirrorPoint point(const Products& now) {
    MirrorPoint point;
    point.step = run_.step();
    point.norm = now.norm;
    point.dual_norm = now.dual_norm;
    point.along = now.along;
    point.bregman = now.bregman;
    point.euclidean = now.euclidean;
    const std::vector<FeatureWeights> weights = features_.weigh(run_.primal(), spec_.steps.loss);
    std::vector<std::vector<Ball>> values;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const FeatureGroup& group = features_.groups[i];
      values.push_back(weights[i].weight);
      point.unselected.push_back(weights[i].unselected);
      point.max_unselected = max(point.max_unselected, weights[i].unselected, bits_);
      if (outcome_.limit) point.off_limit = max(point.off_limit, off_limit(group, weights[i]), bits_);
      Ball best = group.score.front();
      for (const Ball& score : group.score) best = max(best, score, bits_);
      const Ball lost = add(sub(best, group.score[weights[i].dominant], bits_), weights[i].deficit, bits_);
      Ball gap;
      loss_gap(gap.raw(), spec_.steps.loss, best.raw(), lost.raw(), bits_);
      point.loss_gap = add(point.loss_gap, gap, bits_);
    }
    arb_div_ui(point.loss_gap.raw(), point.loss_gap.raw(), features_.all_groups, bits_);
    point.gradient_norm = potential_.dual_norm(features_.combine(values), bits_);
    previous_weights_ = weights;
    return point;
  }

  Ball off_limit(const FeatureGroup& group, const FeatureWeights& weights) const {
    Ball sum;
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      if (group.tokens[t] != outcome_.limit->selection[group.original])
        sum = add(sum, weights.share[t], bits_);
    return sum;
  }

  void record_trace(const Products& now) {
    MirrorRecord& record = outcome_.record;
    const std::uint64_t t = run_.step();
    if (t % record.trace_stride != 0) return;
    TraceRow row;
    row.step = t;
    row.norm = now.norm.approx_mid();
    row.along = now.along.approx_mid();
    row.one_minus_corr_lo = std::max(0.0, now.bregman.lower_double());
    row.one_minus_corr_hi = now.bregman.upper_double();
    row.gradient_norm = run_.velocity_norm().approx_mid();
    row.log2_radius = -static_cast<double>(std::min(run_.correct_bits(), 100000L));
    record.trace.push_back(row);
    thin_trace(record.trace, record.trace_stride, options_.max_trace_rows,
               [](const TraceRow& old) { return old.step; });
  }

  // The selection at the last step, and that step as a checkpoint.
  void finish() {
    MirrorRecord& record = outcome_.record;
    outcome_.growth_bits = run_.growth_bits();
    outcome_.selection.assign(data_.groups(), std::size_t{0});
    if (run_.step() != record.step || previous_dual_.empty()) {
      outcome_.selection.assign(data_.groups(), std::nullopt);
      return;
    }
    if (record.checkpoints.empty() || record.checkpoints.back().step != record.step)
      record.checkpoints.push_back(point(previous_));
    for (std::size_t i = 0; i < features_.groups.size(); ++i) {
      const FeatureGroup& group = features_.groups[i];
      const FeatureWeights& seen = previous_weights_[i];
      outcome_.selection[group.original] =
          certainly_dominates(seen) ? std::optional(group.tokens[seen.dominant]) : std::nullopt;
    }
  }

  const TokenData& data_;
  const MirrorSpec& spec_;
  const Potential& potential_;
  const MirrorOptions& options_;
  const Budget& budget_;
  MirrorOutcome& outcome_;
  Features features_;
  MirrorIteration run_;
  std::vector<Shape> shapes_;
  long bits_;
  std::optional<MirrorRegionProver> prover_;
  std::uint64_t next_proof_ = 0, next_plan_ = 0;
  Products previous_;
  std::vector<Ball> previous_primal_, previous_dual_;
  std::vector<FeatureWeights> previous_weights_;
};

// Attempts until one stands, seen from the selection it leads to.
void attempt_until_proved(const TokenData& data, const MirrorSpec& spec, const ExactArray& start,
                          const MirrorOptions& options, const Budget& budget, MirrorOutcome& outcome) {
  const Potential potential(spec.exponent);
  const Features features(data, 128);
  Selection guessed = guess_mirror_selection(features, spec, start, options.steps, budget);
  outcome.precision_bits = options.precision != 0 ? options.precision : options.bits + guard_bits + 32;
  for (bool again = true; again;) {
    again = false;
    ++outcome.attempts;
    if (!outcome.limit || outcome.limit->selection != guessed)
      outcome.limit = mirror_limit(data, guessed, potential, budget, outcome.limit_reason, &outcome.conflict);
    outcome.record = {};
    outcome.proof.reset();
    outcome.planned.reset();
    outcome.reason.clear();
    MirrorAttempt attempt(data, spec, potential, start, options, budget, outcome);
    const RunEnding ending = attempt.follow();
    outcome.growth_bits = attempt.growth_bits();
    if (ending == RunEnding::precision) {
      outcome.reason = too_few_bits(outcome.precision_bits, outcome.record.step);
      const long more = outcome.precision_bits + std::max<long>(64, outcome.precision_bits / 2);
      if (options.precision == 0 && more <= most_bits) {
        outcome.precision_bits = more;
        again = true;
      }
      continue;
    }
    outcome.verdict = verdict_of(ending);
    outcome.against = attempt.compare();
    if (ending != RunEnding::reached || !decided(outcome.selection) || outcome.settled()) continue;
    Selection seen;
    for (const auto& token : outcome.selection) seen.push_back(*token);
    if (seen != guessed && outcome.attempts < 6) {
      guessed = seen;
      again = true;
    }
  }
}

}  // namespace

bool MirrorOutcome::settled() const {
  return limit && attest::settled(selection, limit->selection);
}

MirrorOutcome mirror_run(const TokenData& data, const MirrorSpec& spec, const ExactArray& start,
                         const MirrorOptions& options) {
  return timed_run<MirrorOutcome>(data, options, [&](const Budget& budget, MirrorOutcome& outcome) {
    if (const auto reason = too_many_differences(data, "mirror descent", "gd and ngd")) {
      outcome.reason = *reason;
      return;
    }
    // Rows of doubles, three at a time, and entries of W as balls.
    const auto entries = static_cast<double>(data.left_dimension * data.right_dimension);
    budget.reserve(entries * (24 * static_cast<double>(constraint_count(data)) + 2000), "mirror descent");
    attempt_until_proved(data, spec, start, options, budget, outcome);
  });
}

}  // namespace attest
