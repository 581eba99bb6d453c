#include "tests/unit/numerics/forever/simulation.hpp"

#include <algorithm>

namespace attest_test {
namespace {

Real slope_of(attest::Loss loss, const Real& f) {
  switch (loss) {
    case attest::Loss::logistic:
      return 1 / (1 + exp(f));
    case attest::Loss::exponential:
      return exp(-f);
    case attest::Loss::cross_entropy:
      return 1 / f;
    default:  // correlation
      break;
  }
  return 1;
}

Real value_of(attest::Loss loss, const Real& f) {
  switch (loss) {
    case attest::Loss::logistic:
      return log1p(exp(-f));
    case attest::Loss::exponential:
      return exp(-f);
    case attest::Loss::cross_entropy:
      return -log(f);
    default:  // correlation
      break;
  }
  return -f;
}

Real dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

Real real(const attest::Rational& value) {
  Real result;
  mpfr_set_q(result.backend().data(), value.backend().data(), MPFR_RNDN);
  return result;
}

Direction direction_of(const attest::TokenData& data, const attest::Selection& selection,
                       const attest::ExactOptimum& optimum) {
  Direction direction;
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  direction.unit.assign(d * e, Real(0));
  const Real norm = sqrt(real(optimum.norm_squared));
  for (std::size_t k = 0; k < optimum.multipliers.size(); ++k) {
    const attest::Constraint& c = optimum.multipliers.constraint[k];
    const Real value = real(optimum.multipliers.value(k)) / norm;
    const std::size_t top = data.row(c.group, selection[c.group]), other = data.row(c.group, c.token);
    for (std::size_t j = 0; j < d; ++j) {
      const Real token =
          real(data.token_factor.exact(top * d + j)) - real(data.token_factor.exact(other * d + j));
      for (std::size_t q = 0; q < e; ++q) {
        direction.unit[j * e + q] += value * token * real(data.query_factor.exact(c.group * e + q));
      }
    }
  }
  direction.margin = 1 / norm;
  return direction;
}

Simulation::Simulation(const attest::TokenData& data, const attest::Selection& selection,
                       const attest::OptimizerSpec& spec, const std::vector<Real>& entries)
    : data_(&data), selection_(selection), spec_(spec), weights_(entries) {
  for (std::size_t k = 0; k < data.token_factor.size(); ++k)
    tokens_.push_back(real(data.token_factor.exact(k)));
  for (std::size_t k = 0; k < data.query_factor.size(); ++k)
    queries_.push_back(real(data.query_factor.exact(k)));
  for (const attest::Rational score : data.scores) scores_.push_back(real(score));
}

std::vector<Real> Simulation::margins() const {
  const std::size_t d = data_->left_dimension, e = data_->right_dimension;
  std::vector<Real> result;
  for (std::size_t i = 0; i < data_->groups(); ++i) {
    std::vector<Real> image(d);
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t q = 0; q < e; ++q) image[j] += weights_[j * e + q] * queries_[i * e + q];
    }
    for (std::size_t t = 0; t < data_->tokens(i); ++t) {
      if (t == selection_[i] || !data_->present(i, t)) continue;
      Real sum = 0;
      for (std::size_t j = 0; j < d; ++j) {
        sum += (tokens_[data_->row(i, selection_[i]) * d + j] - tokens_[data_->row(i, t) * d + j]) * image[j];
      }
      result.push_back(sum);
    }
  }
  return result;
}

std::vector<Real> Simulation::unselected() const {
  const std::vector<Real> margin = margins();
  std::vector<Real> result;
  std::size_t c = 0;
  for (std::size_t i = 0; i < data_->groups(); ++i) {
    Real odds = 0;
    for (std::size_t t = 0; t < data_->tokens(i); ++t) {
      if (t != selection_[i] && data_->present(i, t)) odds += data_->multiplicity(i, t) * exp(-margin[c++]);
    }
    result.push_back(odds / (data_->multiplicity(i, selection_[i]) + odds));
  }
  return result;
}

Real Simulation::norm() const {
  return sqrt(dot(weights_, weights_));
}

Real Simulation::along(const Direction& direction) const {
  return dot(weights_, direction.unit);
}

