#include "certify/reports/ntp_training.hpp"

#include "certify/reports/run_json.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

// Later steps for which bounds are shown.
std::vector<std::uint64_t> shown_steps(std::uint64_t from) {
  return {from, 10 * from, 1000 * from};
}

std::string upper_end(const BallNumber& x) {
  return decimal_up(x.ball().upper(), 4);
}

Json json_upper_end(const BallNumber& x) {
  return decimal_up(x.ball().upper(), 12);
}

Json json_attention_forever(const AttentionTraining& trained) {
  const bool proved = trained.limit.has_value();
  Json value{{"verdict", proved ? "holds" : "undecided"}};
  value["theorem"] = proved ? Json("T23") : Json(nullptr);
  value["t0"] = trained.lock_in ? Json(trained.lock_in->from()) : Json(nullptr);
  value["max_one_minus_s"] =
      trained.lock_in ? Json(decimal_up(trained.lock_in->conclusion().unselected, 12)) : Json(nullptr);
  if (!proved) return value;
  value["rate"] = "1/t";
  value["loss_ratio"] = decimal_up(trained.limit->conclusion().loss_ratio, 12);
  value["loss_bounds"] = value["corr_bounds"] = Json::array();
  for (const std::uint64_t t : shown_steps(trained.limit->from())) {
    value["loss_bounds"].push_back(
        {{"from", t}, {"loss_gap", json_upper_end(trained.limit->loss_gap_at(t))}});
    value["corr_bounds"].push_back(
        {{"at", t}, {"one_minus_corr", json_upper_end(trained.limit->one_minus_cos_at(t))}});
  }
  return value;
}

Json json_attention_training(const NtpAnswer& answer) {
  if (!answer.training->attention) return nullptr;
  const AttentionTraining& trained = *answer.training->attention;
  Json value{{"step", show(answer.attention_step)}, {"steps", trained.steps}};
  if (!trained.reason.empty()) value["reason"] = trained.reason;
  value["checkpoints"] = Json::array();
  for (const AttentionCheckpoint& at : trained.checkpoints) {
    value["checkpoints"].push_back({{"t", at.step},
                                    {"loss_gap", json_enclosure(at.loss_gap)},
                                    {"norm", json_enclosure(at.norm)},
                                    {"one_minus_corr", json_enclosure(at.one_minus_corr)},
                                    {"max_one_minus_s", json_enclosure(at.most_unselected)}});
  }
  value["forever"] = json_attention_forever(trained);
  value["statistics"] = {{"precision_bits", trained.bits}, {"run_seconds", trained.seconds}};
  return value;
}

// A stage trained with given embeddings: its last step, and what holds of later ones.
void add_run(std::vector<std::pair<std::string, std::string>>& lines, const char* what,
             const std::optional<RunAnswer>& run) {
  if (!run) return;
  const RunOutcome& outcome = *run->outcome;
  std::string done = std::to_string(outcome.record.step) + " steps of " + show(run->spec.step);
  if (!outcome.reason.empty()) done += ", then " + outcome.reason;
  lines.emplace_back(what, done);
  if (!outcome.record.checkpoints.empty()) {
    const RunPoint& last = outcome.record.checkpoints.back();
    lines.emplace_back("", "at step " + std::to_string(last.step) + ": ||W|| " + short_number(last.norm) +
                               ", L - L* " + short_number(last.loss_gap) + ", 1 - corr " +
                               short_number(last.one_minus_corr) + ", largest 1 - s " +
                               short_number(last.max_unselected));
  }
  const ForeverAnswer& forever = run->forever;
  if (forever.proofs.empty()) {
    lines.emplace_back("", "for ever: undecided, " + forever.reason);
    return;
  }
  lines.emplace_back("", forever.theorem + " from step " + std::to_string(*forever.t0) +
                             " on: 1 - corr = O(" + forever.rate + ")");
  for (const ForeverAnswer::LossBound& bound : forever.loss_bounds)
    lines.emplace_back("", "L - L* <= " + decimal_up(bound.loss_gap, 4) + " at every step from " +
                               std::to_string(bound.from) + " on");
  if (forever.loss_rate) lines.emplace_back("", "the loss is " + words(*forever.loss_rate));
}

