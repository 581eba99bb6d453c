#include "certify/audits/joint_run.hpp"

#include <algorithm>

#include "certify/audits/input.hpp"
#include "certify/audits/joint.hpp"
#include "certify/audits/mirror_run.hpp"
#include "certify/catalogue/decoder.hpp"
#include "certify/catalogue/joint_limits.hpp"
#include "certify/catalogue/label_margins.hpp"
#include "certify/certificates/joint.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/joint/mirror.hpp"

namespace attest {
namespace {

Result<JointStep> joint_step(const std::string& key, const std::string& optimizer, const std::string& size,
                             const std::string& schedule) {
  JointStep step;
  step.normalised = optimizer == "ngd" || optimizer == "nmd";
  const Result<Rational> read = exact_option(key, size);
  if (const auto* error = std::get_if<InputError>(&read)) return *error;
  step.step = std::get<Rational>(read);
  if (step.step <= 0) return bad_option(key, "must be positive");
  const std::optional<Rational> power = schedule_power(schedule);
  if (!power) return bad_option("--schedule", "constant, inverse, invsqrt or power:E with E from -64 to 0");
  step.power = *power;
  return step;
}

Result<JointSpec> joint_spec(const JointRunRequest& request, const Instance& instance,
                             const TokenData& data) {
  JointSpec spec;
  if (instance.Y.empty() || instance.v.empty())
    return bad_option("--joint", "the instance has no decoder v and labels Y: nothing to train with W");
  if (data.offsets) return bad_option("--joint", "joint training does not follow logits with offsets");
  const RunRequest& run = request.run;
  Result<Loss> loss = training_loss(data, run.loss);
  if (auto* error = std::get_if<InputError>(&loss)) return std::move(*error);
  spec.loss = std::get<Loss>(loss);
  if (several_outputs(spec.loss) || spec.loss == Loss::cross_entropy)
    return bad_option("--joint", "joint training has a linear decoder");
  if (run.step.empty()) return bad_option("--step", "needed with --joint");
  if (is_mirror_descent(run.optimizer)) {
    Result<Rational> exponent = potential_of(run);
    if (auto* error = std::get_if<InputError>(&exponent)) return std::move(*error);
    spec.exponent = std::get<Rational>(std::move(exponent));
  }
  const auto or_else = [](const std::string& own, const std::string& other) {
    return own.empty() ? other : own;
  };
  Result<JointStep> attention = joint_step("--step", run.optimizer, run.step, run.schedule);
  if (auto* error = std::get_if<InputError>(&attention)) return std::move(*error);
  spec.attention = std::get<JointStep>(attention);
  Result<JointStep> decoder =
      joint_step("--decoder-step", or_else(request.decoder_optimizer, run.optimizer),
                 or_else(request.decoder_step, run.step), or_else(request.decoder_schedule, run.schedule));
  if (auto* error = std::get_if<InputError>(&decoder)) return std::move(*error);
  spec.decoder = std::get<JointStep>(decoder);
  return spec;
}

Result<ExactArray> decoder_start(const JointRunRequest& request, const Instance& instance) {
  const std::string& init = request.decoder_init;
  if (init.empty() || init == "instance") return instance.v;
  if (init == "zero") return ExactArray();
  if (init.starts_with("random:")) {
    Result<std::vector<double>> entries = random_entries(init, instance.dimension);
    if (auto* error = std::get_if<InputError>(&entries)) return std::move(*error);
    return ExactArray::from_binary64(std::get<std::vector<double>>(std::move(entries)));
  }
  if (!init.starts_with("@"))
    return bad_option("--decoder-init", "one of instance, zero, @FILE, random:SEED");
  Result<WeightMatrix> read =
      read_weights({init.substr(1), nullptr}, "v0", instance.dimension, 1, request.run.memory_limit);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  return std::move(std::get<WeightMatrix>(read).entries);
}

// The band of 1 - corr with one problem of the attention.
std::vector<TraceRow> trace_rows(const JointRecord& record, std::size_t problem) {
  std::vector<TraceRow> rows;
  for (const JointTraceRow& traced : record.trace) {
    TraceRow& row = rows.emplace_back();
    row.step = traced.step;
    row.norm = traced.norm;
    row.one_minus_corr_lo = traced.lo[problem];
    row.one_minus_corr_hi = traced.hi[problem];
    row.loss_gap = traced.loss;
  }
  return rows;
}

class JointCase : public FollowedRunCase {
 public:
  // Both must outlive it.
  JointCase(const JointRunRequest& request, JointRunAnswer& answer) : request_(request), answer_(answer) {}

