// Smoothness constant T6 with outward rounding; see smoothness.hpp.
#include "numerics/smoothness.hpp"

#include <arb.h>
#include <flint/fmpq.h>

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr slong precision = 128;

// One ball; the few operations needed here.
class Ball {
 public:
  Ball() { arb_init(value_); }
  explicit Ball(const Rational& exact) : Ball() {
    fmpq_t fraction;
    fmpq_init(fraction);
    fmpq_set_mpq(fraction, exact.backend().data());
    arb_set_fmpq(value_, fraction, precision);
    fmpq_clear(fraction);
  }
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }
  arb_ptr get() { return value_; }

 private:
  arb_t value_;
};

// |l'| and l'' at their largest over scores in [lowest, highest].
struct DerivativeBounds {
  Ball first, second;
};

// 1 / (1 + e^u) and e^u / (1 + e^u)^2.
void logistic_derivatives(const Rational& at, Ball* first, Ball* second) {
  Ball below(at);
  arb_neg(below.get(), below.get());
  Ball sigmoid_up, sigmoid_down;  // 1/(1+e^-u), 1/(1+e^u)
  arb_exp(sigmoid_up.get(), below.get(), precision);
  arb_add_ui(sigmoid_up.get(), sigmoid_up.get(), 1, precision);
  arb_inv(sigmoid_up.get(), sigmoid_up.get(), precision);
  arb_neg(below.get(), below.get());
  arb_exp(sigmoid_down.get(), below.get(), precision);
  arb_add_ui(sigmoid_down.get(), sigmoid_down.get(), 1, precision);
  arb_inv(sigmoid_down.get(), sigmoid_down.get(), precision);
  if (first != nullptr) *first = sigmoid_down;
  if (second != nullptr) arb_mul(second->get(), sigmoid_up.get(), sigmoid_down.get(), precision);
}

DerivativeBounds derivative_bounds(Loss loss, const Rational& lowest, const Rational& highest) {
  DerivativeBounds bounds;
  switch (loss) {
    case Loss::correlation:  // l = -u
      arb_one(bounds.first.get());
      break;
    case Loss::exponential: {  // l = e^-u, decreasing derivatives
      Ball at(lowest);
      arb_neg(at.get(), at.get());
      arb_exp(bounds.first.get(), at.get(), precision);
      bounds.second = bounds.first;
      break;
    }
    case Loss::logistic: {  // |l'| decreasing, l'' even and decreasing away from 0
      logistic_derivatives(lowest, &bounds.first, nullptr);
      const Rational nearest = lowest > 0 ? lowest : highest < 0 ? highest : Rational(0);
      logistic_derivatives(nearest, nullptr, &bounds.second);
      break;
    }
  }
  return bounds;
}

// An upper bound of the largest squared distance of two token rows of a group: in doubles, whose relative error is
// below (width + 8) 2^-52 because nothing cancels after the differences, or exactly.
Rational largest_squared_distance(const TokenData& data, std::size_t group) {
  const std::size_t width = data.left_dimension, rows = data.tokens(group);
  if (data.token_factor.is_binary64()) {
    const double* first = data.token_factor.binary64().data() + data.first_row[group] * width;
    double largest = 0;
    for (std::size_t s = 0; s < rows; ++s) {
      for (std::size_t t = s + 1; t < rows; ++t) {
        double sum = 0;
        for (std::size_t j = 0; j < width; ++j) {
          const double difference = first[s * width + j] - first[t * width + j];
          sum += difference * difference;
        }
        largest = std::max(largest, sum);
      }
    }
    // 2^-1074 a term covers underflowing squares.
    const double bound = largest * (1 + static_cast<double>(width + 8) * 0x1p-52) +
                         static_cast<double>(width + 1) * 0x1p-1074;
    if (std::isfinite(bound)) return Rational(bound);
  }
  Rational largest = 0;
  for (std::size_t s = 0; s < rows; ++s) {
    for (std::size_t t = s + 1; t < rows; ++t) {
      Rational sum = 0;
      for (std::size_t j = 0; j < width; ++j) {
        const Rational difference = data.token_factor.exact(data.row(group, s) * width + j) -
                                    data.token_factor.exact(data.row(group, t) * width + j);
        sum += difference * difference;
      }
      if (sum > largest) largest = sum;
    }
  }
  return largest;
}

// The upper end of a positive ball, with relative slack 2^-30, as a dyadic of at most 64 bits.
std::optional<Rational> round_up(Ball& ball) {
  Ball slack;
  arb_set_ui(slack.get(), 1);
  arb_mul_2exp_si(slack.get(), slack.get(), -30);
  arb_add_ui(slack.get(), slack.get(), 1, precision);
  arb_mul(ball.get(), ball.get(), slack.get(), precision);
  if (!arb_is_finite(ball.get())) return std::nullopt;
  arf_t upper;
  arf_init(upper);
  arb_get_ubound_arf(upper, ball.get(), 64);
  Rational result;
  const bool representable = arf_cmpabs_2exp_si(upper, 60000) < 0 && (arf_is_zero(upper) || arf_cmpabs_2exp_si(upper, -60000) > 0);
  if (representable) {
    fmpq_t fraction;
    fmpq_init(fraction);
    arf_get_fmpq(fraction, upper);
    fmpq_get_mpq(result.backend().data(), fraction);
    fmpq_clear(fraction);
  }
  arf_clear(upper);
  return representable ? std::optional<Rational>(result) : std::nullopt;
}

}  // namespace

const char* name(Loss loss) {
  return loss == Loss::logistic ? "logistic" : loss == Loss::exponential ? "exponential" : "correlation";
}

std::optional<Loss> parse_loss(std::string_view word) {
  for (const Loss loss : {Loss::logistic, Loss::exponential, Loss::correlation}) {
    if (word == name(loss)) return loss;
  }
  return std::nullopt;
}

std::optional<Rational> smoothness_constant(const TokenData& data, Loss loss) {
  Ball total, sixth_root;
  arb_sqrt_ui(sixth_root.get(), 3, precision);
  arb_mul_ui(sixth_root.get(), sixth_root.get(), 6, precision);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.tokens(i) < 2) continue;
    Rational lowest = data.score(i, 0), highest = lowest;
    for (std::size_t t = 1; t < data.tokens(i); ++t) {
      lowest = std::min(lowest, data.score(i, t));
      highest = std::max(highest, data.score(i, t));
    }
    const Rational spread = highest - lowest;
    if (spread == 0) continue;
    DerivativeBounds bounds = derivative_bounds(loss, lowest, highest);
    const Rational query = exact_dot(data.query_factor, i, data.query_factor, i, data.right_dimension);
    Ball spread_ball(spread), distance(query * largest_squared_distance(data, i)), term;
    arb_mul(term.get(), bounds.first.get(), spread_ball.get(), precision);
    arb_div(term.get(), term.get(), sixth_root.get(), precision);
    Ball second;
    arb_sqr(second.get(), spread_ball.get(), precision);
    arb_mul(second.get(), second.get(), bounds.second.get(), precision);
    arb_mul_2exp_si(second.get(), second.get(), -4);
    arb_add(term.get(), term.get(), second.get(), precision);
    arb_addmul(total.get(), term.get(), distance.get(), precision);
  }
  arb_div_ui(total.get(), total.get(), data.groups(), precision);
  return round_up(total);
}

}  // namespace attest
