// The JSON value of joint training.
#include "certify/reports/joint_run.hpp"

#include <cmath>

#include "certify/reports/conflict.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/run_json.hpp"

namespace attest {
namespace {

Json json_step(const JointSpec& spec, const JointStep& step) {
  Json value{
      {"optimizer", optimizer_word(spec, step)}, {"step", show(step.step)}, {"power", show(step.power)}};
  if (spec.exponent) value["potential"] = show(*spec.exponent);
  return value;
}

Json json_constant(const LeastConstant& constant) {
  if (!std::isfinite(constant.lo) || !std::isfinite(constant.hi)) return nullptr;
  return Json{{"lo", decimal_down(Rational(constant.lo), 12)}, {"hi", decimal_up(Rational(constant.hi), 12)}};
}

Json json_point(const JointPoint& point, const JointLimits& limits) {
  Json value;
  value["t"] = point.step;
  value["norm"] = json_enclosure(point.norm);
  value["one_minus_corr"] = Json::object();
  for (std::size_t k = 0; k < limits.attention.size(); ++k)
    value["one_minus_corr"][limits.attention[k].problem] = json_enclosure(point.one_minus_corr[k]);
  value["decoder"] = {{"norm", json_enclosure(point.decoder_norm)},
                      {"one_minus_corr", json_enclosure(point.decoder_one_minus_corr)},
                      {"margin", json_enclosure(point.decoder_margin)},
                      {"gradient_norm", json_enclosure(point.decoder_gradient)}};
  value["loss"] = json_enclosure(point.loss);
  value["least_label_margin"] = json_enclosure(point.least_output);
  value["gradient_norm"] = json_enclosure(point.attention_gradient);
  value["max_one_minus_s"] = json_enclosure(point.max_unselected);
  value["one_minus_s"] = Json::array();
  for (const Ball& rest : point.unselected) value["one_minus_s"].push_back(json_enclosure(rest));
  return value;
}

Json json_limits(const JointOutcome& outcome) {
  Json value = Json::array();
  const bool seen = outcome.settled() && !outcome.record.checkpoints.empty();
  for (std::size_t k = 0; k < outcome.limits.attention.size(); ++k) {
    const JointLimit& limit = outcome.limits.attention[k];
    Json entry{{"problem", limit.problem}, {"verdict", verdict_word(limit.feasibility)}};
    entry["one_minus_corr"] =
        seen ? json_enclosure(outcome.record.checkpoints.back().one_minus_corr[k]) : Json(nullptr);
    if (!limit.direction) entry["reason"] = limit.reason;
    if (!limit.conflict.empty()) entry["witness"] = json_conflict(limit.conflict);
    if (limit.problem == "shifted") entry["selects"] = limit.selects ? Json(*limit.selects) : Json(nullptr);
    value.push_back(std::move(entry));
  }
  return value;
}

Json json_proof(const JointOutcome& outcome) {
  Json value = json_later_steps(outcome.proof, outcome.proof_reason);
  if (!outcome.proof) return value;
  const JointRegion& region = outcome.proof->region;
  const auto down = [](const Ball& x) { return decimal_down(x.lower(), 12); };
  const auto up = [](const Ball& x) { return decimal_up(x.upper(), 12); };
  value["theorem"] = "T20";
  value["level"] = "checked";
  value["rate"] = "W 1/S, v 1/S^2, loss exp(-c S)";
  value["kind"] = outcome.proof->t0 == 0 ? "from-point" : "from-run";
  value["selection"] = outcome.limits.selection;
  value["constants"] = {{"decoder_start", down(region.decoder_start)},
                        {"decoder_growth", down(region.decoder_growth)},
                        {"attention_start", down(region.attention_start)},
                        {"attention_growth", down(region.attention_growth)},
                        {"lateral", up(region.lateral)},
                        {"spread", up(region.spread)},
                        {"loss", up(region.loss)},
                        {"decoder_margin", down(region.decoder_margin)},
                        {"C", up(region.concentration)},
                        {"max_one_minus_s", up(region.unselected)},
                        {"one_minus_s_fall", down(region.unselected_fall)}};
  return value;
}

}  // namespace

std::string json(const JointRunAnswer& answer) {
  const JointOutcome& outcome = answer.outcome;
  const JointRecord& record = outcome.record;
  Json value = json_verdict(outcome);
  value["joint"] = true;
  value["attention"] = json_step(answer.spec, answer.spec.attention);
  value["decoder"] = json_step(answer.spec, answer.spec.decoder);
  value["loss"] = name(answer.spec.loss);
  value["merged"] = json_merged(answer.merged);
  value["steps"] = record.step;
  value["selection"] = Json::array();
  for (const auto& token : outcome.selection) value["selection"].push_back(token ? Json(*token) : Json());
  const bool measured = record.step > 0 && record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(record.correct_bits) : Json(nullptr);
  value["supporting"] = outcome.limits.supporting ? Json(*outcome.limits.supporting) : Json(nullptr);
  value["limits"] = json_limits(outcome);
  const std::optional<std::string> nearest = outcome.nearest();
  value["nearest"] = nearest ? Json(*nearest) : Json(nullptr);
  value["limit"] = outcome.proof ? Json("plain") : Json(nullptr);
  value["checkpoints"] = Json::array();
  for (const JointPoint& point : record.checkpoints)
    value["checkpoints"].push_back(json_point(point, outcome.limits));
  value["forever"] = json_proof(outcome);
  value["shapes"] = Json::array();
  for (const JointShape& shape : record.shapes) {
    if (!outcome.settled() || shape.constant.to == 0) continue;
    value["shapes"].push_back({{"of", shape.of},
                               {"name", shape.name},
                               {"constant", json_constant(shape.constant)},
                               {"valid_from", shape.constant.from},
                               {"valid_to", shape.constant.to}});
  }
  add_end(value, answer);
  return written(value);
}

}  // namespace attest