  std::string words() const override { return "joint training"; }
  BitsRange precisions() const override { return {100, 60000}; }
  std::optional<InputError> not_offered() const override {
    const RunRequest& run = request_.run;
    if (auto error = of_mirror_descent_only(run)) return error;
    const bool mirror = is_mirror_descent(run.optimizer);
    if (!mirror && run.optimizer != "gd" && run.optimizer != "ngd")
      return bad_option("--optimizer", "joint training knows gd, ngd, md and nmd");
    if (!mirror && !run.potential.empty())
      return bad_option("--potential", "goes with mirror descent, --optimizer md or nmd");
    if (!request_.decoder_optimizer.empty() && is_mirror_descent(request_.decoder_optimizer) != mirror)
      return bad_option("--decoder-optimizer", "W and v both take mirror descent, or neither does");
    if (run.parameterization != "w") return bad_option("--parameterization", "joint training moves W itself");
    return of_factors_only(run);
  }
  std::vector<std::string> inputs() const override {
    std::vector<std::string> paths;
    for (const std::string* init : {&request_.run.init, &request_.decoder_init}) {
      if (init->starts_with("@")) paths.push_back(init->substr(1));
    }
    return paths;
  }

  std::optional<InputError> prepare(const Instance& instance, const TokenData& data) override {
    instance_ = &instance;
    data_ = &data;
    Result<JointSpec> spec = joint_spec(request_, instance, data);
    if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
    answer_.spec = std::get<JointSpec>(std::move(spec));
    Result<ExactArray> attention = initial_point(request_.run, instance, data);
    if (auto* error = std::get_if<InputError>(&attention)) return std::move(*error);
    start_.attention = std::get<ExactArray>(std::move(attention));
    Result<ExactArray> decoder = decoder_start(request_, instance);
    if (auto* error = std::get_if<InputError>(&decoder)) return std::move(*error);
    start_.decoder = std::get<ExactArray>(std::move(decoder));
    return std::nullopt;
  }

  void follow(const TokenData& data, const BallRunOptions& given) override {
    JointOutcome& outcome = answer_.outcome;
    if (const auto reason = joint_run_excluded(data)) {
      outcome.reason = *reason;
      outcome.selection.resize(data.groups());
      return;
    }
    JointOptions options;
    static_cast<BallRunOptions&>(options) = given;
    options.until_forever = request_.run.until_forever;
    const auto limits_of = [&](const Selection& selection) {
      return solve_joint_limits(*instance_, data, answer_.spec, selection, *given.budget);
    };
    outcome = joint_run(labelled_data(*instance_, data), answer_.spec, start_, limits_of, options);
  }

  // Of gradient descent from W_0 = 0 and a v_0 that the instance knows, where both problems are solved.
  Certificate certificate(const AuditWatch& watch) const override {
    const JointOutcome& outcome = answer_.outcome;
    const std::string& init = request_.decoder_init;
    const bool from_instance = init.empty() || init == "instance";
    if (answer_.spec.exponent || !is_zero(start_.attention) || !(from_instance || init == "zero") ||
        outcome.record.checkpoints.empty() || !outcome.settled() ||
        sequence_without_row(*instance_, *data_, outcome.limits.selection))
      return {};
    try {
      return certificate_of(outcome, from_instance, watch.budget());
    } catch (const BudgetReached&) {
      return {};
    }
  }

  std::string without_certificate() const override {
    if (answer_.spec.exponent) return "certificates do not hold mirror descent on both yet";
    if (!answer_.outcome.settled())
      return "the run did not settle on tokens whose margin problems are solved";
    return "certificates hold runs from W = 0 and from v = 0 or the instance's v, where every sequence has "
           "two "
           "different tokens";
  }

