#include "numerics/joint/iteration.hpp"

#include <algorithm>
#include <cmath>

namespace attest {
namespace {

constexpr long error_bits = 64;       // of radii
constexpr long derivative_bits = 96;  // of what the derivative is made of

std::vector<Ball> balls_of(const ExactArray& array, std::size_t size, long bits) {
  std::vector<Ball> result(size);
  for (std::size_t k = 0; k < array.size(); ++k) result[k] = Ball(array.exact(k), bits);
  return result;
}

Ball norm_of(const std::vector<Ball>& x, long bits) {
  return sqrt(dot(x, x, bits), bits);
}

bool is_zero(const std::vector<Ball>& x) {
  return std::all_of(x.begin(), x.end(), [](const Ball& entry) { return arb_is_zero(entry.raw()) != 0; });
}

// An upper bound of x >= 0, exactly.
Ball raised(const Ball& x) {
  Ball result;
  arb_get_abs_ubound_arf(arb_midref(result.raw()), x.raw(), error_bits);
  return result;
}

Ball widened(const Ball& x, const Ball& radius) {
  Ball result = x;
  arb_add_error(result.raw(), radius.raw());
  return result;
}

// Makes x exact; what that moves it by is added to `square`, squared.
void settle(Ball& x, Ball& square) {
  Ball radius;
  arf_set_mag(arb_midref(radius.raw()), arb_radref(x.raw()));
  add_product(square, radius, radius, error_bits);
  mag_zero(arb_radref(x.raw()));
}

}  // namespace

Ball JointStep::at(std::uint64_t t, long bits) const {
  Ball size(step, bits);
  if (power == 0) return size;
  return mul(size, pow(Ball(Integer(t + 1)), Ball(power, bits), bits), bits);
}

JointTraining::JointTraining(const JointFeatures& features, const JointSpec& spec)
    : features_(features), spec_(spec) {
  bits_ = features.bits;
}

JointIteration::JointIteration(const JointFeatures& features, const JointSpec& spec, const JointStart& start)
    : JointTraining(features, spec), bound_(features), coordinates_(features.groups.size() * features.d) {
  const long bits = bits_;
  if (start.attention.size() > 0) start_ = balls_of(start.attention, features.d * features.e, bits);
  for (const JointGroup& group : features.groups) {
    for (std::size_t j = 0; j < features.d; ++j)
      start_image_.push_back(
          start_.empty() ? Ball() : dot({start_.data() + j * features.e, features.e}, group.query, bits));
  }
  decoder_ = balls_of(start.decoder, features.decoder_dimension, bits);
  Ball square;
  for (Ball& entry : decoder_) settle(entry, square);
  decoder_radius_ = raised(sqrt(square, error_bits));
}

Ball JointIteration::dot_or_zero(const std::vector<Ball>& x, const std::vector<Ball>& y) const {
  return x.empty() ? Ball() : dot(x, y, bits_);
}

// W~ z_i, logits, weights, and both gradients' parts.
void JointIteration::pull() {
  const std::size_t groups = features_.groups.size(), d = features_.d;
  const long bits = bits_;
  image_ = start_image_;
  logits_.assign(groups, {});
  for (std::size_t i = 0; i < groups; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      arb_dot(image_[i * d + j].raw(), start_image_[i * d + j].raw(), 0, coordinates_[j].raw(),
              static_cast<slong>(d), features_.query_gram[i * groups].raw(), 1, static_cast<slong>(groups),
              bits);
    const JointGroup& group = features_.groups[i];
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      logits_[i].push_back(dot({group.key.data() + t * d, d}, {image_.data() + i * d, d}, bits));
  }
  weights_ = features_.weigh(logits_, decoder_, spec_.loss, bits);
  pulled_.clear();
  decoder_velocity_.assign(features_.decoder_dimension, Ball());
  for (std::size_t i = 0; i < groups; ++i) {
    const JointGroup& group = features_.groups[i];
    const std::size_t tokens = group.tokens.size();
    for (std::size_t j = 0; j < d; ++j)
      pulled_.push_back(dot(weights_[i].weight, {group.key_transposed.data() + j * tokens, tokens}, bits));
    for (std::size_t j = 0; j < features_.decoder_dimension; ++j)
      add_product(decoder_velocity_[j], weights_[i].slope,
                  dot(weights_[i].share, {group.value_transposed.data() + j * tokens, tokens}, bits), bits);
  }
}

// tau of one step. A zero gradient has no direction, whatever the precision.
IterationStatus JointTraining::factor(const JointStep& step, const Ball& norm, bool still, const char* whose,
                                      Ball& factor) {
  factor = step.at(step_, bits_);
  if (!step.normalised) return IterationStatus::ok;
  if (still) {
    obstacle_ = std::string("the gradient of ") + whose + " is zero: a normalised step is not defined";
    return IterationStatus::range;
  }
  factor = div(factor, norm, bits_);
  return factor.is_finite() && certainly_positive(factor) ? IterationStatus::ok : IterationStatus::precision;
}

IterationStatus JointIteration::evaluate(long working_bits) {
  bits_ = working_bits;
  const std::size_t groups = features_.groups.size(), d = features_.d;
  const long bits = bits_;
  pull();
  over_.clear();
  // ||sum_i p_i z_i'||^2 = sum_ij <z_i,z_j> <p_i,p_j>.
  Ball square;
  for (std::size_t i = 0; i < groups; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const Ball part = mul(features_.query_gram[i * groups + j],
                            dot({pulled_.data() + i * d, d}, {pulled_.data() + j * d, d}, bits), bits);
      square = add(square, i == j ? part : scale_by_power_of_two(part, 1), bits);
    }
  }
  attention_norm_ = sqrt(square, bits);
  decoder_norm_ = norm_of(decoder_velocity_, bits);
  const bool attention_still = arb_is_zero(square.raw()) != 0, decoder_still = is_zero(decoder_velocity_);
  const bool exact = arb_is_zero(attention_radius_.raw()) != 0 && arb_is_zero(decoder_radius_.raw()) != 0;
  if (attention_still && decoder_still && exact) return IterationStatus::stationary;
  const IterationStatus attention =
      factor(spec_.attention, attention_norm_, attention_still, "the attention", attention_factor_);
  if (attention != IterationStatus::ok) return attention;
  return factor(spec_.decoder, decoder_norm_, decoder_still, "the decoder", decoder_factor_);
}

