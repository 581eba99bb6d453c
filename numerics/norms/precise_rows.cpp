#include "numerics/norms/precise_rows.hpp"

namespace attest {

PreciseRows::PreciseRows(const IntegerConstraints& constraints, long exponent, long bits)
    : d_(constraints.data().left_dimension),
      e_(constraints.data().right_dimension),
      groups_(constraints.data().groups()),
      bits_(bits) {
  const TokenData& data = constraints.data();
  difference_.reserve(constraints.size() * d_);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const MarginRow& row = constraints.row(c);
    group_.push_back(row.group);
    const std::size_t winner = data.row(row.group, row.winner), loser = data.row(row.group, row.loser);
    for (std::size_t j = 0; j < d_; ++j) {
      const Rational dx = data.token_factor.exact(winner * d_ + j) - data.token_factor.exact(loser * d_ + j);
      difference_.push_back(scale_by_power_of_two(Ball(dx, bits), -exponent));
    }
  }
  query_.reserve(groups_ * e_);
  for (std::size_t k = 0; k < groups_ * e_; ++k) query_.emplace_back(data.query_factor.exact(k), bits);
}

std::vector<Ball> PreciseRows::combination(const std::vector<std::size_t>& at,
                                           const std::vector<Ball>& value) const {
  std::vector<Ball> result(d_ * e_);
  std::vector<Ball> sum;
  for (std::size_t k = 0; k < at.size();) {
    const std::size_t group = group_[at[k]];
    sum.assign(d_, Ball());
    for (; k < at.size() && group_[at[k]] == group; ++k) {
      const Ball* dx = difference(at[k]);
      for (std::size_t a = 0; a < d_; ++a) add_product(sum[a], value[k], dx[a], bits_);
    }
    const Ball* z = query(group);
    for (std::size_t a = 0; a < d_; ++a) {
      for (std::size_t b = 0; b < e_; ++b) add_product(result[a * e_ + b], sum[a], z[b], bits_);
    }
  }
  return result;
}

std::vector<Ball> PreciseRows::margins_of_images(const std::vector<Ball>& image) const {
  std::vector<Ball> result;
  result.reserve(size());
  for (std::size_t c = 0; c < size(); ++c)
    result.push_back(dot({difference(c), d_}, {&image[group_[c] * d_], d_}, bits_));
  return result;
}

std::vector<Ball> PreciseRows::margins(const std::vector<Ball>& w) const {
  std::vector<Ball> image;
  image.reserve(groups_ * d_);
  for (std::size_t i = 0; i < groups_; ++i) {
    for (std::size_t a = 0; a < d_; ++a) image.push_back(dot({&w[a * e_], e_}, {query(i), e_}, bits_));
  }
  return margins_of_images(image);
}

std::vector<Ball> PreciseRows::margins(const std::vector<Ball>& k, const std::vector<Ball>& q,
                                       std::size_t rank) const {
  std::vector<Ball> image;
  image.reserve(groups_ * d_);
  for (std::size_t i = 0; i < groups_; ++i) {
    std::vector<Ball> inner(rank);
    for (std::size_t b = 0; b < e_; ++b) {
      for (std::size_t j = 0; j < rank; ++j) add_product(inner[j], query(i)[b], q[b * rank + j], bits_);
    }
    for (std::size_t a = 0; a < d_; ++a) image.push_back(dot({&k[a * rank], rank}, inner, bits_));
  }
  return margins_of_images(image);
}

Ball PreciseRows::sum_of_magnitudes(std::size_t c) const {
  Ball token, query_sum;
  for (std::size_t a = 0; a < d_; ++a) token = add(token, abs(difference(c)[a]), bits_);
  for (std::size_t b = 0; b < e_; ++b) query_sum = add(query_sum, abs(query(group_[c])[b]), bits_);
  return mul(token, query_sum, bits_);
}

void forget_radii(std::vector<Ball>& balls) {
  for (Ball& ball : balls) mag_zero(arb_radref(ball.raw()));
}

}  // namespace attest