  // The trace has the correlation with the plain problem's solution.
  FollowedPictures pictures() const override {
    const JointRecord& record = answer_.outcome.record;
    const JointLimits& limits = answer_.outcome.limits;
    FollowedPictures pictures;
    const JointSpec& spec = answer_.spec;
    pictures.plot.title = "joint, W: " + step_words(spec, spec.attention) +
                          "; v: " + step_words(spec, spec.decoder) + "; " + name(spec.loss) + " loss";
    pictures.plot.measured = "1 - correlation with the solutions";
    if (limits.attention.empty()) return pictures;
    pictures.trace = trace_rows(record, 0);
    pictures.columns = {{"decoder_one_minus_corr_lo", {}}, {"decoder_one_minus_corr_hi", {}}};
    ChartLine decoder{"1 - corr of the decoder", Hue::vermillion, Dash::dashed, 2, {}};
    for (const JointTraceRow& traced : record.trace) {
      pictures.columns[0].second.push_back(traced.decoder_lo);
      pictures.columns[1].second.push_back(traced.decoder_hi);
      decoder.points.emplace_back(static_cast<double>(traced.step), traced.decoder_hi);
    }
    if (limits.attention.front().direction)
      pictures.plot.bands.push_back(certified_band(pictures.trace, "certified band, with the plain problem"));
    if (limits.decoder) pictures.plot.lines.push_back(std::move(decoder));
    for (std::size_t k = 1; k < limits.attention.size(); ++k) {
      if (limits.attention[k].direction) pictures.plot.lines.push_back(line_of(k));
    }
    return pictures;
  }

 private:
  static bool is_zero(const ExactArray& array) {
    for (std::size_t k = 0; k < array.size(); ++k)
      if (array.exact(k) != 0) return false;
    return true;
  }

  Certificate certificate_of(const JointOutcome& outcome, bool from_instance, const Budget& budget) const {
    constexpr double most_bits = 65536;  // of the grammar
    const Selection& selection = outcome.limits.selection;
    MarginOptions options;
    options.outer = &budget;
    const JointProblems problems = solve_joint_problems(*instance_, *data_, selection, options);
    const std::string problem = problems.relaxed.empty() ? "plain" : "relaxed";
    const auto& limits = outcome.limits.attention;
    const auto limit = std::find_if(limits.begin(), limits.end(),
                                    [&](const JointLimit& one) { return one.problem == problem; });
    const double growth = entrywise_growth(labelled_data(*instance_, *data_), answer_.spec, start_,
                                           outcome.record.step, budget);
    const double bits = 256 + 1.3 * growth;
    if (!problems.attention || limit == limits.end() || !(bits <= most_bits)) return {};
    const JointFacts facts = joint_facts(*instance_, *data_, selection, problems);
    JointProofs proofs;
    proofs.run = JointRunProof{&answer_.spec,
                               from_instance,
                               &outcome.record.checkpoints,
                               static_cast<std::size_t>(limit - limits.begin()),
                               static_cast<long>(bits),
                               outcome.proof ? &*outcome.proof : nullptr};
    return write_joint_certificate(facts.decoder, facts.attention, proofs);
  }

  ChartLine line_of(std::size_t problem) const {
    const JointOutcome& outcome = answer_.outcome;
    const std::string& words = outcome.limits.attention[problem].problem;
    ChartLine line{"1 - corr with the " + words + " problem",
                   words == "shifted" ? Hue::green : Hue::purple,
                   Dash::solid,
                   1,
                   {}};
    for (const JointTraceRow& row : outcome.record.trace)
      line.points.emplace_back(static_cast<double>(row.step), row.hi[problem]);
    return line;
  }

  const JointRunRequest& request_;
  JointRunAnswer& answer_;
  const Instance* instance_ = nullptr;
  const TokenData* data_ = nullptr;
  JointStart start_;
};

}  // namespace

std::string optimizer_word(const JointSpec& spec, const JointStep& step) {
  return std::string(step.normalised ? "n" : "") + (spec.exponent ? "md" : "gd");
}

std::string step_words(const JointSpec& spec, const JointStep& step) {
  return optimizer_word(spec, step) + (spec.exponent ? ", P = " + show(*spec.exponent) : "") + ", step " +
         show(step.step) + (step.power == 0 ? " (constant)" : " (power " + show(step.power) + ")");
}

std::optional<Rational> schedule_power(const std::string& schedule) {
  if (schedule == "constant") return Rational(0);
  if (schedule == "inverse") return Rational(-1);
  if (schedule == "invsqrt") return Rational(-1, 2);
  if (!schedule.starts_with("power:")) return std::nullopt;
  const Result<Rational> power = exact_option("--schedule", schedule.substr(6));
  const Rational* value = std::get_if<Rational>(&power);
  return value != nullptr && *value <= 0 && *value >= -64 ? std::optional(*value) : std::nullopt;
}

Result<JointRunAnswer> joint_run(const JointRunRequest& request, AuditWatch& watch,
                                 const PageOf<JointRunAnswer>& page) {
  JointRunAnswer answer;
  JointCase run(request, answer);
  if (auto error = follow_run(run, answer, request.run, watch, [&] { return page(answer); }))
    return std::move(*error);
  return answer;
}

}  // namespace attest
