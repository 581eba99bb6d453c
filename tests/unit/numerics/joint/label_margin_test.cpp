// A.margin: what its cover proves against attention drawn at random, what breaks it against its definition;
// T21 with two radii against minimisers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "numerics/joint/label_margin_witness.hpp"
#include "numerics/joint/nearest_point.hpp"
#include "numerics/joint/path.hpp"
#include "tests/unit/numerics/joint/joint_samples.hpp"

using namespace attest;

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The labelled tokens of a sequence as columns.
MatrixXd labelled(const Sample& sample, std::size_t group, std::size_t tokens) {
  const auto d = static_cast<Index>(sample.joint.decoder_dimension);
  MatrixXd columns(d, static_cast<Index>(tokens));
  for (Index t = 0; t < columns.cols(); ++t) {
    for (Index j = 0; j < d; ++j)
      columns(j, t) =
          sample.labels[group] *
          sample.tokens[(group * tokens + static_cast<std::size_t>(t)) * static_cast<std::size_t>(d) +
                        static_cast<std::size_t>(j)];
  }
  return columns;
}

double label_margin(const MatrixXd& outputs) {
  return (outputs * nearest_point(outputs)).norm();
}

// The selection with the largest label margin: the one for which the assumption has a chance.
Selection widest(const Sample& sample, std::size_t tokens) {
  const std::size_t groups = sample.labels.size();
  Selection best, selection(groups, 0);
  double largest = -1;
  while (true) {
    MatrixXd outputs(static_cast<Index>(sample.joint.decoder_dimension), static_cast<Index>(groups));
    for (std::size_t i = 0; i < groups; ++i)
      outputs.col(static_cast<Index>(i)) = labelled(sample, i, tokens).col(static_cast<Index>(selection[i]));
    if (const double margin = label_margin(outputs); margin > largest) {
      largest = margin;
      best = selection;
    }
    std::size_t i = 0;
    while (i < groups && ++selection[i] == tokens) selection[i++] = 0;
    if (i == groups) return best;
  }
}

// The largest nu that attention drawn at random allows, sequences of the support alone.
double drawn_cost(const Sample& sample, std::size_t tokens, const Selection& selection,
                  const JointLimits& limits, std::mt19937_64& random) {
  std::exponential_distribution<double> exponential;
  std::uniform_real_distribution<double> uniform;
  const std::vector<std::size_t>& supporting = *limits.supporting;
  double least = HUGE_VAL;
  for (int draw = 0; draw < 300; ++draw) {
    MatrixXd outputs(static_cast<Index>(sample.joint.decoder_dimension),
                     static_cast<Index>(supporting.size()));
    double most = 0;
    for (std::size_t k = 0; k < supporting.size(); ++k) {
      const std::size_t i = supporting[k];
      VectorXd share(static_cast<Index>(tokens));
      for (double& s : share) s = std::pow(exponential(random), 4);
      share *= std::pow(uniform(random), 3) / share.sum();
      share[static_cast<Index>(selection[i])] += 1 - share.sum();
      most = std::max(most, 1 - share[static_cast<Index>(selection[i])]);
      outputs.col(static_cast<Index>(k)) = labelled(sample, i, tokens) * share;
    }
    least = std::min(least, (limits.decoder->margin.approx_mid() - label_margin(outputs)) / most);
  }
  return least;
}

// One sequence of the tokens (2,0) and (0,1), label 1, as prompt: keys 1 and 0 with the query 1.
Sample one_sequence() {
  Sample sample;
  sample.labels = {1};
  sample.tokens = {2, 0, 0, 1};
  TokenData& data = sample.joint.data;
  data.left_dimension = data.right_dimension = 1;
  sample.joint.decoder_dimension = 2;
  data.first_row = {0, 2};
  for (const double x : sample.tokens) sample.joint.values.emplace_back(x);
  data.token_factor = ExactArray::from_binary64({1, 0});
  data.query_factor = ExactArray::from_binary64({1});
  data.scores.assign(2, 0);
  return sample;
}

}  // namespace

