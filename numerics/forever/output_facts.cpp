#include "numerics/forever/output_facts.hpp"

#include "numerics/forever/classifier_head.hpp"

namespace attest {
namespace {

// The units, or classes, that the group's loss depends on.
std::vector<std::size_t> effective_outputs(const OutputTable& table, std::size_t group) {
  std::vector<std::size_t> outputs;
  for (std::size_t u = 0; u < table.width; ++u) {
    if (table.classifier() || table.sense[group * table.width + u] != 0) outputs.push_back(u);
  }
  return outputs;
}

// A unit adds sense_u max(0, sense_u c_u) to what the output lacks. With sense 1 that is convex in s, so
// above its tangent at the selected token and below its chords; with sense -1 the other way round.
RiseBounds unit_rise(const OutputTable& table, std::size_t group, std::size_t selected_row,
                     std::size_t other_row) {
  Rational least = 0, most = 0;
  for (const std::size_t u : effective_outputs(table, group)) {
    const int sense = table.sense[group * table.width + u];
    const auto part = [&](const Rational& c) { return c.sign() == sense ? c : Rational(0); };
    const Rational &top = table.value(selected_row, u), &other = table.value(other_row, u);
    const Rational chord = part(other) - part(top),
                   tangent = top.sign() == sense ? Rational(other - top) : Rational(0);
    least += sense > 0 ? tangent : chord;
    most += sense > 0 ? chord : tangent;
  }
  return {number(least), number(most)};
}

}  // namespace

RiseBounds rise_bounds(const OutputTable& table, std::size_t group, std::size_t selected_row,
                       std::size_t other_row) {
  if (!table.classifier()) return unit_rise(table, group, selected_row, other_row);
  std::vector<BallNumber> origin, shift;
  for (std::size_t u = 0; u < table.width; ++u) {
    const Rational& top = table.value(selected_row, u);
    origin.push_back(number(top));
    shift.push_back(number(table.value(other_row, u) - top));
  }
  return {mean_of_classes(origin, shift), classifier_excess(origin, shift)};
}

void enclose_outputs(SelectionGroup<BallNumber>& group, std::span<ConstraintFacts<BallNumber>> constraints,
                     const RunGeometry& geometry, std::size_t selected) {
  const TokenData& data = *geometry.data;
  const OutputTable& table = *data.outputs;
  const std::size_t top = data.row(group.original, selected);
  const std::vector<std::size_t> outputs = effective_outputs(table, group.original);
  if (!table.classifier()) group.score = number(vertex_score(table, group.original, top));
  for (const std::size_t u : outputs) group.origin.push_back(number(table.value(top, u)));
  std::vector<Rational> lowest(outputs.size()), highest(outputs.size());
  for (ConstraintFacts<BallNumber>& k : constraints) {
    const std::size_t row = top - selected + k.row - geometry.groups[k.group].first_row;
    std::vector<BallNumber> shift, size;
    for (std::size_t v = 0; v < outputs.size(); ++v) {
      const Rational d = table.value(row, outputs[v]) - table.value(top, outputs[v]);
      if (d < lowest[v]) lowest[v] = d;
      if (d > highest[v]) highest[v] = d;
      shift.push_back(number(d));
      size.push_back(abs(shift.back()));
    }
    if (!table.classifier()) {
      k.gap = number(limit_gap(table, group.original, top, row));
      continue;
    }
    k.gap = mean_of_classes(group.origin, shift);
    group.swing = fmax(group.swing, mean_of_classes(group.origin, size));
    k.shift = std::move(shift);
  }
  for (std::size_t v = 0; v < outputs.size(); ++v) {
    group.lowest.push_back(number(lowest[v]));
    group.highest.push_back(number(highest[v]));
  }
}

BallNumber classifier_smoothness(const RunGeometry& geometry, const RunGroup& group) {
  const OutputTable& table = *geometry.outputs;
  const std::size_t first = geometry.data->row(group.original, 0);
  Rational widest = 0;
  BallNumber sum(0.0);
  for (std::size_t u = 0; u < table.width; ++u) {
    Rational least = table.value(first, u), most = least;
    for (std::size_t t = 1; t < group.tokens; ++t) {
      const Rational& value = table.value(first + t, u);
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (most - least > widest) widest = most - least;
    sum += exp(number(most));
  }
  const BallNumber diameter = BallNumber(group.query_norm) * BallNumber(group.diameter),
                   spread = number(widest);
  return sum / (BallNumber(1.0) + sum) * diameter * diameter * spread *
         (BallNumber(1.0) / (number(6) * sqrt(number(3))) + spread / BallNumber(16.0));
}

}  // namespace attest
