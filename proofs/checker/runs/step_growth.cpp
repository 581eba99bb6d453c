// Upper bound of a step's Jacobian: see step_growth.hpp, also for the letters of the lemmas.
#include "proofs/checker/runs/step_growth.hpp"

#include <algorithm>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/parallel.hpp"

namespace attest_check {
namespace {

constexpr Word one = Word{1} << word_point;
constexpr unsigned bits = 64;

// Errors in units, named where the lemmas derive them. Every count is doubled, which covers all products of
// two errors.
constexpr long doubled = 2;
constexpr long share_error = 4;     // of a softmax weight
constexpr long vector_error = 2;    // of V_i and q_i, in sqrt d
constexpr long centring_error = 5;  // of x~, in sqrt d, besides the softmax's
constexpr long product_error = 3;   // of omega (x~.q)

Interval exact_power(long exponent) {
  return Interval::between(1, 1, exponent, bits);
}
Interval negligible() {
  return exact_power(-24);
}  // of a curvature
Interval exact(WideWord x) {
  return Interval::between(word_integer(x), word_integer(x), -2 * word_point, bits);
}

// Of two upper bounds of the same number.
Interval least(const Interval& a, const Interval& b) {
  return certainly_less(a, b) ? a : b;
}

Word magnitude(Word x) {
  return x < 0 ? -x : x;
}

// The norm of a vector of words, rounded up.
Word norm(const Word* x, std::size_t count) {
  return word_root(word_dot(x, x, count));
}

// Sizes up to which a run's Jacobian is bounded.
constexpr std::size_t most_tokens = 1 << 12, most_dimension = 1 << 16, most_groups = 1 << 16;

// The least exponent e, about, with x <= 4^e y.
long half_exponent(const Integer& x, const Integer& y) {
  long e = (static_cast<long>(bit_length(x)) - static_cast<long>(bit_length(y))) / 2 - 2;
  while (Rational(x) > Rational(y) * scale_by_power_of_two(1, 2 * e)) ++e;
  return e;
}

// x / denominator over 2^exponent as a word, rounded down.
Word scaled(const Integer& x, const Integer& denominator, long exponent) {
  return word(exponent <= word_point
                  ? divide_floor(x << static_cast<mp_bitcnt_t>(word_point - exponent), denominator)
                  : divide_floor(x, denominator << static_cast<mp_bitcnt_t>(exponent - word_point)));
}

}  // namespace

StepGrowth::StepGrowth(const Features& features, const std::vector<std::size_t>& active)
    : features_(features),
      active_(active),
      left_(features.left_dimension()),
      right_(features.right_dimension()) {
  const Integer &tokens = features.tokens().denominator(), &queries = features.queries().denominator();
  Integer widest, longest;
  for (const std::size_t i : active) {
    for (std::size_t t = 1; t < features.tokens_of(i); ++t) {
      Integer sum;
      for (const Integer& x : features.tokens().difference(features.row(i, t), features.row(i, 0)))
        sum += x * x;
      widest = std::max(widest, sum);
    }
    longest = std::max(longest, features.queries().dot(i, features.queries(), i));
  }
  token_exponent_ = half_exponent(4 * widest, tokens * tokens);
  query_exponent_ = half_exponent(longest, queries * queries);
  for (const std::size_t i : active) {
    Group& group = groups_.emplace_back();
    group.first = rows_;
    group.tokens = features.tokens_of(i);
    rows_ += group.tokens;
    if (group.tokens > most_tokens || left_ > most_dimension || right_ > most_dimension ||
        active.size() > most_groups)
      too_large("a run with such large groups");
    group.error = doubled * (share_error * static_cast<long>(group.tokens) + centring_error * root_up(left_));
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (const Integer& x : features.tokens().difference(features.row(i, t), features.row(i, 0)))
        group.token.push_back(scaled(x, tokens, token_exponent_));
    }
    for (std::size_t k = 0; k < right_; ++k)
      group.query.push_back(scaled(features.queries().entry(i, k), queries, query_exponent_));
    const std::size_t own = groups_.size() - 1;
    for (std::size_t j = 0; j <= own && active.size() <= 2 * right_; ++j)
      group.gram.push_back(scaled_query_product(own, j));
    group.query_square = scaled_query_product(own, own) + 1;
  }
  centre_.resize(groups_.size() * left_);
  square_.resize(rows_);
  weight_.resize(rows_);
  reach_.resize(groups_.size());
  positive_ = negative_ = bent_ = reach_;
  curvature_.resize(groups_.size());
  curved_ = left_out_ = curvature_;
}

