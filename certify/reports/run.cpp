// The JSON value of a run.
#include "certify/reports/run.hpp"

#include <algorithm>
#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/comparison.hpp"
#include "certify/reports/finite_part.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/merged.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

// Digits that show the enclosure's accuracy: 40, or more when the ends share more.
int digits_of(const Interval& x) {
  if (x.lo <= 0 || x.lo == x.hi) return json_digits;
  const long shared = approx_log2(x.hi) - approx_log2(x.hi - x.lo);
  return std::clamp(static_cast<int>(static_cast<double>(shared) * 0.30103) + 3, json_digits, 400);
}

Json enclosure(const std::optional<Interval>& x) {
  return json_enclosure(x, x ? digits_of(*x) : json_digits);
}

Json enclosure(const Ball& x) {
  return enclosure(interval_of(x));
}

Json enclosure(double x) {
  if (!std::isfinite(x)) return nullptr;
  return enclosure(Interval{Rational(x), Rational(x)});
}

Json enclosure(const LeastConstant& x) {
  if (!std::isfinite(x.hi)) return nullptr;
  return enclosure(Interval{Rational(x.lo), Rational(x.hi)});
}

Json json_checkpoint(const RunPoint& point, bool directed) {
  Json value;
  value["t"] = point.step;
  value["loss_gap"] = enclosure(point.loss_gap);
  value["norm"] = enclosure(point.norm);
  value["one_minus_corr"] = directed ? enclosure(point.one_minus_corr) : Json(nullptr);
  value["max_one_minus_s"] = enclosure(point.max_unselected);
  value["along"] = directed ? enclosure(point.along) : Json(nullptr);
  value["across"] = directed ? enclosure(point.across) : Json(nullptr);
  value["gradient_norm"] = enclosure(point.gradient_norm);
  Json unselected = Json::array();
  for (const Ball& rest : point.unselected) unselected.push_back(enclosure(rest));
  value["one_minus_s"] = std::move(unselected);
  return value;
}

Json json_shape(const RateShape& shape) {
  Json blocks = Json::array();
  for (const LeastConstant& block : shape.blocks) {
    blocks.push_back({{"from", block.from}, {"to", block.to}, {"least_constant", enclosure(block)}});
  }
  return {{"name", shape.name},
          {"least_constant", enclosure(shape.whole)},
          {"valid_from", shape.whole.from},
          {"valid_to", shape.whole.to},
          {"blocks", std::move(blocks)}};
}

Json json_path(const PathRecord& path) {
  if (path.whole.to == 0) return nullptr;
  const auto constant = [](const LeastConstant& least) {
    return Json{{"from", least.from}, {"to", least.to}, {"least_constant", enclosure(least)}};
  };
  Json value = constant(path.whole);
  value["blocks"] = Json::array();
  for (const LeastConstant& block : path.blocks) value["blocks"].push_back(constant(block));
  value["theorem"] = Json::array();
  for (const PathStep& step : path.steps) {
    value["theorem"].push_back(
        {{"t", step.step}, {"constant", enclosure(step.theorem)}, {"needed", enclosure(step.needed)}});
  }
  return value;
}

Json json_computed(const PlainObservation& seen) {
  return {{"t", seen.step},
          {"loss_gap", enclosure(seen.loss_gap)},
          {"norm", enclosure(seen.norm)},
          {"one_minus_corr", enclosure(seen.one_minus_corr)},
          {"max_one_minus_s", enclosure(seen.max_unselected)},
          {"along", enclosure(seen.along)},
          {"across", enclosure(seen.across)},
          {"gradient_norm", enclosure(seen.gradient_norm)}};
}

// The keys from `steps` on of a validated run; returns its statistics.
Json add_outcome(Json& value, const RunOutcome& outcome, const ForeverAnswer& forever) {
  const RunRecord& record = outcome.record;
  value["steps"] = record.step;
  value["selection"] = Json::array();
  for (const std::optional<std::size_t>& token : outcome.selection)
    value["selection"].push_back(token ? Json(*token) : Json(nullptr));
  const bool measured = record.step > 0 && record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(record.correct_bits) : Json(nullptr);
  value["checkpoints"] = Json::array();
  for (const RunPoint& point : reported(record))
    value["checkpoints"].push_back(json_checkpoint(point, outcome.settled));
  value["forever"] = json_forever(forever);
  value["shapes"] = Json::array();
  for (const RateShape& shape : record.shapes) {
    if (outcome.settled && shape.whole.to != 0) value["shapes"].push_back(json_shape(shape));
  }
  value["path"] = outcome.settled ? json_path(record.path) : Json(nullptr);
  value["loss_decreases_until"] = record.first_loss_increase.value_or(record.step);
  return {{"fraction_bits", outcome.format.fraction_bits},
          {"words", outcome.format.limbs},
          {"attempts", outcome.attempts},
          {"amplification_bits", outcome.amplification_bits},
          {"run_seconds", outcome.seconds}};
}

