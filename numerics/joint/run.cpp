#include "numerics/joint/run.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "numerics/forever/ball_number.hpp"
#include "numerics/joint/mirror.hpp"
#include "numerics/problem/loss_law.hpp"

namespace attest {
namespace {

constexpr long observed_bits = 160;

Ball unknown() {
  Ball all;
  arb_zero_pm_inf(all.raw());
  return all;
}

// Of gradient descent (JointIteration) or mirror descent (JointMirror).
template <class Run>
class Attempt {
 public:
  Attempt(const JointData& joint, const JointFeatures& features, const JointSpec& spec,
          const JointStart& start, const JointOptions& options, const GrowthPilot& pilot,
          const StepBits& bits, const Budget& budget, JointOutcome& outcome)
      : joint_(joint),
        features_(features),
        spec_(spec),
        options_(options),
        pilot_(pilot),
        bits_(bits),
        budget_(budget),
        outcome_(outcome),
        run_(features, spec, start),
        excluded_(joint_region_excluded(spec, outcome.limits)) {
    for (const JointLimit& limit : outcome.limits.attention) {
      limit_images_.emplace_back();
      start_products_.emplace_back();
      if (!limit.direction) continue;
      if constexpr (!of_mirror) {
        const std::vector<Ball>& u = limit.direction->entries;
        for (const JointGroup& group : features.groups) {
          for (std::size_t j = 0; j < features.d; ++j)
            limit_images_.back().push_back(
                dot({u.data() + j * features.e, features.e}, group.query, direction_bits));
        }
        start_products_.back() = run_.start_product(u);
      }
    }
    for (std::size_t k = 0; k < outcome.limits.attention.size(); ++k)
      outcome.record.shapes.push_back({"attention " + outcome.limits.attention[k].problem, "1/log(t)", {}});
    outcome.record.shapes.push_back({"decoder", "1/log(t)", {}});
    outcome.record.shapes.push_back({"loss", "exp(-c t^(1/3))", {}});
    if (excluded_) outcome.proof_reason = *excluded_;
  }

  // How the trajectory ended; `outcome.reason` says more of range and time.
  RunEnding follow() {
    return follow_planned(
        run_, pilot_, bits_, options_, budget_, outcome_, [&] { return observe(); },
        [&] { return options_.until_forever && outcome_.proof; }, [&] { finish(); });
  }

 private:
  static constexpr bool of_mirror = std::is_same_v<Run, JointMirror>;

  // <W, u> of one of the attention's problems.
  Ball along(std::size_t problem) const {
    if constexpr (of_mirror) {
      return run_.along(outcome_.limits.attention[problem].direction->entries);
    } else {
      return run_.along(limit_images_[problem], start_products_[problem]);
    }
  }

  // T20, tried now and then.
  void try_to_prove(std::uint64_t t) {
    if constexpr (!of_mirror) {
      if (excluded_ || outcome_.proof || (t < next_proof_ && t != options_.steps)) return;
      const auto region =
          joint_region(features_, joint_, spec_, outcome_.limits, run_, outcome_.proof_reason);
      if (region) outcome_.proof = JointProof{t, *region};
      next_proof_ = std::max(t + t / 8, t + 10);
    }
  }

  // 1 - <x,u>/||x||, u of norm 1.
  static Ball correlation_gap(const Ball& along, const Ball& norm) {
    return sub(Ball(1), div(along, norm, observed_bits), observed_bits);
  }

  // False when the enclosure has not the bits wanted.
  bool observe() {
    const std::uint64_t t = run_.step();
    JointRecord& record = outcome_.record;
    if (t > 0) {
      const long correct = run_.correct_bits();
      if (options_.precision == 0 && correct < options_.bits) return false;
      record.correct_bits = std::min(record.correct_bits, correct);
    }
    record.step = t;
    const JointPoint point = seen();
    if (t >= 2) record_shapes(point);
    try_to_prove(t);
    const bool proved = outcome_.proof && outcome_.proof->t0 == t;
    if (proved || is_checkpoint(t, options_.steps)) record.checkpoints.push_back(point);
    if (t % record.trace_stride == 0) record_trace(point);
    last_ = point;
    return true;
  }