Word StepGrowth::scaled_query_product(std::size_t i, std::size_t j) const {
  const ScaledMatrix& queries = features_.queries();
  return scaled(queries.dot(active_[i], queries, active_[j]), queries.denominator() * queries.denominator(),
                2 * query_exponent_);
}

Word StepGrowth::query_product(std::size_t i, std::size_t j) const {
  if (groups_[i].gram.empty()) return scaled_query_product(i, j);
  return i < j ? groups_[j].gram[i] : groups_[i].gram[j];
}

// Where the losses bend strongly, scores differ by more than the words hold: one power of two is taken out of
// DV.
//
// Lemma G3 (scale). R_i = ||V^_i|| + E_v is at least ||V_i|| and ||V^_i||. DV over a power of two 2^c at
// least every kappa R_i that is not left out stands for DV: omega, rounded down once more but still within
// weight_error, and kappa are divided by it, stretch is multiplied. kappa_i V_i V_i' is left out where kappa
// R_i^2, or the bound `curved` of it, is at most 2^-24. B_i is always left out; the power of two is at least
// its bound, too.
void StepGrowth::scale(const GrowthPoint& point) {
  const long error_v = doubled * vector_error * root_up(left_);
  exponent_ = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    reach_[i] = norm(point.velocity.data() + i * left_, left_);
    add_word(reach_[i], error_v);
    const Interval bend = point.curvature[i] * units(reach_[i]);
    curved_[i] = least(bend * units(reach_[i]), point.curved[i]);
    if (!certainly_at_most(curved_[i], negligible())) exponent_ = std::max(exponent_, bend.top());
    left_out_[i] = point.outputs.empty() ? Interval(0) : output_part(i, point.outputs[i], point.share);
    exponent_ = std::max(exponent_, left_out_[i].top());
  }
  for (std::size_t row = 0; row < rows_; ++row) weight_[row] = point.weight[row] >> std::min(exponent_, 62L);
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    curvature_[i] = point.curvature[i] * exact_power(-exponent_);
    curved_[i] = curved_[i] * exact_power(-exponent_);
    left_out_[i] = left_out_[i] * exact_power(-exponent_);
  }
}

// Traces of the positive and the negative part of C_i.
//
// Lemma G4 (parts). Leaving out the terms of the other sign, DV <= sum_i C_i+ (x) z_i z_i' with C_i+ =
// sum_{omega<0} |omega| x~ x~' <= c_i I, c_i its trace, and -DV <= sum_i C_i- (x) z_i z_i' with C_i- =
// sum_{omega>0} omega x~ x~' + kappa V_i V_i' + B_i. An |omega| is at most its word plus weight_error; an
// omega whose word is within that of 0 counts for both signs. A larger omega or c_i only raises the bound.
void StepGrowth::bound_signed_parts() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    bent_[i] = word_above(curved_[i] + left_out_[i]);
    positive_[i] = 0;
    negative_[i] = bent_[i];
    for (std::size_t row = group.first; row < group.first + group.tokens; ++row) {
      const Word part = product_up(magnitude(weight_[row]) + weight_error, square_[row]);
      if (weight_[row] < weight_error) add_word(positive_[i], part);
      if (weight_[row] > -weight_error) add_word(negative_[i], part);
    }
  }
}