std::vector<Ball> JointIteration::decoder() const {
  std::vector<Ball> result;
  for (const Ball& entry : decoder_) result.push_back(widened(entry, decoder_radius_));
  return result;
}

std::vector<Ball> JointIteration::images() const {
  std::vector<Ball> result;
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const Ball radius =
        raised(mul(norm_of(features_.groups[i].query, error_bits), attention_radius_, error_bits));
    for (std::size_t j = 0; j < features_.d; ++j)
      result.push_back(widened(image_[i * features_.d + j], radius));
  }
  return result;
}

Ball JointIteration::norm_squared() const {
  // ||W~||^2 = ||W_0||^2 + sum_i <U_i, W~ z_i + W_0 z_i>.
  const long bits = bits_;
  Ball square = dot_or_zero(start_, start_);
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    add_product(square, coordinates_[k], add(image_[k], start_image_[k], bits), bits);
  const Ball norm = max(widened(sqrt(max(square, Ball(), bits), bits), attention_radius_), Ball(), bits);
  return mul(norm, norm, bits);
}

Ball JointIteration::along(const std::vector<Ball>& images_of, const Ball& start_product) const {
  return widened(add(start_product, dot(coordinates_, images_of, bits_), bits_), attention_radius_);
}

std::vector<JointWeights> JointIteration::weigh_ball() const {
  const std::size_t d = features_.d;
  const std::vector<Ball> image = images();
  std::vector<std::vector<Ball>> logits;
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    const JointGroup& group = features_.groups[i];
    std::vector<Ball>& logit = logits.emplace_back();
    for (std::size_t t = 0; t < group.tokens.size(); ++t)
      logit.push_back(dot({group.key.data() + t * d, d}, {image.data() + i * d, d}, derivative_bits));
  }
  return features_.weigh(logits, decoder(), spec_.loss, derivative_bits);
}

