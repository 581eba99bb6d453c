// The JSON value of a run of mirror descent.
#include "certify/reports/mirror_run.hpp"

#include <cmath>

#include "certify/reports/conflict.hpp"
#include "certify/reports/run_json.hpp"

namespace attest {
namespace {

Json upper(double x) {
  return std::isfinite(x) ? Json(decimal_up(Rational(x), 12)) : Json(nullptr);
}

Json lower(double x) {
  return std::isfinite(x) ? Json(decimal_down(Rational(x), 12)) : Json(nullptr);
}

Json json_point(const MirrorPoint& point, bool directed) {
  const auto seen = [&](const Ball& ball) { return directed ? json_enclosure(ball) : Json(nullptr); };
  Json value;
  value["t"] = point.step;
  value["loss_gap"] = json_enclosure(point.loss_gap);
  value["norm"] = json_enclosure(point.norm);
  value["dual_norm"] = json_enclosure(point.dual_norm);
  value["bregman"] = seen(point.bregman);
  value["one_minus_corr"] = seen(point.euclidean);
  value["along"] = seen(point.along);
  value["gradient_norm"] = json_enclosure(point.gradient_norm);
  value["max_one_minus_s"] = json_enclosure(point.max_unselected);
  value["one_minus_s"] = Json::array();
  for (const Ball& rest : point.unselected) value["one_minus_s"].push_back(json_enclosure(rest));
  return value;
}

Json json_shapes(const MirrorRecord& record) {
  Json shapes = Json::array();
  for (const RateShape& shape : record.shapes) {
    if (shape.whole.to == 0) continue;
    Json blocks = Json::array();
    for (const LeastConstant& block : shape.blocks)
      blocks.push_back({{"from", block.from}, {"to", block.to}, {"least_constant", json_enclosure(block)}});
    shapes.push_back({{"name", shape.name},
                      {"least_constant", json_enclosure(shape.whole)},
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
             {"least_constant", json_enclosure(inequality.needed)},
             {"theorem", Json::array()}};
  for (const MirrorInequality::Own& own : inequality.steps)
    value["theorem"].push_back(
        {{"t", own.step}, {"constant", json_enclosure(own.theorem)}, {"needed", json_enclosure(own.needed)}});
  return value;
}

Json json_proof(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  Json value = json_later_steps(outcome.proof, outcome.limit ? outcome.proof_reason : outcome.limit_reason);
  if (!outcome.proof) return value;
  const MirrorRegion& region = outcome.proof->region;
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
                        {"max_loss_gap", upper(region.loss)},
                        {"zeta_growth", lower(region.growth)},
                        {"bregman_constant", upper(region.direction)},
                        {"bregman_power", region.power}};
  return value;
}

Json json_against(const MirrorAgainst& other) {
  Json value{{"norm", other.norm.word}};
  const bool known = other.reason.empty();
  if (!known) value["reason"] = other.reason;
  value["bregman"] = known ? json_enclosure(other.bregman) : Json(nullptr);
  value["one_minus_corr"] = known ? json_enclosure(other.euclidean) : Json(nullptr);
  value["solution"] = known ? Json(words(other.standing)) : Json(nullptr);
  value["unique"] = nullptr;
  if (known && other.standing == SolutionStanding::only) value["unique"] = true;
  if (known && other.standing == SolutionStanding::several) value["unique"] = false;
  value["relative_gap"] = known ? Json(decimal_up(other.gap, 3)) : Json(nullptr);
  return value;
}

}  // namespace

std::string json(const MirrorRunAnswer& answer) {
  const MirrorOutcome& outcome = answer.outcome;
  const MirrorRecord& record = outcome.record;
  Json value = json_verdict(outcome);
  value["optimizer"] = answer.optimizer;
  value["potential"] = show(answer.spec.exponent);
  add_steps(value, answer);
  value["norm_value"] = outcome.limit ? json_enclosure(outcome.limit->optimum.value) : Json(nullptr);
  if (!outcome.conflict.empty()) value["witness"] = json_conflict(outcome.conflict);
  value["checkpoints"] = Json::array();
  for (const MirrorPoint& point : record.checkpoints)
    value["checkpoints"].push_back(json_point(point, outcome.settled()));
  value["against"] = Json::array();
  for (const MirrorAgainst& other : outcome.against) value["against"].push_back(json_against(other));
  value["forever"] = json_proof(answer);
  value["shapes"] = outcome.settled() ? json_shapes(record) : Json::array();
  value["inequality"] = outcome.settled() ? json_inequality(record.inequality) : Json(nullptr);
  add_end(value, answer);
  return written(value);
}

}  // namespace attest
