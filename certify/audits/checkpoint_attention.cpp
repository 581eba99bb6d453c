#include "certify/audits/checkpoint_attention.hpp"

#include "certify/catalogue/optimum_geometry.hpp"

namespace attest {
namespace {

constexpr long attention_bits = 128;

// x_t' W z of every token, over one denominator.
std::vector<Integer> logits(const TokenData& data, std::size_t group, const SharedDenominatorMatrix& w,
                            const SharedDenominatorMatrix& x, const SharedDenominatorMatrix& z) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  std::vector<Integer> image(d, 0), found(data.tokens(group), 0);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t m = 0; m < e; ++m) image[j] += w.numerators[j * e + m] * z.numerators[group * e + m];
  }
  for (std::size_t t = 0; t < found.size(); ++t) {
    for (std::size_t j = 0; j < d; ++j) found[t] += x.numerators[data.row(group, t) * d + j] * image[j];
  }
  return found;
}

SequenceAttention attention_of(const TokenData& data, std::size_t group, const std::vector<Integer>& logit,
                               const Integer& denominator) {
  SequenceAttention found;
  for (std::size_t t = 1; t < logit.size(); ++t) {
    if (!data.present(group, t)) continue;
    const bool better = data.score(group, t) > data.score(group, found.nearest);
    if (logit[t] > logit[found.nearest] || (logit[t] == logit[found.nearest] && better)) found.nearest = t;
  }
  std::vector<Ball> weights;
  Ball others, sum;
  for (std::size_t t = 0; t < logit.size(); ++t) {
    if (!data.present(group, t)) {
      weights.emplace_back();
      continue;
    }
    if (t != found.nearest && logit[t] == logit[found.nearest]) found.tied.push_back(t);
    // Relative to the nearest token's, whose own is 1.
    const Ball difference(Rational(logit[t] - logit[found.nearest], denominator), attention_bits);
    weights.push_back(mul(exp(difference, attention_bits),
                          multiplicity_ratio(data, group, t, found.nearest, attention_bits), attention_bits));
    if (t != found.nearest) others = add(others, weights.back(), attention_bits);
  }
  sum = add(others, weights[found.nearest], attention_bits);
  for (const Ball& weight : weights) found.attention.push_back(div(weight, sum, attention_bits));
  found.left = div(others, sum, attention_bits);
  return found;
}

}  // namespace

ExactArray matrix_product(const ExactArray& keys, const ExactArray& queries, std::size_t d, std::size_t e,
                          std::size_t m, const Budget& budget) {
  const SharedDenominatorMatrix left = over_common_denominator(keys, d, m, budget);
  const SharedDenominatorMatrix right = over_common_denominator(queries, e, m, budget);
  const Integer denominator = left.denominator * right.denominator;
  std::vector<Rational> entries;
  entries.reserve(d * e);
  for (std::size_t j = 0; j < d; ++j) {
    budget.poll();
    for (std::size_t k = 0; k < e; ++k) {
      Integer sum = 0;
      for (std::size_t r = 0; r < m; ++r) sum += left.numerators[j * m + r] * right.numerators[k * m + r];
      entries.emplace_back(sum, denominator);
    }
  }
  return ExactArray::from_rationals(std::move(entries));
}

void fill_attention(CheckpointAnswer& answer, const Budget& budget) {
  const TokenData& data = answer.data;
  const SharedDenominatorMatrix w =
      over_common_denominator(answer.weights, data.left_dimension, data.right_dimension, budget);
  const SharedDenominatorMatrix x =
      over_common_denominator(data.token_factor, data.first_row.back(), data.left_dimension, budget);
  const SharedDenominatorMatrix z =
      over_common_denominator(data.query_factor, data.groups(), data.right_dimension, budget);
  Integer square = 0;
  for (const Integer& entry : w.numerators) square += entry * entry;
  answer.norm_squared = Rational(square, w.denominator * w.denominator);
  const Integer denominator = w.denominator * x.denominator * z.denominator;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    budget.poll();
    const std::vector<Integer> logit = logits(data, i, w, x, z);
    answer.attention.push_back(attention_of(data, i, logit, denominator));
    const std::size_t nearest = answer.attention.back().nearest;
    answer.selection.push_back(nearest);
    for (const Integer& other : logit) answer.margins.emplace_back(logit[nearest] - other, denominator);
  }
}

}  // namespace attest
