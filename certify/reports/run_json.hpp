// What the JSON values of runs of other iterations than that of W have in common.
#pragma once

#include <cmath>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run.hpp"

namespace attest {

inline Json json_enclosure(const LeastConstant& x) {
  if (!std::isfinite(x.lo) || !std::isfinite(x.hi)) return nullptr;
  return json_enclosure(Interval{Rational(x.lo), Rational(x.hi)});
}

template <class Outcome>
Json json_verdict(const Outcome& outcome) {
  Json value;
  value["verdict"] = verdict_word(outcome.verdict);
  if (!outcome.reason.empty()) value["reason"] = outcome.reason;
  value["level"] = "checked";
  value["arithmetic"] = "validated";
  return value;
}

// From the schedule to the bits at the last step.
template <class Answer>
void add_steps(Json& value, const Answer& answer) {
  const auto& outcome = answer.outcome;
  value["schedule"] = name(answer.spec.steps.schedule);
  value["step"] = show(answer.spec.steps.step);
  value["loss"] = name(answer.spec.steps.loss);
  value["merged"] = json_merged(answer.merged);
  value["steps"] = outcome.record.step;
  value["selection"] = Json::array();
  for (const auto& token : outcome.selection) value["selection"].push_back(token ? Json(*token) : Json());
  const bool measured = outcome.record.step > 0 && outcome.record.correct_bits < (1L << 30);
  value["correct_bits"] = measured ? Json(outcome.record.correct_bits) : Json(nullptr);
}

// What is proved of later steps, as far as every theorem has it.
template <class Proof>
Json json_later_steps(const Proof& proof, const std::string& reason) {
  Json value{{"verdict", proof ? "holds" : "undecided"}};
  if (!proof) {
    value["t0"] = value["theorem"] = value["rate"] = value["kind"] = nullptr;
    value["reason"] = reason;
    return value;
  }
  value["t0"] = proof->t0;
  return value;
}

template <class Answer>
void add_end(Json& value, const Answer& answer) {
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  if (!answer.certificate_note.empty()) value["certificate_note"] = answer.certificate_note;
  value["statistics"] = {{"precision_bits", answer.outcome.precision_bits},
                         {"attempts", answer.outcome.attempts},
                         {"amplification_bits", answer.outcome.growth_bits},
                         {"run_seconds", answer.outcome.seconds},
                         {"total_seconds", answer.total_seconds}};
}

}  // namespace attest
