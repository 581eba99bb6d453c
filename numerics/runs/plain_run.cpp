#include "numerics/runs/plain_run.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/problem/loss_law.hpp"
#include "numerics/runs/plain_step.hpp"

namespace attest {
namespace {

// The step of which a rule scales the length.
template <typename Real>
struct StepOf;
template <>
struct StepOf<double> {
  using Type = DoubleStep;
};
template <>
struct StepOf<Mpfr> {
  using Type = MpfrStep;
};

template <typename Real>
Real from_rational(const Rational& x) {
  return Real(numerator(x)) / Real(denominator(x));
}
template <>
double from_rational<double>(const Rational& x) {
  return mpq_get_d(x.backend().data());
}

bool finite(double x) {
  return std::isfinite(x);
}
bool finite(const Mpfr& x) {
  return boost::multiprecision::isfinite(x);
}

}  // namespace

template <typename Real>
PlainRun<Real>::PlainRun(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                         GradientForm form)
    : geometry_(&geometry), spec_(spec), form_(form) {
  const TokenData& data = *geometry.data;
  const std::size_t n = geometry.groups.size(), d = geometry.dimension, e = geometry.query_dimension;
  for (const RunGroup& group : geometry.groups) {
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (std::size_t j = 0; j < d; ++j) {
        tokens_.push_back(from_rational<Real>(data.token_factor.exact(data.row(group.original, t) * d + j)));
      }
      scores_.push_back(from_rational<Real>(geometry.scores[group.first_row + t]));
      if (data.offsets) {
        const Ball value = data.present(group.original, t)
                               ? data.offsets->log_multiplicity(data.row(group.original, t), 256)
                               : Ball();
        log_multiplicity_.push_back(from_rational<Real>(value.lower()));
      }
      for (std::size_t u = 0; geometry.outputs != nullptr && u < geometry.outputs->width; ++u)
        outputs_.push_back(from_rational<Real>(geometry.outputs->value(data.row(group.original, t), u)));
    }
  }
  std::vector<Real>& queries = queries_;
  for (const RunGroup& group : geometry.groups) {
    for (std::size_t k = 0; k < e; ++k) {
      queries.push_back(from_rational<Real>(data.query_factor.exact(group.original * e + k)));
    }
  }
  // Products of all pairs of groups only where they are fewer than the queries' entries, about.
  if (n <= 2 * e) gram_.assign(n * n, Real(0));
  start_image_.assign(n * d, Real(0));
  for (std::size_t i = 0; i < n && !gram_.empty(); ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < e; ++k) gram_[i * n + j] += queries[i * e + k] * queries[j * e + k];
    }
  }
  for (std::size_t k = 0; k < start.size(); ++k) {
    const Real entry = from_rational<Real>(start.exact(k));
    start_norm_squared_ += entry * entry;
    for (std::size_t i = 0; i < n; ++i) start_image_[i * d + k / e] += entry * queries[i * e + k % e];
  }
  position_.assign(n * d, Real(0));
  image_ = start_image_;
  velocity_ = velocity_z_ = position_;
  margin_.assign(geometry.rows, Real(0));
  attention_ = margin_;
  reference_.assign(n, 0);
  total_.assign(n, Real(0));
  deficit_ = slope_ = total_;
}

template <typename Real>
PlainRun<Real>::~PlainRun() = default;

template <typename Real>
Real PlainRun<Real>::take_margins() {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension;
  Real least = -1;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    std::size_t best = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      Real& logit = margin_[group.first_row + t];
      logit = 0;
      const Real* x = tokens_.data() + (group.first_row + t) * d;
      for (std::size_t j = 0; j < d; ++j) logit += x[j] * image_[i * d + j];
      if (!log_multiplicity_.empty()) {
        if (geometry.multiplicities[group.first_row + t] == 0) continue;
        logit += log_multiplicity_[group.first_row + t];
      }
      if (logit > margin_[group.first_row + best]) best = t;
    }
    reference_[i] = best;
    const Real top = margin_[group.first_row + best];
    for (std::size_t t = 0; t < group.tokens; ++t) {
      Real& margin = margin_[group.first_row + t];
      margin = top - margin;
      if (t != best && geometry.multiplicities[group.first_row + t] > 0 && (least < 0 || margin < least))
        least = margin;
    }
  }
  return least;
}

