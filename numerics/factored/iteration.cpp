#include "numerics/factored/iteration.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/mirror/entry_errors.hpp"

namespace attest {
namespace {

// sum_k x[k xstep] y[k ystep], k < count.
Ball strided_dot(const Ball* x, std::size_t xstep, const Ball* y, std::size_t ystep, std::size_t count,
                 long bits) {
  Ball result;
  arb_dot(result.raw(), nullptr, 0, x->raw(), static_cast<slong>(xstep), y->raw(), static_cast<slong>(ystep),
          static_cast<slong>(count), bits);
  return result;
}

// Columns of a row-major matrix, and in the radius what their middles leave out.
FactorColumns columns_of(const ExactArray& matrix, std::size_t rows, std::size_t columns, long bits,
                         Ball& radius) {
  FactorColumns result(columns, std::vector<Ball>(rows));
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t c = 0; c < columns; ++c) {
      Ball& entry = result[c][j];
      entry = Ball(matrix.exact(j * columns + c), bits);
      mag_add(arb_radref(radius.raw()), arb_radref(radius.raw()), arb_radref(entry.raw()));
      mag_zero(arb_radref(entry.raw()));
    }
  }
  return result;
}

Ball norm_of(const FactorColumns& columns, long bits) {
  Ball sum;
  for (const std::vector<Ball>& column : columns) sum = add(sum, dot(column, column, bits), bits);
  return sqrt(sum, bits);
}

bool is_zero(const FactorColumns& columns) {
  for (const std::vector<Ball>& column : columns) {
    for (const Ball& entry : column) {
      if (arb_is_zero(entry.raw()) == 0) return false;
    }
  }
  return true;
}

// Middles as doubles. False unless every radius is below 2^-60 of the largest of them, or below 2^-900, which
// is nothing in a bound that is at least 1.
bool doubles(const std::vector<Ball>& balls, std::vector<double>& result) {
  result.clear();
  double largest = 0, widest = 0;
  for (const Ball& ball : balls) {
    result.push_back(ball.approx_mid());
    largest = std::max(largest, std::abs(result.back()));
    widest = std::max(widest, ball.radius_upper());
  }
  return std::isfinite(largest) && widest <= std::max(largest * 0x1p-60, 0x1p-900);
}

}  // namespace

FactoredIteration::FactoredIteration(const Features& features, const FactoredSpec& spec,
                                     const FactoredStart& start)
    : features_(features), spec_(spec), bound_(features) {
  left_ = columns_of(start.left, features.d, spec.rank, features.bits, radius_);
  right_ = columns_of(start.right, features.e, spec.rank, features.bits, radius_);
}

FactorColumns FactoredIteration::enclosed(const FactorColumns& columns, long bits) const {
  FactorColumns result = columns;
  for (std::vector<Ball>& column : result) {
    for (Ball& entry : column) {
      entry = round(entry, bits);
      mag_add(arb_radref(entry.raw()), arb_radref(entry.raw()), arb_radref(radius_.raw()));
    }
  }
  return result;
}

long FactoredIteration::correct_bits() const {
  if (mag_is_zero(arb_radref(radius_.raw()))) return 1L << 30;
  Ball size = norm_of(left_, 64);
  size = sqrt(add(square(size, 64), square(norm_of(right_, 64), 64), 64), 64);
  Ball radius;
  arf_set_mag(arb_midref(radius.raw()), arb_radref(radius_.raw()));
  const Ball bits = div(log(div(size, radius, 64), 64), log(Ball(2), 64), 64);
  return bits.is_finite() ? static_cast<long>(std::floor(bits.lower_double())) : 0;
}

std::vector<std::size_t> FactoredIteration::dominant() const {
  std::vector<std::size_t> tokens;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    tokens.push_back(features_.groups[i].tokens[weights_[i].dominant]);
  return tokens;
}

// Q'z_i and K'x_t, and from them all logits.
std::vector<std::vector<Ball>> FactoredIteration::images() {
  const std::size_t m = spec_.rank, groups = features_.groups.size();
  query_image_.assign(m * groups, Ball());
  token_image_.clear();
  std::vector<std::vector<Ball>> logits;
  for (std::size_t i = 0; i < groups; ++i) {
    const FeatureGroup& group = features_.groups[i];
    const std::size_t tokens = group.tokens.size();
    std::vector<Ball>& image = token_image_.emplace_back(m * tokens);
    for (std::size_t c = 0; c < m; ++c) {
      query_image_[c * groups + i] = dot(right_[c], group.query, bits_);
      for (std::size_t t = 0; t < tokens; ++t)
        image[c * tokens + t] =
            strided_dot(group.token.data() + t * features_.d, 1, left_[c].data(), 1, features_.d, bits_);
    }
    std::vector<Ball>& logit = logits.emplace_back();
    for (std::size_t t = 0; t < tokens; ++t)
      logit.push_back(strided_dot(image.data() + t, tokens, query_image_.data() + i, groups, m, bits_));
  }
  return logits;
}