TEST_CASE("the cover's nu: the largest one, by hand and against random attention") {
  const Sample one = one_sequence();
  const JointLimits limits = plain_limits(one, {0});
  const JointFeatures features(one.joint, 192);
  const LabelMarginCover cover = label_margin_cover(features, {0}, *limits.decoder,
                                                    {{limits.decoder->multipliers, {}}}, {0}, 1000, Budget());
  // (2 - ||(2 - 2 X, X)||)/X is least at X = 1.
  CHECK(cover.finished);
  CHECK(cover.proved <= 1);
  CHECK(cover.proved > 0.97);

  std::mt19937_64 random(8);
  int proved = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const std::size_t tokens = 3;
    const Sample sample = gaussian(3, tokens, 5, seed);
    const Selection selection = widest(sample, tokens);
    const JointLimits own = plain_limits(sample, selection);
    REQUIRE(own.decoder);
    const LabelMarginCover found =
        label_margin_cover(JointFeatures(sample.joint, 192), selection, *own.decoder,
                           {{own.decoder->multipliers, {}}}, *own.supporting, 2000, Budget());
    if (!(found.proved > 0)) continue;
    ++proved;
    const double drawn = drawn_cost(sample, tokens, selection, own, random);
    CHECK(found.proved <= drawn + 1e-9);
    CHECK(found.proved <= found.attained + 1e-9);
    if (found.finished) CHECK(found.proved >= 0.98 * found.attained);
  }
  CHECK(proved >= 4);
}

TEST_CASE("a W that breaks A.margin has the label margin it is said to have") {
  int broken = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const std::size_t tokens = 3;
    const Sample sample = gaussian(3, tokens, 6, seed);
    const Selection selection(3, seed % tokens);
    const JointLimits limits = plain_limits(sample, selection);
    if (!limits.decoder || !limits.supporting) continue;
    const JointFeatures features(sample.joint, 192);
    const LabelMarginCover cover =
        label_margin_cover(features, selection, *limits.decoder, {{limits.decoder->multipliers, {}}},
                           *limits.supporting, 2000, Budget());
    const auto witness = label_margin_point(features, enclosed_rows(sample.joint.data, selection), selection,
                                            *limits.decoder, cover.worst, Budget());
    if (!witness) continue;
    CHECK_FALSE(cover.proved > 0);
    ++broken;
    MatrixXd outputs(6, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      VectorXd logit = VectorXd::Zero(tokens);
      std::vector<Ball> image;
      for (std::size_t j = 0; j < 6; ++j) {
        std::vector<Ball> row;
        for (std::size_t k = 0; k < 6; ++k) row.emplace_back(witness->attention[j * 6 + k]);
        image.push_back(dot(row, features.groups[i].query, 128));
      }
      for (std::size_t t = 0; t < tokens; ++t)
        logit[static_cast<Index>(t)] =
            dot({features.groups[i].key.data() + t * 6, 6}, image, 128).approx_mid();
      const VectorXd share = (logit.array() - logit.maxCoeff()).exp();
      outputs.col(static_cast<Index>(i)) = labelled(sample, i, tokens) * share / share.sum();
    }
    CHECK(label_margin(outputs) >= limits.decoder->margin.approx_mid() - 1e-9);
    CHECK(label_margin(outputs) >= witness->margin.approx_mid() - 1e-9);
  }
  CHECK(broken >= 2);
}

TEST_CASE("T21 with two radii holds of minimisers that are known") {
  const Sample one = one_sequence();
  const JointLimits limits = plain_limits(one, {0});
  const JointFeatures features(one.joint, 192);
  const EnclosedRows rows = enclosed_rows(one.joint.data, {0});
  const Selection selection{0};
  const std::vector<std::size_t> supporting{0};
  for (const Loss loss : {Loss::logistic, Loss::exponential}) {
    std::string reason;
    const auto bound = joint_path({features, rows, selection, supporting, *limits.decoder,
                                   *limits.attention.front().direction, nullptr, 0.9, loss},
                                  reason);
    REQUIRE_MESSAGE(bound, reason);
    CHECK_FALSE(bound->relaxed);
    for (const double more : {1.0, 1.5, 4.0}) {
      const double R = more * static_cast<double>(bound->least_radius),
                   r = more * static_cast<double>(bound->least_decoder_radius);
      // The output's norm is 2 at s = 1 and falls with 1 - s: W = R, v along the output.
      const double other = 1 / (1 + std::exp(R)), x = 2 * (1 - other), y = other;
      const double lost = 1 - x / std::hypot(x, y);
      CHECK(lost <= bound->decoder_decay.upper_double() * std::exp(-bound->gamma.approx_mid() * R) +
                        bound->decoder_rate.upper_double() / r + 1e-15);
      CHECK(bound->rate.lower_double() >= 0);
    }
    const auto none = joint_path({features, rows, selection, supporting, *limits.decoder,
                                  *limits.attention.front().direction, nullptr, 0, loss},
                                 reason);
    CHECK_FALSE(none);
  }
}
