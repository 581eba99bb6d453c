// Upper bound of a step's Jacobian: see step_growth.hpp. The letters and error terms are those of RUNS.md section 4;
// errors are counted in units and doubled, which covers all products of two errors.
#include "proofs/checker/step_growth.hpp"

#include <algorithm>

#include "proofs/checker/failure.hpp"

namespace attest_check {
namespace {

using Word = std::int64_t;
__extension__ typedef __int128 Wide;

constexpr long point = 52;                  // one unit of a word is 2^-52
constexpr Word word_limit = Word{1} << 54;  // no word that is stored exceeds it, so 2^17 products fit a Wide
constexpr unsigned bits = 64;

Word down(Wide x) {
  const Wide y = x >> point;
  if (y > word_limit || y < -word_limit) throw Imprecise{};
  return static_cast<Word>(y);
}

Interval exact(const Integer& x, long exponent) { return Interval::between(x, x, exponent, bits); }
Interval units(const Interval& count) { return count * exact(1, -point); }

Integer integer(Wide x) {
  const bool negative = x < 0;
  const Wide size = negative ? -x : x;
  Integer value(static_cast<unsigned long>(size >> 64));
  value <<= 64;
  value += static_cast<unsigned long>(size & 0xffffffffffffffffULL);
  return negative ? Integer(-value) : value;
}

Wide dot(const Word* a, const Word* b, std::size_t count) {
  Wide sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += static_cast<Wide>(a[k]) * b[k];
  return sum;
}

// The square root of a sum of squared words, in units of 1.
Interval norm(Wide squares) { return square_root(exact(integer(squares), -2 * point)); }

Word word(const Integer& x) {
  if (!x.fits_slong_p() || x.get_si() > word_limit || x.get_si() < -word_limit) throw Imprecise{};
  return x.get_si();
}

// The word within two units of every member.
Word word(const Interval& x, long fraction_bits) {
  const Integer lo = x.floor_at(fraction_bits);
  if (x.ceil_at(fraction_bits) - lo > 2) throw Imprecise{};
  return word(lo);
}

long root_up(std::size_t x) { return static_cast<long>(Integer(sqrt(Integer(x))).get_si()) + 1; }

// The least exponent e, about, with x <= 4^e y.
long half_exponent(const Integer& x, const Integer& y) {
  long e = (static_cast<long>(bit_length(x)) - static_cast<long>(bit_length(y))) / 2 - 2;
  while (Rational(x) > Rational(y) * scale_by_power_of_two(1, 2 * e)) ++e;
  return e;
}

Interval least(const Interval& a, const Interval& b) { return -maximum(-a, -b); }

}  // namespace

StepGrowth::StepGrowth(const Features& features, const std::vector<std::size_t>& active)
    : left_(features.left_dimension()), right_(features.right_dimension()) {
  const Integer &tokens = features.tokens().denominator(), &queries = features.queries().denominator();
  Integer widest, longest;
  for (const std::size_t i : active) {
    for (std::size_t t = 1; t < features.tokens_of(i); ++t) {
      Integer sum;
      for (const Integer& x : features.tokens().difference(features.row(i, t), features.row(i, 0))) sum += x * x;
      widest = std::max(widest, sum);
    }
    longest = std::max(longest, features.queries().dot(i, features.queries(), i));
  }
  token_exponent_ = half_exponent(4 * widest, tokens * tokens);
  query_exponent_ = half_exponent(longest, queries * queries);
  const auto scaled = [](const Integer& x, const Integer& denominator, long exponent) {
    return exponent <= point ? divide_floor(x << static_cast<mp_bitcnt_t>(point - exponent), denominator)
                             : divide_floor(x, denominator << static_cast<mp_bitcnt_t>(exponent - point));
  };
  for (const std::size_t i : active) {
    Group& group = groups_.emplace_back();
    group.tokens = features.tokens_of(i);
    if (group.tokens > 4096 || left_ > 65536 || right_ > 65536 || active.size() > 65536) too_large("a run with such large groups");
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (const Integer& x : features.tokens().difference(features.row(i, t), features.row(i, 0)))
        group.rows.push_back(word(scaled(x, tokens, token_exponent_)));
    }
    for (std::size_t k = 0; k < right_; ++k)
      group.query.push_back(word(scaled(features.queries().entry(i, k), queries, query_exponent_)));
    for (const std::size_t j : active) {
      group.gram.push_back(word(scaled(features.queries().dot(i, features.queries(), j), queries * queries,
                                       2 * query_exponent_)));
    }
    group.query_square = word(scaled(features.queries().dot(i, features.queries(), i), queries * queries,
                                     2 * query_exponent_)) + 1;
  }
}

