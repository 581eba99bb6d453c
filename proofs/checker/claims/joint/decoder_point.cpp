// A decoder beside its limit: see claims/joint/decoder_point.hpp.
#include "proofs/checker/claims/joint/decoder_point.hpp"

#include "proofs/checker/base/interval_vector.hpp"

namespace attest_check {
namespace {

// Of a positive definite matrix; a pivot that may be 0 is Imprecise.
std::vector<std::vector<Interval>> inverse(std::vector<std::vector<Interval>> matrix) {
  const std::size_t n = matrix.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Interval pivot = matrix[k][k];
    matrix[k][k] = Interval(1);
    for (Interval& entry : matrix[k]) entry = entry / pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Interval factor = matrix[i][k];
      matrix[i][k] = Interval(0);
      for (std::size_t j = 0; j < n; ++j) matrix[i][j] = matrix[i][j] - factor * matrix[k][j];
    }
  }
  return matrix;
}

}  // namespace

DecoderPoint::DecoderPoint(const Claim& claim, const DecoderLimit& limit, const std::vector<Interval>& v,
                           unsigned bits)
    : limit_(limit), still_(v) {
  const Problem& problem = *limit.problem;
  along_ = inner_product(v, limit.direction);
  claim.require(along_.positive(), "the decoder does not point to its limit");
  Interval entropy;  // -H
  for (std::size_t i = 0; i < problem.selection.size(); ++i) {
    kappa_.push_back(labelled_value(*problem.features, i, problem.selection[i], bits));
    longest_ = maximum(longest_, length_of(kappa_[i]));
    sideways_.push_back(square_root(inner_product(kappa_[i], kappa_[i]) - limit.margin * limit.margin));
    entropy += limit.multipliers[i] * logarithm(limit.multipliers[i]);
  }
  std::vector<std::vector<Interval>> gram;
  for (const std::vector<Interval>& own : kappa_) gram.push_back(products(own));
  inverse_ = inverse(std::move(gram));
  std::vector<Interval> away = products(v);
  for (std::size_t i = 0; i < groups(); ++i) {
    centre_.push_back(entropy - logarithm(limit.multipliers[i]));
    away[i] = centre_[i] - away[i];
  }
  for (std::size_t i = 0; i < groups(); ++i) {
    const Interval share = inner_product(inverse_[i], away);
    for (std::size_t j = 0; j < still_.size(); ++j) still_[j] += share * kappa_[i][j];
  }
  for (Interval& w : away) w += limit.margin * along_;  // -w_i
  if (groups() > 1) inner_ = square_root(span_square(away));
}

std::vector<Interval> DecoderPoint::products(const std::vector<Interval>& x) const {
  std::vector<Interval> result;
  for (const std::vector<Interval>& own : kappa_) result.push_back(inner_product(own, x));
  return result;
}

Interval DecoderPoint::span_square(const std::vector<Interval>& products) const {
  Interval sum;
  for (std::size_t i = 0; i < groups(); ++i) sum += products[i] * inner_product(inverse_[i], products);
  return sum;
}

void DecoderPoint::require_held(const Claim& claim, const Interval& level, const Interval& reach,
                                const std::vector<Interval>& boxes) const {
  Interval square;
  for (std::size_t i = 0; i < groups(); ++i) {
    const Interval &mu = limit_.multipliers[i], rest = Interval(1) - mu;
    for (const Interval& m : {boxes[i], -boxes[i]}) {
      const Interval sum = mu * exponential(m) + rest * exponential(-m * mu / rest);
      claim.require(certainly_at_most(level, logarithm(sum)),
                    "the box of group " + std::to_string(i) + " is too small");
    }
    for (std::size_t j = 0; j < groups(); ++j) {
      const Interval entry = inverse_[i][j] - mu * limit_.multipliers[j] / (limit_.margin * limit_.margin);
      square += absolute(entry) * boxes[i] * boxes[j];
    }
  }
  claim.require(certainly_at_most(square, reach * reach), "the boxes reach farther than is said");
}

}  // namespace attest_check
