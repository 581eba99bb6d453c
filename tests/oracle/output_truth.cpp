// Heads of several outputs along a run, from their definitions: -log softmax(sum_t s_t U x_t)_y, and losses
// of Y sum_u r_u max(0, A_u.(sum_t s_t x_t) + bias_u).
#include <algorithm>

#include "tests/oracle/run_truth.hpp"

namespace reference {

void RunTruth::read_layer(const Dataset& data) {
  layer_ = data.layer;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    std::vector<Vector>& outputs = outputs_.emplace_back();
    for (const Row& x : data.X[i]) {
      Vector& values = outputs.emplace_back();
      for (const Row& row : layer_->weights) values.push_back(real(reference::dot(row, x)));
    }
    labels_.push_back(layer_->classifier ? 1 : data.Y[i]);
    // All attention on the selected token is the attention of its equals, each as often as it stands there.
    Vector share(data.X[i].size());
    Real total;
    for (std::size_t t = 0; t < share.size(); ++t)
      if (chosen_[i][t]) total += share[t] = counts_[i][t];
    for (Real& s : share) s /= total;
    limit_.push_back(output_loss(i, share).value);
  }
}

// The loss of a group, and -dl/ds_t.
RunTruth::OutputLoss RunTruth::output_loss(std::size_t group, const Vector& share) const {
  const std::size_t width = layer_->weights.size();
  Vector mean(width);
  for (std::size_t u = 0; u < width; ++u)
    for (std::size_t t = 0; t < share.size(); ++t) mean[u] += share[t] * outputs_[group][t][u];
  Vector pull_of(width);  // -dl/dmean_u
  OutputLoss loss;
  if (layer_->classifier) {
    const std::size_t own = layer_->classes[group];
    Real others;
    for (std::size_t u = 0; u < width; ++u)
      if (u != own) others += exp(mean[u] - mean[own]);
    loss.value = log1p(others);
    for (std::size_t u = 0; u < width; ++u)
      pull_of[u] = u == own ? Real(others / (1 + others)) : Real(-exp(mean[u] - mean[own]) / (1 + others));
  } else {
    Real output;
    for (std::size_t u = 0; u < width; ++u)
      output +=
          labels_[group] * real(layer_->r[u]) * std::max(Real(0), Real(mean[u] + real(layer_->bias[u])));
    const std::string scalar = loss_.substr(5);  // after relu-
    loss.value = scalar == "correlation"   ? Real(-output)
                 : scalar == "exponential" ? Real(exp(-output))
                                           : Real(log1p(exp(-output)));
    const Real slope = scalar == "correlation"   ? Real(1)
                       : scalar == "exponential" ? Real(exp(-output))
                                                 : Real(1 / (1 + exp(output)));
    for (std::size_t u = 0; u < width; ++u)
      if (mean[u] + real(layer_->bias[u]) > 0) pull_of[u] = slope * labels_[group] * real(layer_->r[u]);
  }
  for (const Vector& values : outputs_[group]) loss.score.push_back(dot(pull_of, values));
  return loss;
}

void RunTruth::descend_outputs(std::size_t group, const Vector& share, Point& point) const {
  const OutputLoss loss = output_loss(group, share);
  const Real groups = features_.size();
  for (std::size_t t = 0; t < share.size(); ++t)
    for (std::size_t s = t + 1; s < share.size(); ++s)
      pull(group, t, s, share[t] * share[s] * (loss.score[t] - loss.score[s]) / groups, point);
  point.loss_gap += (loss.value - limit_[group]) / groups;
}

}  // namespace reference