long JointIteration::correct_bits() const {
  long least = 1L << 30;
  const auto compare = [&](const Ball& radius, const Ball& norm) {
    if (arb_is_zero(radius.raw()) != 0) return;
    const Ball bits = div(log(div(norm, radius, 64), 64), log(Ball(2), 64), 64);
    least = std::min(least, bits.is_finite() ? static_cast<long>(std::floor(bits.lower_double())) : 0L);
  };
  compare(attention_radius_, sqrt(norm_squared(), 64));
  compare(decoder_radius_, norm_of(decoder_, 64));
  return least;
}

std::vector<std::size_t> JointTraining::dominant() const {
  std::vector<std::size_t> tokens;
  for (std::size_t i = 0; i < weights_.size(); ++i)
    tokens.push_back(features_.groups[i].tokens[weights_[i].dominant]);
  return tokens;
}

// The kept state one step on, and how far from the exact step of it.
IterationStatus JointIteration::move(Ball& attention_noise, Ball& decoder_noise) {
  const long bits = bits_;
  const std::size_t d = features_.d;
  bool finite = true;
  Ball noise;
  for (std::size_t i = 0; i < features_.groups.size(); ++i) {
    Ball square;
    for (std::size_t k = i * d; k < (i + 1) * d; ++k) {
      coordinates_[k] = add(coordinates_[k], mul(attention_factor_, pulled_[k], bits), bits);
      finite = finite && coordinates_[k].is_finite();
      settle(coordinates_[k], square);
    }
    noise =
        add(noise, mul(sqrt(square, error_bits), norm_of(features_.groups[i].query, error_bits), error_bits),
            error_bits);
  }
  attention_noise = raised(noise);
  Ball square;
  for (std::size_t j = 0; j < decoder_.size(); ++j) {
    decoder_[j] = add(decoder_[j], mul(decoder_factor_, decoder_velocity_[j], bits), bits);
    finite = finite && decoder_[j].is_finite();
    settle(decoder_[j], square);
  }
  decoder_noise = raised(sqrt(square, error_bits));
  ++step_;
  return finite ? IterationStatus::ok : IterationStatus::precision;
}

const std::vector<JointWeights>& JointIteration::over() const {
  if (over_.empty()) over_ = weigh_ball();
  return over_;
}

std::optional<JointDerivative> JointIteration::derivative() const {
  return bound_({&over(), round(attention_factor_, derivative_bits), round(decoder_factor_, derivative_bits),
                 spec_.attention.normalised, spec_.decoder.normalised,
                 spec_.attention.at(step_, derivative_bits), spec_.decoder.at(step_, derivative_bits)});
}

IterationStatus JointIteration::advance_unproved(std::uint64_t stride) {
  if (step_ % stride == 0) {
    const std::optional<JointDerivative> bound = derivative();
    if (bound) growth_bits_ += static_cast<double>(stride) * std::log2(bound->attention);
  }
  Ball attention_noise, decoder_noise;
  return move(attention_noise, decoder_noise);
}

IterationStatus JointIteration::advance() {
  std::optional<JointDerivative> bound = JointDerivative{};
  if (arb_is_zero(attention_radius_.raw()) == 0 || arb_is_zero(decoder_radius_.raw()) == 0) {
    bound = derivative();
    if (!bound) return IterationStatus::precision;
    growth_bits_ += std::log2(bound->attention);
  }
  Ball attention_noise, decoder_noise;
  if (move(attention_noise, decoder_noise) != IterationStatus::ok) return IterationStatus::precision;
  const auto next = [](double kept, const Ball& own, double from, const Ball& other, const Ball& noise) {
    Ball sum = mul(Ball(kept), own, error_bits);
    add_product(sum, Ball(from), other, error_bits);
    return raised(add(sum, noise, error_bits));
  };
  const Ball attention =
      next(bound->attention, attention_radius_, bound->from_decoder, decoder_radius_, attention_noise);
  decoder_radius_ =
      next(bound->decoder, decoder_radius_, bound->from_attention, attention_radius_, decoder_noise);
  attention_radius_ = attention;
  return IterationStatus::ok;
}

}  // namespace attest