IterationStatus FactoredIteration::evaluate(long bits) {
  bits_ = bits;
  const std::size_t m = spec_.rank, groups = features_.groups.size();
  if (groups == 0) return IterationStatus::stationary;
  weights_ = features_.weigh_logits(images(), spec_.steps.loss, bits_, true);
  // y_i = sum_t v_t x_t and h_i = K'y_i; V Q = sum y_i (Q'z_i)', V'K = sum z_i h_i'.
  std::vector<Ball> pulled(features_.d * groups), turned(m * groups);
  for (std::size_t i = 0; i < groups; ++i) {
    const FeatureGroup& group = features_.groups[i];
    const std::size_t tokens = group.tokens.size();
    const Ball* weight = weights_[i].weight.data();
    for (std::size_t j = 0; j < features_.d; ++j)
      pulled[j * groups + i] =
          strided_dot(weight, 1, group.token_transposed.data() + j * tokens, 1, tokens, bits_);
    for (std::size_t c = 0; c < m; ++c)
      turned[c * groups + i] = strided_dot(weight, 1, token_image_[i].data() + c * tokens, 1, tokens, bits_);
  }
  left_gradient_.assign(m, {});
  right_gradient_.assign(m, {});
  for (std::size_t c = 0; c < m; ++c) {
    for (std::size_t j = 0; j < features_.d; ++j)
      left_gradient_[c].push_back(
          strided_dot(pulled.data() + j * groups, 1, query_image_.data() + c * groups, 1, groups, bits_));
    for (std::size_t k = 0; k < features_.e; ++k)
      right_gradient_[c].push_back(strided_dot(features_.query_transposed.data() + k * groups, 1,
                                               turned.data() + c * groups, 1, groups, bits_));
  }
  const bool left_still = is_zero(left_gradient_), right_still = is_zero(right_gradient_);
  // A zero of the kept factors is one of the exact ones where those are exact.
  if (left_still && right_still && mag_is_zero(arb_radref(radius_.raw()))) return IterationStatus::stationary;
  left_norm_ = norm_of(left_gradient_, bits_);
  right_norm_ = norm_of(right_gradient_, bits_);
  step_size(eta_.raw(), spec_.steps, step_, bits_);
  left_factor_ = right_factor_ = eta_;
  if (!spec_.normalised) return IterationStatus::ok;
  if (left_still || right_still) {
    obstacle_ = "the gradient of one factor is zero: a normalised step is not defined";
    return IterationStatus::range;
  }
  left_factor_ = div(eta_, left_norm_, bits_);
  right_factor_ = div(eta_, right_norm_, bits_);
  return left_factor_.is_finite() && right_factor_.is_finite() ? IterationStatus::ok
                                                               : IterationStatus::precision;
}

bool FactoredIteration::describe(FactoredPoint& point) const {
  const std::size_t m = spec_.rank, groups = features_.groups.size();
  point.rank = m;
  point.normalised = spec_.normalised;
  point.eta = eta_.approx_mid();
  if (spec_.normalised) point.ratio = div(left_norm_, right_norm_, 80).approx_mid();
  point.query_image.resize(static_cast<Eigen::Index>(groups), static_cast<Eigen::Index>(m));
  point.token_image.resize(static_cast<Eigen::Index>(features_.coordinates), static_cast<Eigen::Index>(m));
  bool accurate = std::isfinite(point.ratio);
  std::vector<double> row;
  std::vector<Ball> balls;
  for (std::size_t i = 0; i < groups; ++i) {
    const FeatureGroup& group = features_.groups[i];
    const FeatureWeights& weights = weights_[i];
    const std::size_t tokens = group.tokens.size();
    balls.clear();
    for (const Ball& weight : weights.weight) balls.push_back(mul(left_factor_, weight, 80));
    accurate &= doubles(balls, point.weight.emplace_back());
    accurate &= doubles(weights.share, point.share.emplace_back());
    balls.clear();
    for (std::size_t t = 0; t < tokens; ++t) {
      const Ball gap = sub(group.score[weights.dominant], group.score[t], 80);
      balls.push_back(mul(weights.share[t], sub(weights.deficit, gap, 80), 80));
    }
    accurate &= doubles(balls, point.output.emplace_back());
    point.curvature.push_back(weights.ratio.approx_mid());
    accurate &= std::isfinite(point.curvature.back());
    const auto fill = [&](Eigen::MatrixXd& matrix, std::size_t at) {
      accurate &= doubles(balls, row);
      for (std::size_t c = 0; c < m; ++c)
        matrix(static_cast<Eigen::Index>(at), static_cast<Eigen::Index>(c)) = row[c];
    };
    balls.clear();
    for (std::size_t c = 0; c < m; ++c) balls.push_back(query_image_[c * groups + i]);
    fill(point.query_image, i);
    for (std::size_t t = 1; t < tokens; ++t) {
      balls.clear();
      for (std::size_t c = 0; c < m; ++c)
        balls.push_back(sub(token_image_[i][c * tokens + t], token_image_[i][c * tokens], 80));
      fill(point.token_image, group.first + t - 1);
    }
  }
  if (!spec_.normalised) return accurate;
  const auto direction = [&](const FactorColumns& gradient, const Ball& norm, Eigen::MatrixXd& result) {
    result.resize(static_cast<Eigen::Index>(gradient.front().size()), static_cast<Eigen::Index>(m));
    balls.clear();
    for (const std::vector<Ball>& column : gradient) {
      for (const Ball& entry : column) balls.push_back(div(entry, norm, 80));
    }
    accurate &= doubles(balls, row);
    std::copy(row.begin(), row.end(), result.data());  // column by column
  };
  direction(left_gradient_, left_norm_, point.left_direction);
  direction(right_gradient_, right_norm_, point.right_direction);
  return accurate;
}

