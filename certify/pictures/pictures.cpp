#include "certify/pictures/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "certify/instance/npy.hpp"
#include "certify/instance/zip.hpp"
#include "numerics/runs/plain_run.hpp"

namespace attest {

std::string trace_npz(const std::vector<TraceRow>& trace, const NamedColumns& more) {
  std::vector<std::int64_t> steps;
  std::vector<std::vector<double>> columns(9);
  for (const TraceRow& row : trace) {
    steps.push_back(static_cast<std::int64_t>(row.step));
    const double values[] = {
        row.norm,     row.along,         row.across,         row.one_minus_corr_lo, row.one_minus_corr_hi,
        row.loss_gap, row.gradient_norm, row.max_unselected, row.log2_radius};
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(values[k]);
  }
  const char* const names[] = {
      "norm",     "along",         "across",          "one_minus_corr_lo", "one_minus_corr_hi",
      "loss_gap", "gradient_norm", "max_one_minus_s", "log2_radius"};
  std::vector<std::pair<std::string, std::string>> members{{"t.npy", encode_npy(steps, {steps.size()})}};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    members.emplace_back(std::string(names[k]) + ".npy", encode_npy(columns[k], {columns[k].size()}));
  }
  for (const auto& [name, column] : more)
    members.emplace_back(name + ".npy", encode_npy(column, {column.size()}));
  return make_zip(members);
}

ChartLine double_line(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                      const ReferenceDirection* direction, std::uint64_t steps, const Budget& budget) {
  const Budget at_least(0.1, 0);
  ChartLine line{"plain double precision, textbook gradient (computed)", Hue::purple, Dash::solid, 4, {}};
  PlainRun<double> run(geometry, spec, start, GradientForm::textbook);
  double next = 1;
  while (run.step() < steps && !(budget.reached() && at_least.reached()) && run.advance()) {
    if (static_cast<double>(run.step()) < next && run.step() != steps) continue;
    next = std::max(next + 1, next * 1.01);
    line.points.emplace_back(static_cast<double>(run.step()), run.observe(direction).one_minus_corr);
  }
  return line;
}

ChartLine shape_line(const RunOutcome& outcome, const OptimizerSpec& spec) {
  const bool logarithmic = spec.rule->length() == StepLength::gradient;
  ChartLine line{{}, Hue::green, Dash::dotted, 1.5, {}};
  for (const RateShape& shape : outcome.record.shapes) {
    if (shape.name != (logarithmic ? "1/log(t)^2" : "1/t^2") || shape.blocks.empty()) continue;
    const double constant = shape.blocks.back().hi;
    char label[64];
    std::snprintf(label, sizeof label, "fitted shape: %.4g %s", constant, shape.name.c_str());
    line.label = label;
    for (double t = 2; t <= static_cast<double>(outcome.record.step); t *= 1.02) {
      line.points.emplace_back(t, logarithmic ? constant / (std::log(t) * std::log(t)) : constant / (t * t));
    }
  }
  return line;
}

ChartLine bound_line(const std::vector<const ForeverProof*>& proofs, std::uint64_t end) {
  ChartLine line{{}, Hue::vermillion, Dash::dashed, 2, {}};
  double least = std::numeric_limits<double>::infinity();
  const auto value = [](const ForeverProof& proof, std::uint64_t t) {
    const auto ends = interval_of(proof.one_minus_cos_at(t).ball());
    return ends ? mpq_get_d(ends->hi.backend().data()) : std::numeric_limits<double>::infinity();
  };
  for (const ForeverProof* proof : proofs) {
    if (proof->t0 >= end || !(value(*proof, end) < least)) continue;
    least = value(*proof, end);
    line.points.clear();
    line.label =
        std::string("explicit bound for ever, ") + proof->name() + " from t = " + std::to_string(proof->t0);
    for (double t = static_cast<double>(std::max<std::uint64_t>(proof->t0, 1)); t <= static_cast<double>(end);
         t = std::max(t + 1, t * 1.02)) {
      const auto step = static_cast<std::uint64_t>(t);
      line.points.emplace_back(static_cast<double>(step), value(*proof, step));
    }
  }
  return line;
}

}  // namespace attest