// DV[V] = sum_i h_i z_i', h_i = C_i q_i, q_i = V z_i.
//
// Lemma G5 (bend). V_i and q_i are off by E_v = E_q = vector_error sqrt d. Products are exact in wide words,
// sums are shifted down once, one unit a coordinate. h_i without the kappa part is off by 3 T + 2 E_x + E_q +
// sqrt d + 3: x~.q is off by E_x + E_q + 1, times omega by |omega| (E_x + E_q + 1) + product_error, and sum
// |omega| <= 1. The kappa part is off by (kappa (E_v + R_i E_q) + 4) R_i + kappa R_i E_v, or left out (Lemma
// G3). The matrix sum_i w_i z_i', w_i = h_i - rho V_i, is off by at most sum_i (error of h_i + |rho| E_v +
// sqrt d + ||w_i|| sqrt e) + sqrt d sqrt e; its norm is the root of an exact sum of squares. <DV[V], V> = sum
// h_i.q_i is off by sum (error of h_i + ||h_i|| E_q). (I - vv')Dv = (DV[V] - rho V)/||V||^2 for the Rayleigh
// quotient rho; any other rho only makes the norm larger. What is left out, B = sum B_i (x) z_i z_i', lies
// between 0 and l, the bound of Lemma G6 with those of the B_i: ||BV - (l/2) V|| <= (l/2) ||V||, so that rho
// - l/2 has no more than this in addition, and <BV, V> <= l ||V||^2.
StepGrowth::Bend StepGrowth::bend(const GrowthPoint& point) const {
  const std::size_t d = left_, n = groups_.size();
  const long root_d = root_up(d), root_e = root_up(right_);
  const long error_v = doubled * vector_error * root_d, error_q = error_v;
  std::vector<Word> bent(n * d);
  std::vector<Interval> error_h(n);
  for_parts([&](std::size_t begin, std::size_t end) {
    std::vector<Word> room;
    for (std::size_t i = begin; i < end; ++i) error_h[i] = bend_group(i, point, room, bent.data() + i * d);
  });
  const WideWord along = word_dot(bent.data(), point.image.data(), n * d);
  const WideWord square = word_dot(point.velocity.data(), point.image.data(), n * d);
  Word ratio = 0;
  if (square > 0) {
    const WideWord quotient = along / ((square >> word_point) + 1);
    if (quotient < WideWord{2} * one && quotient > WideWord{-2} * one) ratio = static_cast<Word>(quotient);
  }
  Word norms_w = 0, norms_h = 0;
  Interval errors;
  std::vector<Word> across(n * d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k)
      across[i * d + k] = bent[i * d + k] - product(ratio, point.velocity[i * d + k]);
    add_word(norms_w, norm(across.data() + i * d, d));
    add_word(norms_h, norm(bent.data() + i * d, d));
    errors += error_h[i];
  }
  const WideWord squares = squared_norm(across);
  const long count = static_cast<long>(n);
  const Interval error_across = errors + units(magnitude(ratio)) * units(count * error_v) +
                                units(count * root_d + root_d * root_e) + units(norms_w) * units(root_e);
  const Interval most = bound_left_out(), half = most / Interval(2);
  const Interval error_along = errors + units(norms_h) * units(error_q) + most * point.speed * point.speed;
  return {units(word_root(squares)) + error_across + half * point.speed,
          Interval::hull(exact(along) - error_along, exact(along) + error_along)};
}

