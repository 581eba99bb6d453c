#include "certify/audits/embedded_training.hpp"

#include <algorithm>

#include "certify/audits/ntp.hpp"
#include "certify/audits/trajectory.hpp"
#include "certify/instance/write.hpp"
#include "numerics/runs/plain_run.hpp"

namespace attest {
namespace {

// A run that is not the whole of what is asked for.
class PartWatch final : public AuditWatch {
 public:
  explicit PartWatch(AuditWatch& whole) : whole_(whole) {}
  const Budget& budget() const override { return whole_.budget(); }
  ProcessSignals* signals() override { return whole_.signals(); }
  void something_is_proved() override { whole_.something_is_proved(); }
  void solving(std::string_view stage, double fraction) override { whole_.solving(stage, fraction); }
  void stepping(std::uint64_t step, std::uint64_t steps) override { whole_.stepping(step, steps); }

 private:
  AuditWatch& whole_;
};

std::string file_of(const std::string& prefix, const char* stage, const char* ending) {
  return prefix.empty() ? std::string() : prefix + "-" + stage + "-run" + ending;
}

// Features and queries of a stage, without a head.
std::shared_ptr<Instance> dataset_of(const TokenData& data) {
  auto instance = std::make_shared<Instance>();
  instance->setting = Setting::cross_attention;
  instance->first_row = data.first_row;
  instance->dimension = data.left_dimension;
  instance->factor_dimension = data.right_dimension;
  instance->X = data.token_factor;
  instance->z = data.query_factor;
  return instance;
}

// W_ov after the stage's last step in double precision: outputs x dimension, row-major.
std::vector<double> plain_outputs(const TokenData& data, const OptimizerSpec& spec, std::uint64_t steps,
                                  const Budget& budget) {
  const RunGeometry geometry(data, 6, budget);
  PlainRun<double> run(geometry, spec, {}, GradientForm::cancellation_free);
  while (run.step() < steps && run.advance()) budget.poll();
  const std::size_t outputs = data.left_dimension, dimension = data.right_dimension;
  std::vector<double> entries(outputs * dimension, 0.0);
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const std::size_t query = geometry.groups[i].original * dimension;
    for (std::size_t u = 0; u < outputs; ++u) {
      for (std::size_t k = 0; k < dimension; ++k)
        entries[u * dimension + k] +=
            run.coordinates()[i * outputs + u] * data.query_factor.approx(query + k);
    }
  }
  return entries;
}

class StageRuns {
 public:
  StageRuns(const NtpRequest& request, const NtpAnswer& answer, AuditWatch& watch)
      : request_(request), answer_(answer), watch_(watch), files_(request.force, watch.signals()) {
    declare_embedded_training(files_, request.prefix);
  }

  Result<EmbeddedTraining> run() {
    try {
      if (auto error = feed_forward()) return std::move(*error);
      if (found_.reason.empty()) found_.reason = answer_.nothing_to_attend();
      if (found_.reason.empty()) {
        if (auto error = attention()) return std::move(*error);
      }
    } catch (const BudgetReached& reached) {
      found_.reason = reached.reason;
    }
    return std::move(found_);
  }

 private:
  std::optional<InputError> feed_forward() {
    const CertifyAnswer& stage = *answer_.feed_forward;
    const auto instance = dataset_of(stage.data);
    instance->y = stage.selection;
    auto last = std::make_shared<Trajectory>();
    last->steps = {request_.steps};
    last->rows = stage.data.left_dimension;
    last->columns = stage.data.right_dimension;
    OptimizerSpec spec;
    spec.rule = update_rule("ngd");
    spec.step = answer_.step;
    spec.loss = Loss::cross_entropy;
    last->weights = plain_outputs(token_data(*instance), spec, request_.steps, watch_.budget());
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(last->weights.begin(), last->weights.end(), finite)) {
      found_.reason = "range: W_ov leaves the range of doubles";
      return std::nullopt;
    }
    RunRequest asked = request_of("feed-forward", request_.step, instance);
    asked.trajectory = last;
    if (auto error = follow(asked, "feed-forward", found_.feed_forward)) return error;
    outputs_ = last->matrix(0);
    if (!found_.feed_forward->decided())
      found_.reason = "the feed-forward stage's run ended before: " + found_.feed_forward->outcome->reason;
    return std::nullopt;
  }

  std::optional<InputError> attention() {
    const CertifyAnswer& stage = *answer_.attention;
    const auto instance = dataset_of(stage.data);
    OutputLayer& head = instance->outputs.emplace();
    head.weights = outputs_;
    for (const AttentionGroup& group : answer_.groups) {
      const std::vector<TokenId>& sentence = answer_.text.sentence[group.sentence];
      head.classes.push_back(sentence.back());
      for (const TokenId token : group.tokens)
        instance->counts.push_back(
            static_cast<std::uint64_t>(std::count(sentence.begin(), sentence.end() - 1, token)));
    }
    const auto one = [](std::uint64_t count) { return count == 1; };
    if (std::all_of(instance->counts.begin(), instance->counts.end(), one)) instance->counts.clear();
    return follow(request_of("attention", request_.attention_step, instance), "attention", found_.attention);
  }

  RunRequest request_of(const char* stage, const std::string& step,
                        const std::shared_ptr<const Instance>& instance) const {
    RunRequest asked;
    asked.held = instance;
    asked.instance = file_of(request_.prefix, stage, ".npz");
    asked.certificate = file_of(request_.prefix, stage, ".cert");
    asked.optimizer = "ngd";
    asked.step = step;
    asked.steps = request_.steps;
    asked.memory_limit = request_.memory_limit;
    asked.force = request_.force;
    return asked;
  }

  std::optional<InputError> follow(const RunRequest& asked, const char* stage,
                                   std::optional<RunAnswer>& into) {
    PartWatch watch(watch_);
    Result<RunAnswer> answer = attest::run(asked, watch);
    if (auto* error = std::get_if<InputError>(&answer)) return std::move(*error);
    into = std::get<RunAnswer>(std::move(answer));
    if (request_.prefix.empty()) return std::nullopt;
    return write_instance(*asked.held, file_of(request_.prefix, stage, ".npz"), files_);
  }

  const NtpRequest& request_;
  const NtpAnswer& answer_;
  AuditWatch& watch_;
  OutputFiles files_;
  ExactArray outputs_;  // W_ov, frozen
  EmbeddedTraining found_;
};

}  // namespace

Result<EmbeddedTraining> train_with_embeddings(const NtpRequest& request, const NtpAnswer& answer,
                                               AuditWatch& watch) {
  return StageRuns(request, answer, watch).run();
}

void declare_embedded_training(OutputFiles& files, const std::string& prefix) {
  for (const char* stage : {"feed-forward", "attention"}) {
    files.output(file_of(prefix, stage, ".npz"), FileKind::instance);
    files.output(file_of(prefix, stage, ".cert"), FileKind::certificate);
  }
}

}  // namespace attest