std::vector<std::pair<std::string, std::string>> embedded_lines(const EmbeddedTraining& training) {
  std::vector<std::pair<std::string, std::string>> lines;
  add_run(lines, "feed-forward training", training.feed_forward);
  if (training.attention) {
    const ComparedStep& frozen = training.feed_forward->comparison->steps.front();
    lines.emplace_back("frozen W_ov", "doubles within " + upper_end(BallNumber(frozen.distance)) +
                                          " of the last one, ||W_ov|| " + short_number(frozen.norm));
  }
  add_run(lines, "attention training", training.attention);
  if (!training.reason.empty()) lines.emplace_back("", "not trained further: " + training.reason);
  return lines;
}

Json json_embedded(const EmbeddedTraining& training) {
  const auto stage = [](const std::optional<RunAnswer>& run) {
    return run ? json_value(*run) : Json(nullptr);
  };
  Json value{{"feed_forward", stage(training.feed_forward)}, {"attention", stage(training.attention)}};
  if (!training.reason.empty()) value["reason"] = training.reason;
  return value;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> training_lines(const NtpAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (answer.embedded) return embedded_lines(*answer.embedded);
  if (const std::string none = answer.nothing_to_train();
      !answer.training && answer.steps > 0 && !none.empty())
    return {{"feed-forward training", none}, {"attention training", "the same"}};
  if (!answer.training) return lines;
  const NtpTraining& training = *answer.training;
  lines.emplace_back("feed-forward training",
                     std::to_string(answer.steps) + " steps of " + show(answer.step) +
                         ", in closed form: c = " + short_number(training.scale().ball(), 12) +
                         ", L = " + short_number(training.least_loss().ball()));
  const std::string nothing = answer.nothing_to_attend();
  if (!nothing.empty()) lines.emplace_back("attention training", nothing + ", and L is that at every step");
  if (!training.attention) return lines;
  const AttentionTraining& trained = *training.attention;
  std::string run = std::to_string(trained.steps) + " steps of " + show(answer.attention_step);
  if (!trained.reason.empty()) run += ", then " + trained.reason;
  lines.emplace_back("attention training", run);
  if (!trained.checkpoints.empty()) {
    const AttentionCheckpoint& last = trained.checkpoints.back();
    lines.emplace_back("", "at step " + std::to_string(last.step) + ": ||W|| " + short_number(last.norm) +
                               ", L - L* " + short_number(last.loss_gap) + ", 1 - corr " +
                               short_number(last.one_minus_corr) + ", largest 1 - s " +
                               short_number(last.most_unselected));
  }
  if (trained.lock_in)
    lines.emplace_back(
        "", "T23: the loss falls at every step from " + std::to_string(trained.lock_in->from()) + " on");
  if (!trained.limit) return lines;
  const AttentionLimit& limit = *trained.limit;
  lines.emplace_back("", "L - L* <= " + upper_end(limit.loss_gap_at(limit.from())) + " q^(t - " +
                             std::to_string(limit.from()) +
                             "), q = " + decimal_up(limit.conclusion().loss_ratio, 8));
  std::string bounds = "1 - corr";
  for (const std::uint64_t t : shown_steps(limit.from()))
    bounds += (t == limit.from() ? " <= " : ", ") + upper_end(limit.one_minus_cos_at(t)) + " at step " +
              std::to_string(t);
  lines.emplace_back("", bounds);
  return lines;
}

Json json_training(const NtpAnswer& answer) {
  if (answer.embedded) return json_embedded(*answer.embedded);
  if (!answer.training) return nullptr;
  Json fed{{"step", show(answer.step)}, {"steps", answer.steps}};
  fed["scale"] = json_enclosure(answer.training->scale().ball());
  fed["loss"] = json_enclosure(answer.training->least_loss().ball());
  fed["one_minus_corr"] = "0";
  return {{"feed_forward", std::move(fed)}, {"attention", json_attention_training(answer)}};
}

}  // namespace attest
