#include "numerics/mirror/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// Margins of the token with the largest middle against the others.
void find_margins(FeatureWeights& found, const std::vector<Ball>& logit, long bits) {
  const std::size_t count = logit.size();
  for (std::size_t t = 1; t < count; ++t) {
    if (arf_cmp(arb_midref(logit[t].raw()), arb_midref(logit[found.dominant].raw())) > 0) found.dominant = t;
  }
  for (std::size_t t = 0; t < count; ++t)
    found.margin.push_back(t == found.dominant ? Ball() : sub(logit[found.dominant], logit[t], bits));
}

// `bits` that the exponential of every token's margin gets.
void attend(FeatureWeights& found, const FeatureGroup& group, const std::vector<long>& token_bits,
            long bits) {
  const std::size_t count = group.tokens.size();
  std::vector<Ball> part(count);
  Ball rest;
  for (std::size_t t = 0; t < count; ++t) {
    part[t] = exp(neg(found.margin[t]), token_bits[t]);
    arb_mul_ui(part[t].raw(), part[t].raw(), group.counts[t], token_bits[t]);
    if (t != found.dominant) rest = add(rest, part[t], bits);
  }
  const Ball total = add(rest, part[found.dominant], bits);
  for (std::size_t t = 0; t < count; ++t) found.share.push_back(div(part[t], total, bits));
  found.unselected = div(rest, total, bits);
}

// Its middle is below two to this, but not by much; very small for 0.
double exponent_of(const Ball& x) {
  return static_cast<double>(arf_abs_bound_lt_2exp_si(arb_midref(x.raw())));
}

// As many bits less as what a token adds to the weights is smaller than the largest of them, by a rough
// evaluation.
std::vector<std::vector<long>> bits_that_matter(const std::vector<FeatureWeights>& rough,
                                                const std::vector<FeatureGroup>& groups, long bits) {
  constexpr double room = 8;
  double largest = -std::numeric_limits<double>::infinity();
  for (const FeatureWeights& found : rough) {
    for (const Ball& weight : found.weight) {
      if (weight.accuracy_bits() > 8) largest = std::max(largest, exponent_of(weight));
    }
  }
  std::vector<std::vector<long>> result;
  for (std::size_t i = 0; i < rough.size(); ++i) {
    double spread = -1e9;
    for (const Ball& score : groups[i].score)
      spread = std::max(spread, exponent_of(sub(score, groups[i].score.front(), 64)));
    std::vector<long>& own = result.emplace_back();
    for (const Ball& share : rough[i].share) {
      const double size = exponent_of(rough[i].slope) + exponent_of(share) + spread + room;
      const double spare = std::clamp(largest - size, 0.0, static_cast<double>(bits));
      own.push_back(std::max(std::min(128L, bits), bits - static_cast<long>(spare)));
    }
  }
  return result;
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
  std::vector<std::vector<Ball>> logits;
  for (const FeatureGroup& group : groups) {
    std::vector<Ball> image;
    for (std::size_t j = 0; j < d; ++j) image.push_back(dot(part(w, j * e, e), group.query, bits));
    std::vector<Ball>& logit = logits.emplace_back();
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      logit.push_back(dot(part(group.token, t * d, d), image, bits));
  }
  return weigh_logits(logits, loss, bits, false);
}

std::vector<FeatureWeights> Features::weigh_logits(const std::vector<std::vector<Ball>>& logits, Loss loss,
                                                   long working_bits, bool uneven) const {
  std::vector<FeatureWeights> all(groups.size());
  std::vector<std::vector<long>> token_bits;
  if (uneven && working_bits > 192)
    token_bits = bits_that_matter(weigh_logits(logits, loss, 96, false), groups, working_bits);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const FeatureGroup& group = groups[i];
    FeatureWeights& found = all[i];
    find_margins(found, logits[i], working_bits);
    if (token_bits.size() <= i) token_bits.emplace_back(group.tokens.size(), working_bits);
    attend(found, group, token_bits[i], working_bits);
    const std::size_t count = group.tokens.size();
    std::vector<Ball> gap;
    for (std::size_t t = 0; t < count; ++t)
      gap.push_back(sub(group.score[found.dominant], group.score[t], working_bits));
    found.deficit = dot(found.share, gap, working_bits);
    const Ball output = sub(group.score[found.dominant], found.deficit, working_bits);
    loss_derivatives(found.slope.raw(), found.ratio.raw(), loss, output.raw(), working_bits);
    Ball outer;
    arb_div_ui(outer.raw(), found.slope.raw(), all_groups, working_bits);
    for (std::size_t t = 0; t < count; ++t) {
      const Ball lift = sub(found.deficit, gap[t], working_bits);
      found.weight.push_back(mul(mul(outer, found.share[t], working_bits), lift, working_bits));
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