// h_i into `bent`; returns its error.
Interval StepGrowth::bend_group(std::size_t i, const GrowthPoint& point, std::vector<Word>& room,
                                Word* bent) const {
  const std::size_t d = left_;
  const long root_d = root_up(d), error_v = doubled * vector_error * root_d, error_q = error_v;
  const Group& group = groups_[i];
  const Word *q = point.image.data() + i * d, *v = point.velocity.data() + i * d;
  std::vector<WideWord> sum(d);
  const Word* centred = centred_tokens(i, room);
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const Word* x = centred + t * d;
    const Word along = product(weight_[group.first + t], word_down(word_dot(x, q, d)));
    if (along == 0) continue;
    for (std::size_t k = 0; k < d; ++k) add_product(sum[k], -along, x[k]);
  }
  const long tokens = static_cast<long>(group.tokens);
  Interval error = units(doubled * (product_error * tokens + group.error + error_q + root_d + 3));
  if (certainly_at_most(curved_[i], negligible())) {
    error += curved_[i];
  } else {
    const Interval value = curvature_[i] * exact(word_dot(v, q, d));
    const Interval ev = units(error_v), eq = units(error_q), reach = units(reach_[i]);
    const Integer factor = value.floor_at(word_point);
    if (value.ceil_at(word_point) - factor > 2) throw Imprecise{};
    for (std::size_t k = 0; k < d; ++k) add_product(sum[k], -word(factor), v[k]);
    error += (curvature_[i] * (ev + reach * eq) + units(4)) * reach + curvature_[i] * reach * ev;
  }
  for (std::size_t k = 0; k < d; ++k) bent[k] = word_down(sum[k]);
  return error;
}

WideWord StepGrowth::squared_norm(const std::vector<Word>& rows) const {
  constexpr std::size_t least_products = 1 << 15;  // a part
  const std::size_t n = groups_.size();
  std::vector<WideWord> squares(left_);
  in_parts(left_, least_products / (n * right_ + 1) + 1, [&](std::size_t begin, std::size_t end) {
    std::vector<WideWord> row(right_);
    for (std::size_t k = begin; k < end; ++k) {
      std::fill(row.begin(), row.end(), 0);
      for (std::size_t i = 0; i < n; ++i) {
        const Word factor = rows[i * left_ + k];
        for (std::size_t b = 0; b < right_; ++b) add_product(row[b], factor, groups_[i].query[b]);
      }
      for (std::size_t b = 0; b < right_; ++b) {
        const Word entry = word_down(row[b]);
        add_product(squares[k], entry, entry);
      }
    }
  });
  WideWord sum = 0;
  for (const WideWord x : squares)
    if (__builtin_add_overflow(sum, x, &sum)) throw Imprecise{};
  return sum;
}

// Lemma G1 (Jacobian). With v = V/||V||, D = DV/||V||, s = tau ||V|| the step's Jacobian is that of the
// rule's file. DV is symmetric, between -under and above. With k = max(1 + s above/||V||, s under/||V|| - 1)
// and g = s ||(I - vv')Dv|| the norms there are in an orthonormal basis that starts with v, for the norm of a
// block matrix is at most that of the matrix of its blocks' norms.
Interval StepGrowth::operator()(const UpdateRule& rule, const GrowthPoint& point) {
  for (const std::vector<Word>* words : {&point.weight, &point.share, &point.velocity, &point.image}) {
    for (const Word x : *words)
      if (x > word_limit || x < -word_limit) throw Imprecise{};
  }
  centre(point);
  scale(point);
  bound_signed_parts();
  const Interval stretch = point.stretch * exact_power(exponent_);
  const Interval above = stretch * bound_by_groups(positive_), under = stretch * bound_negative_part(stretch);
  JacobianNumbers at;
  at.rest = maximum(Interval(1) + above, under - Interval(1)).upper_end();
  if (rule.divides) {
    if (!point.speed.positive()) throw Imprecise{};
    const Bend bent = bend(point);
    const Interval turning = stretch * bent.across / point.speed;
    at.turning_squared = (turning * turning).upper_end();
    at.step_size = point.step_size;
    at.rayleigh = stretch * bent.along / (point.speed * point.speed);
  }
  return rule.jacobian(at);
}

}  // namespace attest_check