  JointPoint seen() const {
    JointPoint point;
    point.step = run_.step();
    point.norm = sqrt(run_.norm_squared(), observed_bits);
    for (std::size_t k = 0; k < limit_images_.size(); ++k)
      point.one_minus_corr.push_back(
          outcome_.limits.attention[k].direction ? correlation_gap(along(k), point.norm) : unknown());
    const std::vector<Ball> v = run_.decoder();
    point.decoder_norm = sqrt(dot(v, v, observed_bits), observed_bits);
    const std::optional<Direction>& decoder = outcome_.limits.decoder;
    point.decoder_one_minus_corr =
        decoder ? correlation_gap(dot(v, decoder->entries, observed_bits), point.decoder_norm) : unknown();
    bool first = true;
    for (std::size_t i = 0; i < features_.groups.size(); ++i) {
      const JointGroup& group = features_.groups[i];
      const JointWeights& own = run_.over()[i];
      point.loss = add(point.loss, loss_value(spec_.loss, BallNumber(own.output)).ball(), observed_bits);
      point.least_output = first ? own.output : min(point.least_output, own.output, observed_bits);
      const auto chosen = static_cast<std::size_t>(
          std::find(group.tokens.begin(), group.tokens.end(), outcome_.limits.selection[i]) -
          group.tokens.begin());
      const std::size_t dim = features_.decoder_dimension;
      const Ball margin = dot({group.value.data() + chosen * dim, dim}, v, observed_bits);
      point.decoder_margin = first ? margin : min(point.decoder_margin, margin, observed_bits);
      point.unselected.push_back(own.unselected);
      point.max_unselected = max(point.max_unselected, own.unselected, observed_bits);
      first = false;
    }
    arb_div_ui(point.loss.raw(), point.loss.raw(), features_.groups.size(), observed_bits);
    point.decoder_margin = div(point.decoder_margin, point.decoder_norm, observed_bits);
    point.least_output = div(point.least_output, point.decoder_norm, observed_bits);
    point.attention_gradient = run_.attention_gradient();
    point.decoder_gradient = run_.decoder_gradient();
    return point;
  }

  // A value that is not enclosed spoils the constant: it is not dropped.
  void record_shapes(const JointPoint& point) {
    const auto t = static_cast<double>(point.step);
    std::vector<JointShape>& shapes = outcome_.record.shapes;
    const auto correlation = [&](JointShape& shape, const Ball& gap) {
      const bool known = gap.is_finite();
      // The C library's logarithm is within a few ulps.
      const double lo = known ? std::max(0.0, gap.lower_double()) * std::log(t) * (1 - 0x1p-45) : 0;
      const double hi = known ? gap.upper_double() * std::log(t) * (1 + 0x1p-45) : HUGE_VAL;
      take_in(shape.constant, point.step, point.step, lo, hi);
    };
    for (std::size_t k = 0; k < point.one_minus_corr.size(); ++k)
      correlation(shapes[k], point.one_minus_corr[k]);
    correlation(shapes[shapes.size() - 2], point.decoder_one_minus_corr);
    const Ball exponent = neg(log(point.loss, 64));
    const bool known = exponent.is_finite();
    const double scale = std::cbrt(t);
    const double lo = known ? exponent.lower_double() / scale : -HUGE_VAL;
    const double hi = known ? exponent.upper_double() / scale : HUGE_VAL;
    take_in(shapes.back().constant, point.step, point.step, lo - std::abs(lo) * 0x1p-45,
            hi + std::abs(hi) * 0x1p-45, true);
  }

  void record_trace(const JointPoint& point) {
    JointRecord& record = outcome_.record;
    const auto low = [](const Ball& gap) {
      return gap.is_finite() ? std::max(0.0, gap.lower_double()) : 0.0;
    };
    const auto high = [](const Ball& gap) { return gap.is_finite() ? gap.upper_double() : 2.0; };
    JointTraceRow& row = record.trace.emplace_back();
    row.step = point.step;
    row.norm = point.norm.approx_mid();
    row.decoder_norm = point.decoder_norm.approx_mid();
    row.decoder_lo = low(point.decoder_one_minus_corr);
    row.decoder_hi = high(point.decoder_one_minus_corr);
    row.loss = point.loss.approx_mid();
    for (const Ball& gap : point.one_minus_corr) {
      row.lo.push_back(low(gap));
      row.hi.push_back(high(gap));
    }
    thin_trace(record.trace, record.trace_stride, options_.max_trace_rows,
               [](const JointTraceRow& old) { return old.step; });
  }

