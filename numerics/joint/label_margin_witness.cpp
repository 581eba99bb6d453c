#include "numerics/joint/label_margin_witness.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/joint/nearest_point.hpp"
#include "numerics/numbers/decompositions.hpp"

namespace attest {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr long witness_bits = 192;
constexpr std::size_t most_witness_rows = 800, most_tries = 16;

Eigen::Index at(std::size_t k) {
  return static_cast<Eigen::Index>(k);
}

MatrixXd gram_of(const EnclosedRows& rows) {
  MatrixXd gram(at(rows.at.size()), at(rows.at.size()));
  for (std::size_t a = 0; a < rows.at.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      gram(at(a), at(b)) = gram(at(b), at(a)) = rows.product(a, b).approx_mid();
  }
  return gram;
}

// sum lambda_c Delta_c, rounded.
std::vector<double> combined(const EnclosedRows& rows, const VectorXd& lambda) {
  std::vector<Ball> values;
  for (std::size_t c = 0; c < rows.at.size(); ++c) values.emplace_back(lambda[at(c)]);
  std::vector<double> result;
  for (const Ball& entry : rows.combination(values)) result.push_back(entry.approx_mid());
  return result;
}

std::vector<Ball> exactly(const std::vector<double>& values) {
  std::vector<Ball> result;
  for (const double value : values) result.emplace_back(value);
  return result;
}

// The margins that give a sequence's tokens about the attention of `worst`, others e^-level of it.
VectorXd wanted_margins(const EnclosedRows& rows, const std::vector<SoftChoice>& worst, double level) {
  VectorXd wanted(at(rows.at.size()));
  for (std::size_t c = 0; c < rows.at.size(); ++c) {
    const Constraint& row = rows.at[c];
    const auto own = std::find_if(worst.begin(), worst.end(),
                                  [&](const SoftChoice& one) { return one.group == row.group; });
    double chosen = level;  // the margin over the token that has a share
    if (own != worst.end() && own->share > 0)
      chosen = std::clamp(std::log((1 - own->share) / own->share), -level, level);
    const bool other = own == worst.end() || own->share == 0 || row.token != own->token;
    wanted[at(c)] = other ? level + std::min(0.0, chosen) : chosen;
  }
  return wanted;
}

// X_i's_i with the labels, at W: by sequence.
std::vector<std::vector<Ball>> outputs(const JointFeatures& features, const std::vector<Ball>& attention) {
  const std::size_t d = features.d, e = features.e, dimension = features.decoder_dimension;
  std::vector<std::vector<Ball>> result;
  for (const JointGroup& group : features.groups) {
    std::vector<Ball> image, share;
    for (std::size_t j = 0; j < d; ++j)
      image.push_back(dot({attention.data() + j * e, e}, group.query, witness_bits));
    Ball largest;
    for (std::size_t t = 0; t < group.tokens.size(); ++t) {
      share.push_back(dot({group.key.data() + t * d, d}, image, witness_bits));
      largest = t == 0 ? share[t] : max(largest, share[t], witness_bits);
    }
    Ball total;
    for (std::size_t t = 0; t < share.size(); ++t) {
      share[t] = mul(Ball(Integer(group.counts[t])), exp(sub(share[t], largest, witness_bits), witness_bits),
                     witness_bits);
      total = add(total, share[t], witness_bits);
    }
    for (Ball& part : share) part = div(part, total, witness_bits);
    std::vector<Ball>& output = result.emplace_back();
    for (std::size_t j = 0; j < dimension; ++j)
      output.push_back(
          dot(share, {group.value_transposed.data() + j * share.size(), share.size()}, witness_bits));
  }
  return result;
}

// W with its best decoder; nothing unless that has Gamma for certain.
std::optional<LabelMarginWitness> judged(const JointFeatures& features, const Direction& decoder,
                                         std::vector<double> attention) {
  const std::vector<std::vector<Ball>> out = outputs(features, exactly(attention));
  MatrixXd points(at(features.decoder_dimension), at(out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < out[i].size(); ++j) points(at(j), at(i)) = out[i][j].approx_mid();
  }
  if (!points.allFinite()) return std::nullopt;
  const VectorXd v = points * nearest_point(points);
  LabelMarginWitness witness{false, std::move(attention), {v.data(), v.data() + v.size()}, {}};
  const std::vector<Ball> exact = exactly(witness.decoder);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Ball margin = dot(out[i], exact, witness_bits);
    witness.margin = i == 0 ? margin : min(witness.margin, margin, witness_bits);
  }
  witness.margin = div(witness.margin, sqrt(dot(exact, exact, witness_bits), witness_bits), witness_bits);
  if (!witness.margin.is_finite() || !certainly_at_most(decoder.margin, witness.margin)) return std::nullopt;
  return witness;
}