Interval StepGrowth::operator()(Rule rule, const GrowthPoint& at) const {
  const std::size_t d = left_, n = groups_.size();
  const long root_d = root_up(d), root_e = root_up(right_);
  Interval mass;  // sum |omega|
  for (const auto& group : *at.omega) {
    for (const Interval& x : group) mass += absolute(x).rounded(bits);
  }
  const Rational top = mass.upper();
  if (top == 0) return Interval(1);  // V and its derivative vanish on the whole set
  const long unit = static_cast<long>(bit_length(top.get_num())) - static_cast<long>(bit_length(top.get_den())) + 1;

  // Words of every group: x_t (centred tokens), omega, V_i; and pos, neg of the trace bounds.
  std::vector<std::vector<Word>> centred(n), omega(n);
  std::vector<Word> velocity(n * d), image(n * d), bent(n * d);
  std::vector<Interval> reach(n), curvature(n);  // M_i and kappa_i in scaled units
  std::vector<long> error_x(n);
  long error_v = 0;
  Interval above, under;
  for (std::size_t i = 0; i < n; ++i) {
    const Group& group = groups_[i];
    const GroupAttention& attention = (*at.attention)[i];
    const std::size_t tokens = group.tokens, reference = attention.reference;
    const long count = static_cast<long>(tokens);
    centred[i].resize(tokens * d);
    omega[i].resize(tokens);
    std::vector<Wide> mean(d);
    for (std::size_t t = 0; t < tokens; ++t) {
      const Interval& exact_omega = (*at.omega)[i][t];
      omega[i][t] = word(exact_omega, point - unit);
      reach[i] += absolute(exact_omega).rounded(bits) * exact(1, -unit);
      const Word share = t == reference ? 0 : word(attention.share[t], point);
      for (std::size_t k = 0; k < d; ++k) {
        centred[i][t * d + k] = group.rows[t * d + k] - group.rows[reference * d + k];
        mean[k] += static_cast<Wide>(share) * centred[i][t * d + k];
      }
    }
    error_x[i] = 2 * (2 * count + 4) * root_d;
    error_v = std::max(error_v, 2 * (2 * count + error_x[i] + root_d + 1));
    curvature[i] = at.curvature[i] * exact(1, unit);
    Interval positive, negative;
    std::vector<Wide> sum(d);
    for (std::size_t t = 0; t < tokens; ++t) {
      Word* x = centred[i].data() + t * d;
      for (std::size_t k = 0; k < d; ++k) {
        x[k] -= down(mean[k]);
        sum[k] -= static_cast<Wide>(omega[i][t]) * x[k];
      }
      const Interval square = exact(integer(dot(x, x, d)), -2 * point) + units(3 * error_x[i]);
      const Interval weight = units(Interval((omega[i][t] < 0 ? -omega[i][t] : omega[i][t]) + 2));
      if (omega[i][t] < 2) positive += weight * square;
      if (omega[i][t] > -2) negative += weight * square;
    }
    for (std::size_t k = 0; k < d; ++k) velocity[i * d + k] = down(sum[k]);
    const Word* v = velocity.data() + i * d;
    const Interval size = least(reach[i], norm(dot(v, v, d)) + units(error_v));
    const Interval query = units(Interval(group.query_square));
    above += query * positive;
    under += query * (negative + curvature[i] * size * size);
  }
  // lmax and -lmin of the derivative of V.
  const Interval scale = exact(1, unit + 2 * token_exponent_ + 2 * query_exponent_);
  if (rule == Rule::gd) {
    return maximum(Interval(1) + at.step_size * scale * above, at.step_size * scale * under - Interval(1)).upper_end();
  }

  // q_i = V z_i.
  const long error_q = 2 * (static_cast<long>(n) * error_v + root_d + 2);
  if (error_q > (1L << 30)) too_large("a run with so many groups and tokens");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      Wide sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += static_cast<Wide>(groups_[i].gram[j]) * velocity[j * d + k];
      image[i * d + k] = down(sum);
    }
  }
  // h_i = C_i q_i and its error.
  std::vector<Interval> error_h(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Group& group = groups_[i];
    const Word *q = image.data() + i * d, *v = velocity.data() + i * d;
    std::vector<Wide> sum(d);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const Word* x = centred[i].data() + t * d;
      const Word along = down(static_cast<Wide>(omega[i][t]) * down(dot(x, q, d)));
      for (std::size_t k = 0; k < d; ++k) sum[k] -= static_cast<Wide>(along) * x[k];
    }
    error_h[i] = units(2 * (3 * static_cast<long>(group.tokens) + 2 * error_x[i] + error_q + root_d + 3));
    const Interval bound = curvature[i] * reach[i] * reach[i];
    if (certainly_at_most(bound, exact(1, -24))) {
      error_h[i] += bound;
    } else {
      const Interval value = curvature[i] * exact(integer(dot(v, q, d)), -2 * point);
      const Interval ev = units(error_v), eq = units(error_q);
      const Word factor = word(value.floor_at(point));
      const Interval error_c = curvature[i] * (ev + (reach[i] + ev) * eq) + units(4);
      for (std::size_t k = 0; k < d; ++k) sum[k] -= static_cast<Wide>(factor) * v[k];
      error_h[i] += error_c * (reach[i] + ev) + curvature[i] * reach[i] * ev;
    }
    for (std::size_t k = 0; k < d; ++k) bent[i * d + k] = down(sum[k]);
  }
  // w_i = h_i - ratio V_i for about the Rayleigh quotient; any ratio gives an upper bound of the part across V.
  const Wide along = dot(bent.data(), image.data(), n * d), square = dot(velocity.data(), image.data(), n * d);
  Word ratio = 0;
  if (square > 0) {
    const Integer quotient = divide_floor(integer(along) << point, integer(square));
    if (bit_length(quotient) < 53) ratio = quotient.get_si();
  }
  const Interval ratio_size = units(Interval(ratio < 0 ? -ratio : ratio));
  std::vector<Wide> row(right_);
  std::vector<Word> across(n * d);
  Interval error_m = units(root_d * root_e), error_along;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k)
      across[i * d + k] = bent[i * d + k] - down(static_cast<Wide>(ratio) * velocity[i * d + k]);
    const Word *w = across.data() + i * d, *h = bent.data() + i * d;
    error_m += error_h[i] + ratio_size * units(error_v) + units(root_d) + norm(dot(w, w, d)) * units(root_e);
    error_along += error_h[i] + norm(dot(h, h, d)) * units(error_q);
  }
  Wide squares = 0;
  for (std::size_t k = 0; k < d; ++k) {
    std::fill(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t b = 0; b < right_; ++b) row[b] += static_cast<Wide>(across[i * d + k]) * groups_[i].query[b];
    }
    for (std::size_t b = 0; b < right_; ++b) {
      const Word entry = down(row[b]);
      squares += static_cast<Wide>(entry) * entry;
    }
  }
  const Interval lengths = exact(1, token_exponent_ + query_exponent_);
  const Interval speed = at.velocity_norm * exact(1, -unit - token_exponent_ - query_exponent_);
  if (!speed.positive()) throw Imprecise{};
  const Interval turning = at.step_length * lengths * (norm(squares) + error_m) / (speed * speed);
  const Interval stretch = at.step_length * scale / at.velocity_norm;
  const Interval rest = maximum(Interval(1) + stretch * above, stretch * under - Interval(1)).upper_end();
  const Interval g2 = (turning * turning).upper_end();
  if (rule == Rule::ngd) {
    const Interval minus = rest - Interval(1), plus = rest + Interval(1);
    const Interval root = square_root((g2 + minus * minus) * (g2 + plus * plus));
    return square_root((Interval(1) + g2 + rest * rest + root) / Interval(2)).upper_end();
  }
  const Interval inner = exact(integer(along), -2 * point);
  const Interval rayleigh =
      at.step_length * lengths * Interval::hull(inner - error_along, inner + error_along) / (speed * speed * speed);
  const Interval corner = absolute(Interval(1) - at.step_size - rayleigh).upper_end();
  const Interval difference = corner - rest;
  return ((corner + rest + square_root(difference * difference + Interval(4) * g2)) / Interval(2)).upper_end();
}

}  // namespace attest_check