// The same of a computed one.
Json add_computed(Json& value, const ComputedRun& computed, const ForeverAnswer& forever) {
  value["steps"] = computed.observations.empty() ? 0 : computed.observations.back().step;
  value["selection"] = Json::array();
  for (const std::size_t token : computed.selection) value["selection"].push_back(token);
  value["correct_bits"] = nullptr;
  value["checkpoints"] = Json::array();
  for (const PlainObservation& seen : computed.observations)
    value["checkpoints"].push_back(json_computed(seen));
  value["forever"] = json_forever(forever);
  value["shapes"] = Json::array();
  return {{"fraction_bits", computed.bits}, {"run_seconds", computed.seconds}};
}

}  // namespace

const char* verdict_word(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::complete:
      return "complete";
    case RunVerdict::stationary:
      return "stationary";
    case RunVerdict::undecided:
      break;
  }
  return "undecided";
}

Json json_attention(const LaterAttention& later) {
  Json value{{"from", later.from}, {"sequences", Json::array()}};
  for (const LaterAttention::Sequence& one : later.sequences) {
    value["sequences"].push_back({{"sequence", one.group},
                                  {"selected", one.selected},
                                  {"one_minus_s", decimal_up(one.lacking, 12)},
                                  {"masked", one.masked},
                                  {"at_most", decimal_up(one.at_most, 12)}});
  }
  return value;
}

Json json_forever(const ForeverAnswer& forever) {
  Json value{{"verdict", forever.verdict}};
  const auto index = [](const std::optional<std::uint64_t>& t) { return t ? Json(*t) : Json(nullptr); };
  value["t0"] = index(forever.t0);
  const auto word = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  value["theorem"] = word(forever.theorem);
  value["rate"] = word(forever.rate);
  value["kind"] = word(forever.kind);
  value["dominates_from"] = index(forever.dominates_from);
  if (!forever.selection.empty()) value["selection"] = forever.selection;
  if (!forever.reason.empty()) value["reason"] = forever.reason;
  Json proofs = Json::array();
  for (const ForeverAnswer::Proof& proof : forever.proofs) {
    proofs.push_back({{"theorem", proof.theorem},
                      {"t0", proof.t0},
                      {"rate", proof.rate},
                      {"dominates_from", index(proof.dominates_from)}});
  }
  value["proofs"] = std::move(proofs);
  value["loss_bounds"] = Json::array();
  for (const ForeverAnswer::LossBound& bound : forever.loss_bounds)
    value["loss_bounds"].push_back({{"from", bound.from}, {"loss_gap", decimal_up(bound.loss_gap, 12)}});
  value["loss_rate"] = nullptr;
  if (const auto& rate = forever.loss_rate) {
    value["loss_rate"] = {{"from", rate->from},
                          {"loss_gap", decimal_up(rate->loss_gap, 12)},
                          {"ratio", decimal_up(rate->ratio, 12)}};
  }
  value["attention_bounds"] = Json::array();
  for (const LaterAttention& later : forever.attention)
    value["attention_bounds"].push_back(json_attention(later));
  value["residual"] = nullptr;
  if (const auto& at = forever.residual) {
    value["residual"] = {{"t", at->step},
                         {"norm", enclosure(at->norm.ball())},
                         {"limit_norm", enclosure(at->limit_norm.ball())},
                         {"distance", enclosure(at->distance.ball())}};
  }
  return value;
}

std::vector<RunPoint> reported(const RunRecord& record) {
  std::vector<RunPoint> points;
  std::copy_if(record.checkpoints.begin(), record.checkpoints.end(), std::back_inserter(points),
               [&](const RunPoint& point) { return is_checkpoint(point.step, record.step); });
  return points;
}

Json json_value(const RunAnswer& answer) {
  Json value;
  value["verdict"] = answer.outcome ? verdict_word(answer.outcome->verdict) : "computed";
  const std::string& reason = answer.outcome ? answer.outcome->reason : answer.computed->stopped_by;
  if (!reason.empty()) value["reason"] = reason;
  value["level"] = answer.outcome ? "checked" : "computed";
  value["arithmetic"] = answer.arithmetic;
  value["optimizer"] = answer.spec.rule->word();
  value["schedule"] = name(answer.spec.schedule);
  value["step"] = show(answer.spec.step);
  value["momentum"] = show(answer.spec.momentum);
  value["loss"] = name(answer.spec.loss);
  value["merged"] = json_merged(answer.merged);
  Json statistics;
  if (answer.outcome) {
    statistics = add_outcome(value, *answer.outcome, answer.forever);
  } else {
    statistics = add_computed(value, *answer.computed, answer.forever);
  }
  statistics["total_seconds"] = answer.total_seconds;
  if (answer.comparison) value["comparison"] = json_comparison(*answer.comparison);
  if (answer.sets) {
    value["selected_sets"] = json_sets(*answer.sets);
    value["selected_sets"]["forever"] = json_later_sets(answer.forever.sets);
  }
  value["claims"] = json_claims(answer.claims);
  value["certificate"] = json_file(answer.file);
  if (!answer.certificate_note.empty()) value["certificate_note"] = answer.certificate_note;
  value["statistics"] = std::move(statistics);
  return value;
}

std::string json(const RunAnswer& answer) {
  return written(json_value(answer));
}

}  // namespace attest