// The kept factors one step on, and in noise_ the distance to the exact step from them.
bool FactoredIteration::move(bool entries) {
  mag_t square, sum;
  mag_init(square);
  mag_init(sum);
  bool finite = true;
  const auto along = [&](FactorColumns& columns, const FactorColumns& gradient, const Ball& factor) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t j = 0; j < columns[c].size(); ++j) {
        Ball& entry = columns[c][j];
        entry = add(entry, mul(factor, gradient[c][j], bits_), bits_);
        finite &= entry.is_finite();
        if (entries) continue;
        mag_mul(square, arb_radref(entry.raw()), arb_radref(entry.raw()));
        mag_add(sum, sum, square);
        mag_zero(arb_radref(entry.raw()));
      }
    }
  };
  along(left_, left_gradient_, left_factor_);
  along(right_, right_gradient_, right_factor_);
  mag_sqrt(arb_radref(noise_.raw()), sum);
  mag_clear(square);
  mag_clear(sum);
  ++step_;
  return finite;
}

IterationStatus FactoredIteration::advance() {
  const bool exact = mag_is_zero(arb_radref(radius_.raw())) != 0;
  if (!exact) {
    FactoredPoint point;
    if (!describe(point)) return IterationStatus::precision;
    const std::optional<double> bound = bound_(point, std::max(radius_.radius_upper(), 0x1p-900));
    if (!bound) return IterationStatus::precision;
    growth_bits_ += std::log2(*bound);
    mag_t factor;
    mag_init(factor);
    mag_set_d(factor, *bound);
    mag_mul(arb_radref(radius_.raw()), arb_radref(radius_.raw()), factor);
    mag_clear(factor);
  }
  if (!move()) return IterationStatus::precision;
  mag_add(arb_radref(radius_.raw()), arb_radref(radius_.raw()), arb_radref(noise_.raw()));
  return IterationStatus::ok;
}

IterationStatus FactoredIteration::advance_unproved(std::uint64_t stride) {
  if (step_ % stride == 0) {
    FactoredPoint point;
    const std::optional<double> bound = describe(point) ? bound_(point, 0x1p-900) : std::nullopt;
    if (bound) growth_bits_ += static_cast<double>(stride) * std::log2(*bound);
  }
  return move() ? IterationStatus::ok : IterationStatus::precision;
}

std::vector<std::vector<Ball>*> FactoredIteration::all_columns() {
  std::vector<std::vector<Ball>*> columns;
  for (FactorColumns* factor : {&left_, &right_}) {
    for (std::vector<Ball>& column : *factor) columns.push_back(&column);
  }
  return columns;
}

void FactoredIteration::enclose_entries() {
  left_ = enclosed(left_, features_.bits);
  right_ = enclosed(right_, features_.bits);
  mag_zero(arb_radref(radius_.raw()));
}

IterationStatus FactoredIteration::advance_entries() {
  return move(true) ? IterationStatus::ok : IterationStatus::precision;
}

double FactoredIteration::log2_entry_radius() const {
  double radius = -HUGE_VAL;
  for (const FactorColumns* factor : {&left_, &right_}) {
    for (const std::vector<Ball>& column : *factor) radius = std::max(radius, log2_radius(column));
  }
  return radius;
}

double FactoredIteration::log2_entry_size() const {
  double size = 0;
  for (const FactorColumns* factor : {&left_, &right_}) {
    for (const std::vector<Ball>& column : *factor) {
      for (const Ball& entry : column) size = std::max(size, std::abs(entry.approx_mid()));
    }
  }
  return std::log2(size);
}

void FactoredIteration::drop_radii() {
  for (std::vector<Ball>* column : all_columns()) make_exact(*column);
}

void FactoredIteration::widen_entries() {
  for (std::vector<Ball>* column : all_columns()) widen_for_pilot({column});
}

}  // namespace attest
