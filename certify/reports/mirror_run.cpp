// The JSON value of a run of mirror descent.
#include "certify/reports/mirror_run.hpp"

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run.hpp"

namespace attest {
namespace {

Json enclosure(const Ball& x) {
  return json_enclosure(interval_of(x));
}

Json enclosure(const LeastConstant& x) {
  if (!std::isfinite(x.lo) || !std::isfinite(x.hi)) return nullptr;
  return json_enclosure(Interval{Rational(x.lo), Rational(x.hi)});
}

Json upper(double x) {
  return std::isfinite(x) ? Json(decimal_up(Rational(x), 12)) : Json(nullptr);
}

Json lower(double x) {
  return std::isfinite(x) ? Json(decimal_down(Rational(x), 12)) : Json(nullptr);
}

Json json_point(const MirrorPoint& point, bool directed) {
  const auto seen = [&](const Ball& ball) { return directed ? enclosure(ball) : Json(nullptr); };
  Json value;
  value["t"] = point.step;
  value["loss_gap"] = enclosure(point.loss_gap);
  value["norm"] = enclosure(point.norm);
  value["dual_norm"] = enclosure(point.dual_norm);
  value["bregman"] = seen(point.bregman);
  value["one_minus_corr"] = seen(point.euclidean);
  value["along"] = seen(point.along);
  value["gradient_norm"] = enclosure(point.gradient_norm);
  value["max_one_minus_s"] = enclosure(point.max_unselected);
  value["one_minus_s"] = Json::array();
  for (const Ball& rest : point.unselected) value["one_minus_s"].push_back(enclosure(rest));
  return value;
}

Json json_shapes(const MirrorRecord& record) {
  Json shapes = Json::array();
  for (const RateShape& shape : record.shapes) {
    if (shape.whole.to == 0) continue;
    Json blocks = Json::array();
    for (const LeastConstant& block : shape.blocks)
      blocks.push_back({{"from", block.from}, {"to", block.to}, {"least_constant", enclosure(block)}});
    shapes.push_back({{"name", shape.name},
                      {"least_constant", enclosure(shape.whole)},
                      {"valid_from", shape.whole.from},
                      {"valid_to", shape.whole.to},
                      {"blocks", std::move(blocks)}});
  }
  return shapes;
}

Json json_inequality(const MirrorInequality& inequality) {
  if (inequality.needed.to == 0) return nullptr;
  Json value{{"from", inequality.needed.from},
             {"to", inequality.needed.to},
             {"least_constant", enclosure(inequality.needed)},
             {"theorem", Json::array()}};
  for (const MirrorInequality::Own& own : inequality.steps)
    value["theorem"].push_back(
        {{"t", own.step}, {"constant", enclosure(own.theorem)}, {"needed", enclosure(own.needed)}});
  return value;
}

Json json_proof(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  Json value{{"verdict", outcome.proof ? "holds" : "undecided"}};
  if (!outcome.proof) {
    value["t0"] = value["theorem"] = value["rate"] = value["kind"] = nullptr;
    value["reason"] = outcome.limit ? outcome.proof_reason : outcome.limit_reason;
    return value;
  }
  const MirrorRegion& region = outcome.proof->region;
  value["t0"] = outcome.proof->t0;
  value["theorem"] = "T17";
  value["level"] = "checked";  // its conditions are proved in intervals with outward rounding
  value["rate"] = region.rate;
  value["kind"] = outcome.proof->t0 == 0 ? "from-point" : "from-run";
  if (region.unselected < 0.5) value["dominates_from"] = outcome.proof->t0;
  value["selection"] = outcome.limit->selection;
  value["local"] = region.local;
  value["constants"] = {{"M", upper(region.energy)},
                        {"C", upper(region.concentration)},
                        {"zeta_0", lower(region.zeta)},
                        {"least_margin", lower(region.least_margin)},
                        {"max_one_minus_s", upper(region.unselected)},
                        {"zeta_growth", lower(region.growth)},
                        {"bregman_constant", upper(region.direction)},
                        {"bregman_power", region.power}};
  return value;
}

}  // namespace

std::string json(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  const MirrorRecord& record = outcome.record;
  Json value;
  value["verdict"] = verdict_word(outcome.verdict);
  if (!outcome.reason.empty()) value["reason"] = outcome.reason;
  value["level"] = "checked";
  value["arithmetic"] = "validated";
  value["optimizer"] = answer.optimizer;
  value["potential"] = show(answer.spec.exponent);
  value["schedule"] = name(answer.spec.steps.schedule);
  value["step"] = show(answer.spec.steps.step);
  value["loss"] = name(answer.spec.steps.loss);
  value["merged"] = json_merged(answer.merged);
  value["steps"] = record.step;
  value["selection"] = Json::array();
  for (const auto& token : outcome.selection) value["selection"].push_back(token ? Json(*token) : Json());
  const bool measured = record.step > 0 && record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(record.correct_bits) : Json(nullptr);
  value["norm_value"] = outcome.limit ? json_enclosure(outcome.limit->optimum.value) : Json(nullptr);
  value["checkpoints"] = Json::array();
  for (const MirrorPoint& point : record.checkpoints)
    value["checkpoints"].push_back(json_point(point, outcome.settled()));
  value["forever"] = json_proof(answer);
  value["shapes"] = outcome.settled() ? json_shapes(record) : Json::array();
  value["inequality"] = outcome.settled() ? json_inequality(record.inequality) : Json(nullptr);
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