  // The selection at the last step, and that step as a checkpoint.
  void finish() {
    JointRecord& record = outcome_.record;
    outcome_.selection.assign(features_.groups.size(), std::nullopt);
    if (!last_ || run_.step() != record.step) return;
    if (record.checkpoints.empty() || record.checkpoints.back().step != record.step)
      record.checkpoints.push_back(*last_);
    for (std::size_t i = 0; i < features_.groups.size(); ++i) {
      const JointWeights& own = run_.over()[i];
      if (certainly_dominates(own)) outcome_.selection[i] = features_.groups[i].tokens[own.dominant];
    }
  }

  const JointData& joint_;
  const JointFeatures& features_;
  const JointSpec& spec_;
  const JointOptions& options_;
  const GrowthPilot& pilot_;
  const StepBits& bits_;
  const Budget& budget_;
  JointOutcome& outcome_;
  Run run_;
  std::optional<std::string> excluded_;
  std::vector<std::vector<Ball>> limit_images_;
  std::vector<Ball> start_products_;
  std::uint64_t next_proof_ = 0;
  std::optional<JointPoint> last_;
};

// Attempts until one stands, seen from the selection it leads to.
template <class Run>
void attempt_until_proved(const JointData& joint, const JointSpec& spec, const JointStart& start,
                          const JointLimitsOf& limits_of, const JointOptions& options, const Budget& budget,
                          JointOutcome& outcome) {
  const JointFeatures ahead(joint, GrowthPilot::bits);
  Run guess(ahead, spec, start);
  GrowthPilot pilot = growth_pilot(guess, options.steps, budget);
  pilot.selection = guess.dominant();
  repeat_attempts(
      pilot, options, outcome,
      [&](const StepBits& bits) {
        const JointFeatures features(joint, std::max(outcome.precision_bits, 256L));
        return Attempt<Run>(joint, features, spec, start, options, pilot, bits, budget, outcome).follow();
      },
      [&](const Selection& selection) { outcome.limits = limits_of(selection); });
}

}  // namespace

bool JointOutcome::settled() const {
  return attest::settled(selection, limits.selection);
}

std::optional<std::string> JointOutcome::nearest() const {
  if (!settled() || record.checkpoints.empty() || !limits.decoder) return std::nullopt;
  const JointPoint& last = record.checkpoints.back();
  std::size_t best = limits.attention.size();
  for (std::size_t k = 0; k < limits.attention.size(); ++k) {
    if (limits.attention[k].feasibility == Feasibility::infeasible) continue;
    if (!limits.attention[k].direction || !last.one_minus_corr[k].is_finite()) return std::nullopt;
    if (best == limits.attention.size() ||
        last.one_minus_corr[k].approx_mid() < last.one_minus_corr[best].approx_mid())
      best = k;
  }
  if (best == limits.attention.size()) return std::nullopt;
  std::string names;
  bool told = false;
  for (std::size_t k = 0; k < limits.attention.size(); ++k) {
    if (!limits.attention[k].direction) continue;
    if (certainly_less(last.one_minus_corr[best], last.one_minus_corr[k])) {
      told = true;
    } else {
      names += (names.empty() ? "" : " or ") + limits.attention[k].problem;
    }
  }
  return told || names == limits.attention[best].problem ? std::optional(names) : std::nullopt;
}

std::optional<std::string> joint_run_excluded(const TokenData& data) {
  return too_many_differences(data, "joint training", "training of W alone");
}

JointOutcome joint_run(const JointData& joint, const JointSpec& spec, const JointStart& start,
                       const JointLimitsOf& limits_of, const JointOptions& options) {
  return timed_run<JointOutcome>(joint.data, options, [&](const Budget& budget, JointOutcome& outcome) {
    if (const auto reason = joint_run_excluded(joint.data)) {
      outcome.reason = *reason;
      return;
    }
    const auto coordinates = static_cast<double>(constraint_count(joint.data));
    budget.reserve(64 * coordinates * coordinates, "joint training");
    if (spec.exponent) {
      attempt_until_proved<JointMirror>(joint, spec, start, limits_of, options, budget, outcome);
    } else {
      attempt_until_proved<JointIteration>(joint, spec, start, limits_of, options, budget, outcome);
    }
  });
}

}  // namespace attest