template <typename Real>
void PlainRun<Real>::attend(std::size_t i, const Real& least) {
  using std::exp;
  const RunGeometry& geometry = *geometry_;
  const Real weight = Real(1) / Real(static_cast<double>(geometry.data->groups()));
  const RunGroup& group = geometry.groups[i];
  const std::size_t top = group.first_row + reference_[i];
  Real sum = 0, moment = 0;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const std::size_t row = group.first_row + t;
    const std::uint64_t multiplicity = geometry.multiplicities[row];
    attention_[row] = row == top || multiplicity == 0 ? Real(0) : Real(exp(least - margin_[row]));
    if (multiplicity > 1) attention_[row] *= static_cast<double>(multiplicity);
    sum += attention_[row];
    moment += attention_[row] * (scores_[top] - scores_[row]);
  }
  total_[i] = static_cast<double>(geometry.multiplicities[top]) + scale_ * sum;
  if (geometry.outputs != nullptr) {
    slope_[i] = score_by_outputs(i, total_[i]);
    moment = 0;
    for (std::size_t row = group.first_row; row < group.first_row + group.tokens; ++row)
      moment += attention_[row] * (scores_[top] - scores_[row]);
  }
  deficit_[i] = scale_ * moment / total_[i];
  max_unselected_ = std::max(max_unselected_, Real(scale_ * sum / total_[i]));
  if (geometry.outputs != nullptr) return;
  const Real best = scores_[group.first_row + group.best_token];
  loss_gap_ += weight * loss_gap<Real>(spec_.loss, best, deficit_[i] + (best - scores_[top]));
}

template <typename Real>
Real PlainRun<Real>::take_slopes() {
  using std::exp;
  if (geometry_->outputs != nullptr) return 0;
  constexpr double most = 100;  // squares of e^most and of its inverse are numbers
  const std::size_t n = geometry_->groups.size();
  std::vector<Real> outputs(n);
  for (std::size_t i = 0; i < n; ++i)
    outputs[i] = scores_[geometry_->groups[i].first_row + reference_[i]] - deficit_[i];
  Real largest = 0;
  if (form_ == GradientForm::cancellation_free &&
      (spec_.loss == Loss::logistic || spec_.loss == Loss::exponential)) {
    for (std::size_t i = 0; i < n; ++i) {
      const Real slope = log_loss_slope<Real>(spec_.loss, outputs[i]);
      if (i == 0 || slope > largest) largest = slope;
    }
  }
  const bool apart = largest > most || largest < -most;
  for (std::size_t i = 0; i < n; ++i) {
    slope_[i] = apart ? Real(exp(log_loss_slope<Real>(spec_.loss, outputs[i]) - largest))
                      : loss_slope<Real>(spec_.loss, outputs[i]);
  }
  return apart ? largest : Real(0);
}

template <typename Real>
void PlainRun<Real>::push(std::size_t i) {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension;
  const Real weight = Real(1) / Real(static_cast<double>(geometry.data->groups()));
  const RunGroup& group = geometry.groups[i];
  const std::size_t top = group.first_row + reference_[i];
  Real* velocity = velocity_.data() + i * d;
  std::fill(velocity, velocity + d, Real(0));
  if (form_ == GradientForm::cancellation_free) {
    const Real factor = weight * slope_[i] / total_[i];
    const Real* x_top = tokens_.data() + top * d;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      if (row == top) continue;
      const Real omega = factor * attention_[row] * (scores_[top] - scores_[row] - deficit_[i]);
      const Real* x = tokens_.data() + row * d;
      for (std::size_t j = 0; j < d; ++j) velocity[j] += omega * (x_top[j] - x[j]);
    }
  } else {
    Real f = 0;
    attention_[top] = static_cast<double>(geometry.multiplicities[top]);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      attention_[group.first_row + t] /= total_[i];
      f += attention_[group.first_row + t] * scores_[group.first_row + t];
    }
    const Real factor = weight * (geometry.outputs == nullptr ? loss_slope<Real>(spec_.loss, f) : slope_[i]);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      const Real omega = factor * attention_[row] * (scores_[row] - f);
      for (std::size_t j = 0; j < d; ++j) velocity[j] += omega * tokens_[row * d + j];
    }
  }
}

template <typename Real>
void PlainRun<Real>::evaluate() {
  using std::exp;
  using std::sqrt;
  if (evaluated_) return;
  evaluated_ = true;
  Real least = take_margins();
  if (form_ == GradientForm::textbook) least = 0;
  scale_ = exp(-least);
  loss_gap_ = 0;
  max_unselected_ = 0;
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) attend(i, least);
  const Real shift = take_slopes();
  unit_ = shift == 0 ? scale_ : Real(scale_ * exp(shift));
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) push(i);
  query_images(velocity_, velocity_z_);
  Real square = 0;
  for (std::size_t k = 0; k < velocity_.size(); ++k) square += velocity_z_[k] * velocity_[k];
  velocity_norm_ = square > 0 ? Real(sqrt(square)) : Real(0);
}

