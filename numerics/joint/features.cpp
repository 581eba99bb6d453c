#include "numerics/joint/features.hpp"

namespace attest {
namespace {

std::vector<Ball> transposed(const std::vector<Ball>& matrix, std::size_t rows, std::size_t columns) {
  std::vector<Ball> result;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t t = 0; t < rows; ++t) result.push_back(matrix[t * columns + j]);
  }
  return result;
}

JointGroup joint_group(const JointData& joint, std::size_t i, long bits) {
  const TokenData& data = joint.data;
  JointGroup group;
  for (std::size_t t = 0; t < data.tokens(i); ++t) {
    if (!data.present(i, t)) continue;
    group.tokens.push_back(t);
    group.counts.push_back(data.multiplicity(i, t));
    const std::size_t row = data.row(i, t);
    for (std::size_t j = 0; j < data.left_dimension; ++j)
      group.key.emplace_back(data.token_factor.exact(row * data.left_dimension + j), bits);
    for (std::size_t j = 0; j < joint.decoder_dimension; ++j)
      group.value.emplace_back(joint.values[row * joint.decoder_dimension + j], bits);
  }
  group.key_transposed = transposed(group.key, group.tokens.size(), data.left_dimension);
  group.value_transposed = transposed(group.value, group.tokens.size(), joint.decoder_dimension);
  for (std::size_t k = 0; k < data.right_dimension; ++k)
    group.query.emplace_back(data.query_factor.exact(i * data.right_dimension + k), bits);
  return group;
}

// Attention relative to the token with the largest middle.
void attend(JointWeights& found, const JointGroup& group, const std::vector<Ball>& logit, long bits) {
  const std::size_t count = logit.size();
  for (std::size_t t = 1; t < count; ++t) {
    if (arf_cmp(arb_midref(logit[t].raw()), arb_midref(logit[found.dominant].raw())) > 0) found.dominant = t;
  }
  std::vector<Ball> part(count);
  Ball rest;
  for (std::size_t t = 0; t < count; ++t) {
    found.margin.push_back(t == found.dominant ? Ball() : sub(logit[found.dominant], logit[t], bits));
    part[t] = t == found.dominant ? Ball(1) : exp(neg(found.margin[t]), bits);
    if (group.counts[t] != 1) arb_mul_ui(part[t].raw(), part[t].raw(), group.counts[t], bits);
    if (t != found.dominant) rest = add(rest, part[t], bits);
  }
  const Ball total = inverse(add(rest, part[found.dominant], bits), bits);
  for (std::size_t t = 0; t < count; ++t) found.share.push_back(mul(part[t], total, bits));
  found.unselected = mul(rest, total, bits);
}

}  // namespace

JointFeatures::JointFeatures(const JointData& joint, long working_bits)
    : d(joint.data.left_dimension),
      e(joint.data.right_dimension),
      decoder_dimension(joint.decoder_dimension),
      bits(working_bits) {
  for (std::size_t i = 0; i < joint.data.groups(); ++i) groups.push_back(joint_group(joint, i, bits));
  for (const JointGroup& a : groups) {
    for (const JointGroup& b : groups) query_gram.push_back(dot(a.query, b.query, bits));
  }
}

std::vector<JointWeights> JointFeatures::weigh(const std::vector<std::vector<Ball>>& logits,
                                               const std::vector<Ball>& v, Loss loss,
                                               long working_bits) const {
  std::vector<JointWeights> all(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const JointGroup& group = groups[i];
    JointWeights& found = all[i];
    attend(found, group, logits[i], working_bits);
    const std::size_t count = group.tokens.size();
    std::vector<Ball> score;
    for (std::size_t t = 0; t < count; ++t)
      score.push_back(dot({group.value.data() + t * decoder_dimension, decoder_dimension}, v, working_bits));
    for (std::size_t t = 0; t < count; ++t)
      found.gap.push_back(t == found.dominant ? Ball() : sub(score[found.dominant], score[t], working_bits));
    const Ball deficit = dot(found.share, found.gap, working_bits);
    found.output = sub(score[found.dominant], deficit, working_bits);
    loss_derivatives(found.slope.raw(), found.ratio.raw(), loss, found.output.raw(), working_bits);
    arb_div_ui(found.slope.raw(), found.slope.raw(), groups.size(), working_bits);
    for (std::size_t t = 0; t < count; ++t)
      found.weight.push_back(mul(mul(found.slope, found.share[t], working_bits),
                                 sub(deficit, found.gap[t], working_bits), working_bits));
  }
  return all;
}

}  // namespace attest