// Multipliers of the least-norm combination whose rows `asked` (of combinations of the data's) are at least
// 1, by Hildreth's sweeps; a guess.
VectorXd separated(const MatrixXd& gram, const MatrixXd& asked, const Budget& budget) {
  const MatrixXd own = asked * gram * asked.transpose();
  VectorXd lambda = VectorXd::Zero(own.rows()), image = lambda;
  for (int sweep = 0; sweep < 1000; ++sweep) {
    budget.poll();
    double moved = 0;
    for (Eigen::Index c = 0; c < own.rows(); ++c) {
      if (!(own(c, c) > 0)) continue;
      const double change = std::max(0.0, lambda[c] + (1 - image[c]) / own(c, c)) - lambda[c];
      lambda[c] += change;
      image += change * own.col(c);
      moved = std::max(moved, std::abs(change) * own(c, c));
    }
    if (moved < 1e-9) break;
  }
  return asked.transpose() * lambda;
}

}  // namespace

std::optional<LabelMarginWitness> label_margin_point(const JointFeatures& features, const EnclosedRows& rows,
                                                     const Selection& selection, const Direction& decoder,
                                                     const std::vector<SoftChoice>& worst,
                                                     const Budget& budget) {
  if (rows.at.empty() || rows.at.size() > most_witness_rows || selection.size() != features.groups.size())
    return std::nullopt;
  const MatrixXd gram = gram_of(rows);
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> solve(gram);
  for (const double level : {4.0, 8.0, 16.0, 32.0}) {
    budget.poll();
    const VectorXd lambda = solve.solve(wanted_margins(rows, worst, level));
    if (!lambda.allFinite()) continue;
    if (auto found = judged(features, decoder, combined(rows, lambda))) return found;
  }
  return std::nullopt;
}

std::optional<LabelMarginWitness> label_margin_ray(const EnclosedRows& rows,
                                                   const std::vector<std::size_t>& supporting,
                                                   const Budget& budget) {
  if (rows.at.size() > most_witness_rows) return std::nullopt;
  const auto supports = [&](std::size_t c) {
    return std::binary_search(supporting.begin(), supporting.end(), rows.at[c].group);
  };
  const MatrixXd gram = gram_of(rows);
  std::size_t tries = 0;
  for (std::size_t slow = 0; slow < rows.at.size() && tries < most_tries; ++slow) {
    if (supports(slow)) continue;
    ++tries;
    MatrixXd asked = MatrixXd::Identity(gram.rows(), gram.cols());
    for (std::size_t c = 0; c < rows.at.size(); ++c) {
      if (supports(c)) asked(at(c), at(slow)) = -1;
    }
    LabelMarginWitness witness{true, combined(rows, separated(gram, asked, budget)), {}, {}};
    const std::vector<Ball> exact = exactly(witness.attention);
    const Ball least = rows.margin(slow, exact);
    bool breaks = certainly_positive(least);
    for (std::size_t c = 0; breaks && c < rows.at.size(); ++c) {
      const Ball margin = rows.margin(c, exact);
      breaks = certainly_positive(margin) && (!supports(c) || certainly_less(least, margin));
    }
    if (breaks) return witness;
  }
  return std::nullopt;
}

}  // namespace attest
