// The JSON value of training (K,Q).
#include "certify/reports/factored_run.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run.hpp"

namespace attest {
namespace {

Json enclosure(const Ball& x) {
  return x.is_finite() ? json_enclosure(interval_of(x)) : Json(nullptr);
}

Json json_point(const FactoredObservation& point, bool directed) {
  const auto seen = [&](const Ball& ball) { return directed ? enclosure(ball) : Json(nullptr); };
  Json value;
  value["t"] = point.step;
  value["loss_gap"] = enclosure(point.loss_gap);
  value["norm"] = enclosure(point.norm);
  value["nuclear_norm"] = enclosure(point.nuclear_norm);
  value["norm_K"] = enclosure(point.left_norm);
  value["norm_Q"] = enclosure(point.right_norm);
  value["singular_values"] = Json::array();
  for (const Ball& singular : point.singular_values) value["singular_values"].push_back(enclosure(singular));
  value["one_minus_corr"] = seen(point.one_minus_corr);
  value["one_minus_corr_nuclear"] = seen(point.one_minus_corr_nuclear);
  value["least_margin"] = seen(point.least_margin);
  value["margin_share"] = seen(point.margin_share_frobenius);
  value["margin_share_nuclear"] = seen(point.margin_share_nuclear);
  value["alignment"] = enclosure(point.alignment);
  value["balance"] = enclosure(point.balance);
  value["balance_change"] = enclosure(point.balance_change);
  value["balance_step"] = enclosure(point.balance_step);
  value["gradient_norm"] = enclosure(point.gradient_norm);
  value["max_one_minus_s"] = enclosure(point.max_unselected);
  value["one_minus_s"] = Json::array();
  for (const Ball& rest : point.unselected) value["one_minus_s"].push_back(enclosure(rest));
  return value;
}

Json json_later(const FactoredOutcome& outcome) {
  Json value{{"verdict", outcome.proof ? "holds" : "undecided"}};
  if (!outcome.proof) {
    value["t0"] = value["theorem"] = value["rate"] = value["kind"] = nullptr;
    value["reason"] = outcome.proof_reason;
    return value;
  }
  const FactoredLaterSteps& later = outcome.proof->later;
  value["t0"] = outcome.proof->t0;
  value["first_t0"] = *outcome.first_proof;
  value["theorem"] = "T22";
  value["level"] = "checked";
  value["selection"] = later.selection;
  value["claims_direction"] = false;  // nothing is said of the limit of W/||W||
  value["rate"] = "loss 1/t";
  value["kind"] = outcome.proof->t0 == 0 ? "from-point" : "from-run";
  value["constants"] = {{"loss_gap", enclosure(later.loss_gap)},
                        {"loss_growth", enclosure(later.loss_growth)},
                        {"margin_floor", enclosure(later.margin_floor)},
                        {"margin_share_nuclear", enclosure(later.share)},
                        {"balance_drift", enclosure(later.balance_drift)},
                        {"least_attention", enclosure(later.attention)},
                        {"excess", enclosure(later.excess)},
                        {"level", enclosure(later.level)}};
  return value;
}

}  // namespace

std::string json(const FactoredRunAnswer& answer) {
  const FactoredOutcome& outcome = answer.outcome;
  const FactoredRecord& record = outcome.record;
  const FactoredLimits& limits = outcome.limits;
  Json value;
  value["verdict"] = verdict_word(outcome.verdict);
  if (!outcome.reason.empty()) value["reason"] = outcome.reason;
  value["level"] = "checked";
  value["arithmetic"] = "validated";
  value["parameterization"] = "kq";
  value["rank"] = answer.spec.rank;
  value["start"] = answer.start;
  value["optimizer"] = answer.optimizer;
  value["schedule"] = name(answer.spec.steps.schedule);
  value["step"] = show(answer.spec.steps.step);
  value["loss"] = name(answer.spec.steps.loss);
  value["merged"] = json_merged(answer.merged);
  value["steps"] = record.step;
  value["selection"] = Json::array();
  for (const auto& token : outcome.selection) value["selection"].push_back(token ? Json(*token) : Json());
  const bool measured = record.step > 0 && record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(record.correct_bits) : Json(nullptr);
  value["norm_value"] = limits.euclidean ? json_enclosure(limits.euclidean->optimum.value) : Json(nullptr);
  value["norm_value_nuclear"] = limits.nuclear ? json_enclosure(limits.nuclear->value) : Json(nullptr);
  value["checkpoints"] = Json::array();
  for (const FactoredObservation& point : record.checkpoints)
    value["checkpoints"].push_back(json_point(point, outcome.settled()));
  value["forever"] = json_later(outcome);
  value["claims"] = Json::array();
  value["certificate"] = nullptr;
  if (!answer.certificate_note.empty()) value["certificate_note"] = answer.certificate_note;
  value["statistics"] = {{"precision_bits", outcome.precision_bits},
                         {"attempts", outcome.attempts},
                         {"amplification_bits", outcome.growth_bits},
                         {"run_seconds", outcome.seconds},
                         {"total_seconds", answer.total_seconds}};
  return written(value);
}

}  // namespace attest