// The scores that the head of several outputs amounts to at this point, and its slope; adds to the loss gap,
// that to all attention on the best tokens.
template <typename Real>
Real PlainRun<Real>::score_by_outputs(std::size_t i, const Real& total) {
  const RunGroup& group = geometry_->groups[i];
  const OutputTable& table = *geometry_->outputs;
  const std::size_t width = table.width, top = (group.first_row + reference_[i]) * width,
                    best = (group.first_row + group.best_token) * width;
  std::vector<Real> means(width), share(width), limit(width);
  for (std::size_t u = 0; u < width; ++u) {
    Real shift = 0;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      const std::size_t row = group.first_row + t;
      shift += attention_[row] * (outputs_[row * width + u] - outputs_[top + u]);
    }
    means[u] = outputs_[top + u] + scale_ * shift / total;
    limit[u] = outputs_[best + u];
  }
  const Real weight = Real(1) / Real(static_cast<double>(geometry_->data->groups()));
  loss_gap_ += weight * (plain_output_loss(table, group.original, spec_.loss, means) -
                         plain_output_loss(table, group.original, spec_.loss, limit));
  Real slope = plain_output_slopes(table, group.original, spec_.loss, means, share);
  for (std::size_t row = group.first_row; row < group.first_row + group.tokens; ++row) {
    scores_[row] = 0;
    for (std::size_t u = 0; u < width; ++u) scores_[row] -= share[u] * outputs_[row * width + u];
  }
  return slope;
}

// result_i = (sum_k v_k z_k') z_i for vectors v_k of length d. Numbers that lie one behind the other are
// added to at a time, each in the order of its sum.
template <typename Real>
void PlainRun<Real>::query_images(const std::vector<Real>& v, std::vector<Real>& result) const {
  const std::size_t n = geometry_->groups.size(), d = geometry_->dimension, e = geometry_->query_dimension;
  const auto add = [d](Real* to, const Real& factor, const Real* from) {
    for (std::size_t j = 0; j < d; ++j) to[j] += factor * from[j];
  };
  std::fill(result.begin(), result.end(), Real(0));
  if (!gram_.empty()) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) add(result.data() + i * d, gram_[i * n + k], v.data() + k * d);
    }
    return;
  }
  std::vector<Real> sums(e * d, Real(0));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l < e; ++l) add(sums.data() + l * d, queries_[k * e + l], v.data() + k * d);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < e; ++l) add(result.data() + i * d, queries_[i * e + l], sums.data() + l * d);
  }
}

template <typename Real>
bool PlainRun<Real>::advance() {
  using std::sqrt;
  evaluate();
  if (!finite(velocity_norm_) || !(velocity_norm_ > 0)) return false;
  Real tau = from_rational<Real>(spec_.step);
  const double t = static_cast<double>(step_ + 1);
  if (spec_.schedule == Schedule::inverse) tau /= Real(t);
  if (spec_.schedule == Schedule::inverse_sqrt) tau /= sqrt(Real(t));
  typename StepOf<Real>::Type length{{tau, unit_, velocity_norm_, loss_gap_}};
  spec_.rule->scale(length);
  tau = length.tau;
  if (!finite(tau)) return false;
  if (spec_.momentum == 0) {
    for (std::size_t k = 0; k < position_.size(); ++k) {
      position_[k] += tau * velocity_[k];
      image_[k] += tau * velocity_z_[k];
    }
  } else {
    const Real momentum = from_rational<Real>(spec_.momentum);
    moving_.resize(position_.size(), Real(0));
    moving_image_.resize(position_.size(), Real(0));
    for (std::size_t k = 0; k < position_.size(); ++k) {
      moving_[k] = momentum * moving_[k] + tau * velocity_[k];
      moving_image_[k] = momentum * moving_image_[k] + tau * velocity_z_[k];
      position_[k] += moving_[k];
      image_[k] += moving_image_[k];
    }
  }
  ++step_;
  evaluated_ = false;
  return true;
}

template <typename Real>
std::vector<std::size_t> PlainRun<Real>::dominating() {
  evaluate();
  return reference_;
}

template <typename Real>
PlainObservation PlainRun<Real>::observe(const ReferenceDirection* direction) {
  using std::sqrt;
  evaluate();
  PlainObservation seen;
  seen.step = step_;
  Real square = start_norm_squared_;
  for (std::size_t k = 0; k < position_.size(); ++k) square += position_[k] * (image_[k] + start_image_[k]);
  const Real norm = square > 0 ? Real(sqrt(square)) : Real(0);
  seen.norm = static_cast<double>(norm);
  seen.loss_gap = static_cast<double>(loss_gap_);
  seen.gradient_norm = static_cast<double>(velocity_norm_ * unit_);
  seen.max_unselected = static_cast<double>(max_unselected_);
  if (direction == nullptr) return seen;
  Real along = 0, length = 0;
  const std::size_t n = geometry_->groups.size(), d = geometry_->dimension;
  std::vector<Real> u(n * d), image(n * d);
  for (std::size_t k = 0; k < u.size(); ++k) u[k] = from_rational<Real>(direction->coordinates[k]);
  query_images(u, image);
  for (std::size_t k = 0; k < u.size(); ++k) {
    along += u[k] * image_[k];
    length += image[k] * u[k];
  }
  along /= sqrt(length);
  const Real rest = norm - along;
  seen.along = static_cast<double>(along);
  const Real across = rest * (norm + along);
  seen.across = static_cast<double>(across > 0 ? Real(sqrt(across)) : Real(0));
  seen.one_minus_corr = norm > 0 ? static_cast<double>(Real(rest / norm)) : std::nan("");
  return seen;
}

template class PlainRun<double>;
template class PlainRun<Mpfr>;

}  // namespace attest
