// The JSON value of training (K,Q).
#include "certify/reports/factored_run.hpp"

#include "certify/reports/conflict.hpp"
#include "certify/reports/run_json.hpp"

namespace attest {
namespace {

Json json_point(const FactoredObservation& point, bool directed) {
  const auto seen = [&](const Ball& ball) { return directed ? json_enclosure(ball) : Json(nullptr); };
  Json value;
  value["t"] = point.step;
  value["loss_gap"] = json_enclosure(point.loss_gap);
  value["norm"] = json_enclosure(point.norm);
  value["nuclear_norm"] = json_enclosure(point.nuclear_norm);
  value["norm_K"] = json_enclosure(point.left_norm);
  value["norm_Q"] = json_enclosure(point.right_norm);
  value["singular_values"] = Json::array();
  for (const Ball& singular : point.singular_values)
    value["singular_values"].push_back(json_enclosure(singular));
  value["one_minus_corr"] = seen(point.one_minus_corr);
  value["one_minus_corr_nuclear"] = seen(point.one_minus_corr_nuclear);
  value["least_margin"] = seen(point.least_margin);
  value["margin_share"] = seen(point.margin_share_frobenius);
  value["margin_share_nuclear"] = seen(point.margin_share_nuclear);
  value["alignment"] = json_enclosure(point.alignment);
  value["balance"] = json_enclosure(point.balance);
  value["balance_change"] = json_enclosure(point.balance_change);
  value["balance_step"] = json_enclosure(point.balance_step);
  value["gradient_norm"] = json_enclosure(point.gradient_norm);
  value["max_one_minus_s"] = json_enclosure(point.max_unselected);
  value["one_minus_s"] = Json::array();
  for (const Ball& rest : point.unselected) value["one_minus_s"].push_back(json_enclosure(rest));
  return value;
}

Json json_later(const FactoredOutcome& outcome) {
  Json value = json_later_steps(outcome.proof, outcome.proof_reason);
  if (!outcome.proof) return value;
  const FactoredLaterSteps& later = outcome.proof->later;
  value["first_t0"] = *outcome.first_proof;
  value["theorem"] = "T22";
  value["level"] = "checked";
  value["selection"] = later.selection;
  value["claims_direction"] = false;  // nothing is said of the limit of W/||W||
  value["rate"] = "loss 1/t";
  value["kind"] = outcome.proof->t0 == 0 ? "from-point" : "from-run";
  value["constants"] = {{"loss_gap", json_enclosure(later.loss_gap)},
                        {"loss_growth", json_enclosure(later.loss_growth)},
                        {"margin_floor", json_enclosure(later.margin_floor)},
                        {"margin_share_nuclear", json_enclosure(later.share)},
                        {"balance_drift", json_enclosure(later.balance_drift)},
                        {"least_attention", json_enclosure(later.attention)},
                        {"excess", json_enclosure(later.excess)},
                        {"level", json_enclosure(later.level)}};
  return value;
}

}  // namespace

std::string json(const FactoredRunAnswer& answer) {
  const FactoredOutcome& outcome = answer.outcome;
  const FactoredRecord& record = outcome.record;
  const FactoredLimits& limits = outcome.limits;
  Json value = json_verdict(outcome);
  value["parameterization"] = "kq";
  value["rank"] = answer.spec.rank;
  value["start"] = answer.start;
  value["optimizer"] = answer.optimizer;
  add_steps(value, answer);
  value["norm_value"] = limits.euclidean ? json_enclosure(limits.euclidean->optimum.value) : Json(nullptr);
  if (!limits.conflict.empty()) value["witness"] = json_conflict(limits.conflict);
  value["norm_value_nuclear"] = limits.nuclear ? json_enclosure(limits.nuclear->value) : Json(nullptr);
  value["checkpoints"] = Json::array();
  for (const FactoredObservation& point : record.checkpoints)
    value["checkpoints"].push_back(json_point(point, outcome.settled()));
  value["forever"] = json_later(outcome);
  add_end(value, answer);
  return written(value);
}

}  // namespace attest