// -dl/ds_t = -sum_u (dl/dm_u) c_tu: of a classifier dl/dm_u = p_u, of ReLU units |l'(f)| where the unit is
// active.
std::vector<Real> Simulation::scores_at(std::size_t group, const std::vector<Real>& attention,
                                        Real& slope) const {
  const std::size_t tokens = attention.size();
  std::vector<Real> scores;
  if (!data_->outputs) {
    for (std::size_t t = 0; t < tokens; ++t) scores.push_back(scores_[data_->row(group, t)]);
    return scores;
  }
  const attest::OutputTable& table = *data_->outputs;
  std::vector<Real> derivative(table.width);
  Real total = 1, f = 0;
  for (std::size_t u = 0; u < table.width; ++u) {
    Real mean = 0;
    for (std::size_t t = 0; t < tokens; ++t)
      mean += attention[t] * real(table.value(data_->row(group, t), u));
    if (table.classifier()) {
      derivative[u] = exp(mean);
      total += derivative[u];
    } else if (table.active(group, u, mean > 0 ? 1 : -1)) {
      derivative[u] = 1;
      f -= mean;
    }
  }
  slope = table.classifier() ? Real(1 / total) : slope_of(attest::scalar_loss(spec_.loss), f);
  for (std::size_t t = 0; t < tokens; ++t) {
    Real score = 0;
    for (std::size_t u = 0; u < table.width; ++u)
      score -= derivative[u] * real(table.value(data_->row(group, t), u));
    scores.push_back(score);
  }
  return scores;
}

// l(c + m - c) - l(c), c the outputs of the selected token, m the means: log(1 + sum_u p_u (e^{m_u - c_u} -
// 1)).
Real Simulation::classifier_excess(std::size_t group, const std::vector<Real>& attention) const {
  const attest::OutputTable& table = *data_->outputs;
  const std::size_t selected = data_->row(group, selection_[group]);
  Real total = 1, rise = 0;
  for (std::size_t u = 0; u < table.width; ++u) {
    Real shift = 0;
    for (std::size_t t = 0; t < attention.size(); ++t)
      shift += attention[t] * real(table.value(data_->row(group, t), u) - table.value(selected, u));
    const Real power = exp(real(table.value(selected, u)));
    total += power;
    rise += power * expm1(shift);
  }
  return log1p(Real(rise / total));
}

void Simulation::advance() {
  const std::size_t d = data_->left_dimension, e = data_->right_dimension;
  const std::vector<Real> margin = margins();
  std::vector<Real> descent(d * e);
  Real loss_gap = 0;
  std::size_t c = 0;
  for (std::size_t i = 0; i < data_->groups(); ++i) {
    // -grad = wt |l'(f)| sum_t s_t (g_t - f) a_t. Both f and the selected token's weight cancel in this form
    // once the attention is saturated: use f = g_selected - sum s_t gap_t, and that the weights add up to 0.
    std::vector<Real> attention(data_->tokens(i));
    Real total = 0;
    for (std::size_t t = 0; t < attention.size(); ++t) {
      attention[t] = 0;
      if (!data_->present(i, t)) continue;
      attention[t] = data_->multiplicity(i, t) * (t == selection_[i] ? Real(1) : Real(exp(-margin[c++])));
      total += attention[t];
    }
    for (Real& share : attention) share /= total;
    Real slope = 0;
    const std::vector<Real> scores = scores_at(i, attention, slope);
    const Real &selected = scores[selection_[i]], &best = *std::max_element(scores.begin(), scores.end());
    Real deficit = 0;
    for (std::size_t t = 0; t < attention.size(); ++t) deficit += attention[t] * (selected - scores[t]);
    const Real output = selected - deficit;
    if (!data_->outputs) {
      slope = slope_of(spec_.loss, output);
      loss_gap += (value_of(spec_.loss, output) - value_of(spec_.loss, best)) / data_->groups();
    } else if (data_->outputs->classifier()) {
      loss_gap += classifier_excess(i, attention) / data_->groups();
    }
    slope /= data_->groups();
    std::vector<Real> weights(attention.size());
    Real others = 0;
    for (std::size_t t = 0; t < attention.size(); ++t) {
      if (t == selection_[i]) continue;
      weights[t] = slope * attention[t] * (scores[t] - selected + deficit);
      others += weights[t];
    }
    weights[selection_[i]] = -others;
    for (std::size_t t = 0; t < attention.size(); ++t) {
      const Real& weight = weights[t];
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t q = 0; q < e; ++q) {
          descent[j * e + q] += weight * tokens_[data_->row(i, t) * d + j] * queries_[i * e + q];
        }
      }
    }
  }
  Real factor = real(spec_.step);
  if (spec_.schedule == attest::Schedule::inverse) factor /= Real(step_ + 1);
  if (spec_.schedule == attest::Schedule::inverse_sqrt) factor /= sqrt(Real(step_ + 1));
  const Real square = dot(descent, descent);
  if (spec_.rule == attest::update_rule("ngd")) factor /= sqrt(square);
  if (spec_.rule == attest::update_rule("polyak")) factor *= loss_gap / square;
  for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] += factor * descent[k];
  ++step_;
}

}  // namespace attest_test
