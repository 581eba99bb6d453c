// Data of joint training for tests.
#pragma once

#include <random>
#include <vector>

#include "numerics/joint/features.hpp"
#include "numerics/joint/limits.hpp"

namespace attest {

struct Sample {
  JointData joint;
  std::vector<int> labels;
  std::vector<double> tokens, start;
};

// Gaussian sequences of so many tokens, in dimension d; `repeated`: the first one twice.
inline Sample gaussian(std::size_t n, std::size_t tokens, std::size_t d, unsigned seed,
                       bool repeated = false) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Sample sample;
  std::vector<double> queries;
  for (std::size_t i = 0; i < n; ++i) {
    sample.labels.push_back(i % 2 == 0 ? -1 : 1);
    for (std::size_t k = 0; k < tokens * d; ++k) sample.tokens.push_back(normal(random));
    for (std::size_t k = 0; k < d; ++k) queries.push_back(normal(random));
  }
  for (std::size_t k = 0; k < d; ++k) sample.start.push_back(normal(random));
  if (repeated) {
    for (std::size_t k = 0; k < tokens * d; ++k) sample.tokens.push_back(sample.tokens[k]);
    for (std::size_t k = 0; k < d; ++k) queries.push_back(queries[k]);
    sample.labels.push_back(sample.labels.front());
  }
  TokenData& data = sample.joint.data;
  data.left_dimension = data.right_dimension = sample.joint.decoder_dimension = d;
  for (std::size_t i = 0; i <= sample.labels.size(); ++i) data.first_row.push_back(i * tokens);
  for (std::size_t k = 0; k < sample.tokens.size(); ++k)
    sample.joint.values.emplace_back(sample.tokens[k] * sample.labels[k / (tokens * d)]);
  data.token_factor = ExactArray::from_binary64(sample.tokens);
  data.query_factor = ExactArray::from_binary64(queries);
  data.scores.assign(data.first_row.back(), 0);
  return sample;
}

// The decoder's problem on the selection; its constraints are (i, 1).
inline TokenData decoder_problem(const Sample& sample, const Selection& selection) {
  const std::size_t d = sample.joint.decoder_dimension;
  TokenData data;
  data.left_dimension = d;
  std::vector<double> rows;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    data.first_row.push_back(2 * i);
    const std::size_t first = sample.joint.data.row(i, selection[i]) * d;
    for (std::size_t j = 0; j < d; ++j) rows.push_back(sample.tokens[first + j]);
    rows.resize(rows.size() + d, 0);
  }
  data.first_row.push_back(2 * selection.size());
  data.token_factor = ExactArray::from_binary64(rows);
  data.query_factor = ExactArray::from_binary64({sample.labels.begin(), sample.labels.end()});
  data.scores.assign(2 * selection.size(), 0);
  return data;
}

// The decoder's direction and the plain problem.
inline JointLimits plain_limits(const Sample& sample, const Selection& selection) {
  JointLimits limits;
  limits.selection = selection;
  const TokenData decoder = decoder_problem(sample, selection);
  const Selection first(selection.size(), 0);
  const MarginSolution solved = solve_margin_problem(decoder, first);
  limits.decoder = direction_of(enclosed_rows(decoder, first), solved);
  if (solved.support) {
    limits.supporting.emplace();
    for (const Constraint& c : *solved.support) limits.supporting->push_back(c.group);
  }
  const MarginSolution attention = solve_margin_problem(sample.joint.data, selection);
  limits.attention.push_back({"plain",
                              attention.feasibility,
                              direction_of(enclosed_rows(sample.joint.data, selection), attention),
                              attention.reason,
                              {}});
  return limits;
}

}  // namespace attest
