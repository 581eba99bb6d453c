// The JSON value of a run; see reports/run.hpp.
#include "certify/reports/run.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "certify/reports/decimal.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

using Json = nlohmann::ordered_json;

constexpr int json_digits = 40;

// Digits that show the enclosure's accuracy: 40, or more when the ends share more.
int digits_of(const Interval& x) {
  if (x.lo <= 0 || x.lo == x.hi) return json_digits;
  const long shared = approx_log2(x.hi) - approx_log2(x.hi - x.lo);
  return std::clamp(static_cast<int>(static_cast<double>(shared) * 0.30103) + 3, json_digits, 400);
}

Json enclosure(const std::optional<Interval>& x) {
  if (!x) return nullptr;
  const int digits = digits_of(*x);
  return {{"lo", plain_decimal_down(x->lo, digits)}, {"hi", plain_decimal_up(x->hi, digits)}};
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

Json json_forever(const ForeverReport& forever) {
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
  for (const ForeverReport::Proof& proof : forever.proofs) {
    proofs.push_back({{"theorem", proof.theorem},
                      {"t0", proof.t0},
                      {"rate", proof.rate},
                      {"dominates_from", index(proof.dominates_from)}});
  }
  value["proofs"] = std::move(proofs);
  value["residual"] = nullptr;
  if (const auto& at = forever.residual) {
    value["residual"] = {{"t", at->step},
                         {"norm", enclosure(at->norm.ball())},
                         {"limit_norm", enclosure(at->limit_norm.ball())},
                         {"distance", enclosure(at->distance.ball())}};
  }
  return value;
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

std::vector<RunPoint> reported(const RunRecord& record) {
  std::vector<RunPoint> points;
  std::copy_if(record.checkpoints.begin(), record.checkpoints.end(), std::back_inserter(points),
               [&](const RunPoint& point) { return is_checkpoint(point.step, record.step); });
  return points;
}

std::string run_json(const RunReport& report) {
  Json value;
  const bool validated = report.outcome != nullptr;
  value["verdict"] = validated ? verdict_word(report.outcome->verdict) : "computed";
  if (validated && !report.outcome->reason.empty()) value["reason"] = report.outcome->reason;
  if (!validated && !report.computed->stopped_by.empty()) value["reason"] = report.computed->stopped_by;
  value["level"] = validated ? "checked" : "computed";
  value["arithmetic"] = report.arithmetic;
  value["optimizer"] = name(report.spec.rule);
  value["schedule"] = name(report.spec.schedule);
  value["step"] = show(report.spec.step);
  value["loss"] = name(report.spec.loss);
  Json selection = Json::array();
  Json checkpoints = Json::array();
  Json shapes = Json::array();
  Json statistics;
  if (validated) {
    const RunOutcome& outcome = *report.outcome;
    value["steps"] = outcome.record.step;
    for (const std::optional<std::size_t>& token : outcome.selection) {
      selection.push_back(token ? Json(*token) : Json(nullptr));
    }
    for (const RunPoint& point : reported(outcome.record))
      checkpoints.push_back(json_checkpoint(point, outcome.settled));
    if (outcome.settled) {
      for (const RateShape& shape : outcome.record.shapes) {
        if (shape.whole.to != 0) shapes.push_back(json_shape(shape));
      }
    }
    statistics = {{"fraction_bits", outcome.format.fraction_bits},
                  {"words", outcome.format.limbs},
                  {"attempts", outcome.attempts},
                  {"amplification_bits", outcome.amplification_bits},
                  {"run_seconds", outcome.seconds}};
  } else {
    value["steps"] = report.computed->observations.empty() ? 0 : report.computed->observations.back().step;
    for (const std::size_t token : report.computed->selection) selection.push_back(token);
    for (const PlainObservation& seen : report.computed->observations)
      checkpoints.push_back(json_computed(seen));
    statistics = {{"fraction_bits", report.computed->bits}, {"run_seconds", report.computed->seconds}};
  }
  statistics["total_seconds"] = report.total_seconds;
  value["selection"] = std::move(selection);
  const bool measured =
      validated && report.outcome->record.step > 0 && report.outcome->record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(report.outcome->record.correct_bits) : Json(nullptr);
  value["checkpoints"] = std::move(checkpoints);
  value["forever"] = json_forever(report.forever);
  value["shapes"] = std::move(shapes);
  if (validated) {
    value["path"] = report.outcome->settled ? json_path(report.outcome->record.path) : Json(nullptr);
    value["loss_decreases_until"] = report.outcome->record.first_loss_increase
                                        ? *report.outcome->record.first_loss_increase
                                        : report.outcome->record.step;
  }
  Json claims = Json::array();
  for (const WrittenClaim& claim : report.claims)
    claims.push_back({{"kind", claim.kind}, {"level", claim.level}});
  value["claims"] = std::move(claims);
  value["certificate"] = report.certificate_path.empty() ? Json(nullptr) : Json(report.certificate_path);
  value["statistics"] = std::move(statistics);
  return value.dump(2) + "\n";
}

}  // namespace attest
