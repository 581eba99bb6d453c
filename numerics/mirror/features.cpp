#include "numerics/mirror/features.hpp"

namespace attest {
namespace {

std::span<const Ball> part(const std::vector<Ball>& balls, std::size_t first, std::size_t count) {
  return {balls.data() + first, count};
}

std::vector<Ball> enclosed(const ExactArray& array, std::size_t row, std::size_t columns, long bits) {
  std::vector<Ball> result;
  for (std::size_t j = 0; j < columns; ++j) result.emplace_back(array.exact(row * columns + j), bits);
  return result;
}

FeatureGroup feature_group(const TokenData& data, std::size_t i, long bits) {
  FeatureGroup group;
  group.original = i;
  const std::size_t d = data.left_dimension;
  for (std::size_t t = 0; t < data.tokens(i); ++t) {
    if (!data.present(i, t)) continue;
    group.tokens.push_back(t);
    group.counts.push_back(data.multiplicity(i, t));
    const std::vector<Ball> token = enclosed(data.token_factor, data.row(i, t), d, bits);
    group.token.insert(group.token.end(), token.begin(), token.end());
    group.score.emplace_back(data.score(i, t), bits);
  }
  const std::size_t count = group.tokens.size();
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t t = 0; t < count; ++t) group.token_transposed.push_back(group.token[t * d + j]);
  }
  group.query = enclosed(data.query_factor, i, data.right_dimension, bits);
  return group;
}

// The logits of a group relative to the largest middle.
void attend(FeatureWeights& found, const FeatureGroup& group, const std::vector<Ball>& logit, long bits) {
  const std::size_t count = logit.size();
  for (std::size_t t = 1; t < count; ++t) {
    if (arf_cmp(arb_midref(logit[t].raw()), arb_midref(logit[found.dominant].raw())) > 0) found.dominant = t;
  }
  std::vector<Ball> part(count);
  Ball rest;
  for (std::size_t t = 0; t < count; ++t) {
    found.margin.push_back(t == found.dominant ? Ball() : sub(logit[found.dominant], logit[t], bits));
    part[t] = exp(neg(found.margin[t]), bits);
    arb_mul_ui(part[t].raw(), part[t].raw(), group.counts[t], bits);
    if (t != found.dominant) rest = add(rest, part[t], bits);
  }
  const Ball total = add(rest, part[found.dominant], bits);
  for (std::size_t t = 0; t < count; ++t) found.share.push_back(div(part[t], total, bits));
  found.unselected = div(rest, total, bits);
}

}  // namespace

Features::Features(const TokenData& data, long working_bits)
    : d(data.left_dimension), e(data.right_dimension), all_groups(data.groups()), bits(working_bits) {
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.different(i) < 2) continue;
    groups.push_back(feature_group(data, i, bits));
    groups.back().first = coordinates;
    coordinates += groups.back().tokens.size() - 1;
  }
  for (std::size_t k = 0; k < e; ++k) {
    for (const FeatureGroup& group : groups) query_transposed.push_back(group.query[k]);
  }
  rows.resize(static_cast<Eigen::Index>(coordinates), static_cast<Eigen::Index>(d * e));
  moves.assign(d * e, false);
  for (const FeatureGroup& group : groups) {
    for (std::size_t t = 1; t < group.tokens.size(); ++t) {
      for (std::size_t j = 0; j < d; ++j) {
        const Ball difference = sub(group.token[t * d + j], group.token[j], bits);
        for (std::size_t k = 0; k < e; ++k) {
          const Ball entry = mul(difference, group.query[k], bits);
          rows(static_cast<Eigen::Index>(group.first + t - 1), static_cast<Eigen::Index>(j * e + k)) =
              entry.approx_mid();
          if (arb_is_zero(entry.raw()) == 0) moves[j * e + k] = true;
        }
      }
    }
  }
}

std::vector<FeatureWeights> Features::weigh(const std::vector<Ball>& w, Loss loss) const {
  std::vector<FeatureWeights> all;
  for (const FeatureGroup& group : groups) {
    std::vector<Ball> image, logit;
    for (std::size_t j = 0; j < d; ++j) image.push_back(dot(part(w, j * e, e), group.query, bits));
    const std::size_t count = group.tokens.size();
    for (std::size_t t = 0; t < count; ++t) logit.push_back(dot(part(group.token, t * d, d), image, bits));
    FeatureWeights& found = all.emplace_back();
    attend(found, group, logit, bits);
    std::vector<Ball> gap;
    for (std::size_t t = 0; t < count; ++t)
      gap.push_back(sub(group.score[found.dominant], group.score[t], bits));
    found.deficit = dot(found.share, gap, bits);
    const Ball output = sub(group.score[found.dominant], found.deficit, bits);
    loss_derivatives(found.slope.raw(), found.ratio.raw(), loss, output.raw(), bits);
    Ball outer;
    arb_div_ui(outer.raw(), found.slope.raw(), all_groups, bits);
    for (std::size_t t = 0; t < count; ++t) {
      found.weight.push_back(mul(mul(outer, found.share[t], bits), sub(found.deficit, gap[t], bits), bits));
    }
  }
  return all;
}

std::vector<Ball> Features::combine(const std::vector<std::vector<Ball>>& values) const {
  std::vector<Ball> sums(d * groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t count = groups[i].tokens.size();
    for (std::size_t j = 0; j < d; ++j)
      sums[j * groups.size() + i] = dot(values[i], part(groups[i].token_transposed, j * count, count), bits);
  }
  std::vector<Ball> result;
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k < e; ++k) {
      result.push_back(dot(part(sums, j * groups.size(), groups.size()),
                           part(query_transposed, k * groups.size(), groups.size()), bits));
    }
  }
  return result;
}

}  // namespace attest
