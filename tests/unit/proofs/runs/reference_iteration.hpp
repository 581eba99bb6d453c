// The iteration of a run written down once more, directly from its definition in 150 decimal digits, dense
// and naive: what the checker's replay and its Jacobian bound are compared with.
#pragma once

#include <algorithm>
#include <boost/multiprecision/mpfr.hpp>
#include <random>
#include <string>
#include <vector>

#include "proofs/checker/runs/specification.hpp"
#include "tests/unit/proofs/checker/files.hpp"

namespace checker_tests {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<150>,
                                           boost::multiprecision::et_off>;

inline Real real(const attest_check::Rational& x) {
  return Real(x.get_num().get_str()) / Real(x.get_den().get_str());
}

struct ReferencePoint {
  Real loss_gap, gradient, unselected;
  std::vector<Real> velocity;                   // -grad L, d x e
  std::vector<std::vector<Real>> logit, share;  // per group and token
  std::vector<Real> output, slope;              // f_i, (1/n) |l'(f_i)|
  std::vector<std::vector<Real>> score;         // g_it; of several outputs those of the point
};

class ReferenceIteration {
 public:
  ReferenceIteration(const attest_check::Problem& problem, const attest_check::Specification& specification)
      : problem_(problem), features_(*problem.features), specification_(specification) {
    const auto entries = [](const attest_check::ScaledMatrix& matrix) {
      std::vector<Real> values;
      for (std::size_t row = 0; row < matrix.rows(); ++row) {
        for (const attest_check::Integer& x : matrix.row(row))
          values.push_back(real(attest_check::fraction(x, matrix.denominator())));
      }
      return values;
    };
    tokens_ = entries(features_.tokens());
    queries_ = entries(features_.queries());
  }

  std::size_t left() const { return features_.left_dimension(); }
  std::size_t right() const { return features_.right_dimension(); }
  const Real& token(std::size_t group, std::size_t t, std::size_t k) const {
    return tokens_[features_.row(group, t) * left() + k];
  }
  const Real& query(std::size_t group, std::size_t k) const { return queries_[group * right() + k]; }
  Real score(std::size_t group, std::size_t t) const {
    return cross_entropy() ? Real(wanted(group, t) ? 1 : 0) : real(features_.exact_score(group, t));
  }

  // The first token of the group with the same numbers.
  std::size_t first_equal(std::size_t group, std::size_t t) const {
    std::size_t first = 0, k = 0;
    while (k < left()) {
      if (token(group, first, k) == token(group, t, k)) {
        ++k;
      } else {
        ++first;
        k = 0;
      }
    }
    return first;
  }
  // How often a token stands in the group, times e^offset.
  Real weight_of(std::size_t group, std::size_t t) const {
    const std::size_t row = features_.row(group, t);
    return Real(features_.instance().count(row)) * exp(real(features_.instance().offset(row)));
  }
  // The sum of these for that token and its equals.
  Real multiplicity(std::size_t group, std::size_t t) const {
    Real sum;
    for (std::size_t s = 0; s < features_.tokens_of(group); ++s) {
      if (first_equal(group, s) == t) sum += weight_of(group, s);
    }
    return sum;
  }

  // Cross-entropy is written down from its own definition: -log of the attention on the wanted tokens.
  bool cross_entropy() const { return problem_.loss == attest_check::Loss::cross_entropy; }
  bool wanted(std::size_t group, std::size_t t) const {
    return first_equal(group, t) == first_equal(group, features_.instance().y[group]);
  }

  Real loss(const Real& f) const {
    if (cross_entropy()) return -log(f);
    const attest_check::Loss of = attest_check::loss_of_output(problem_.loss);
    if (of == attest_check::Loss::correlation) return -f;
    return of == attest_check::Loss::exponential ? Real(exp(-f)) : Real(log1p(exp(-f)));
  }
  Real slope(const Real& f) const {
    if (cross_entropy()) return 1 / f;
    const attest_check::Loss of = attest_check::loss_of_output(problem_.loss);
    if (of == attest_check::Loss::correlation) return 1;
    return of == attest_check::Loss::exponential ? Real(exp(-f)) : Real(1 / (1 + exp(f)));
  }

  // Row u of the layer times the token.
  Real layer_product(std::size_t group, std::size_t t, std::size_t u) const {
    const attest_check::Instance& instance = features_.instance();
    Real sum;
    for (std::size_t k = 0; k < instance.dimension; ++k)
      sum += real(instance.outputs->weights.exact(u * instance.dimension + k)) *
             real(instance.X.exact((instance.first_row[group] + t) * instance.dimension + k));
    return sum;
  }
  // What a head of several outputs is at these attentions, from its own definition: the derivative -dl/ds_t
  // of the loss over `slope`, and the loss.
  struct Head {
    std::vector<Real> score;
    Real slope, loss;
  };
  Head head(std::size_t group, const std::vector<Real>& share) const {
    const attest_check::OutputLayer& layer = *features_.instance().outputs;
    const std::size_t count = share.size();
    const std::size_t width = layer.weights.size() / features_.instance().dimension;
    Head result;
    result.score.assign(count, 0);
    std::vector<Real> mean(width);
    for (std::size_t u = 0; u < width; ++u) {
      for (std::size_t t = 0; t < count; ++t) mean[u] += share[t] * layer_product(group, t, u);
    }
    if (layer.classifier) {
      const std::size_t own = layer.classes[group];
      Real total;
      for (const Real& m : mean) total += exp(m - mean[own]);
      result.slope = 1 - 1 / total;
      result.loss = log(total);
      for (std::size_t t = 0; t < count; ++t) {
        for (std::size_t u = 0; u < width; ++u)
          result.score[t] -= (exp(mean[u] - mean[own]) / total - (u == own ? 1 : 0)) *
                             layer_product(group, t, u) / result.slope;
      }
      return result;
    }
    const int label = features_.instance().Y[group];
    Real output;
    for (std::size_t u = 0; u < width; ++u) {
      const Real r = real(layer.r.exact(u)) * label, input = mean[u] + real(layer.bias.exact(u));
      if (input <= 0) continue;
      output += r * input;
      for (std::size_t t = 0; t < count; ++t) result.score[t] += r * layer_product(group, t, u);
    }
    result.slope = slope(output);
    result.loss = loss(output);
    return result;
  }

  ReferencePoint at(const std::vector<Real>& w) const {
    const std::size_t d = left(), e = right(), n = features_.groups();
    ReferencePoint point;
    point.velocity.assign(d * e, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t count = features_.tokens_of(i);
      std::vector<Real> logit(count), share(count);
      const bool outputs = features_.outputs() != nullptr;
      Real largest, total, output;
      for (std::size_t t = 0; t < count; ++t) {
        for (std::size_t a = 0; a < d; ++a) {
          for (std::size_t b = 0; b < e; ++b) logit[t] += token(i, t, a) * w[a * e + b] * query(i, b);
        }
        if (t == 0 || logit[t] > largest) largest = logit[t];
      }
      // Token by token, each as often as it stands there; then equal ones together, at the first of them.
      for (std::size_t t = 0; t < count; ++t) total += share[t] = weight_of(i, t) * exp(logit[t] - largest);
      for (std::size_t t = 0; t < count; ++t) {
        const std::size_t first = first_equal(i, t);
        if (first == t) continue;
        share[first] += share[t];
        share[t] = 0;
      }
      for (std::size_t t = 0; t < count; ++t) share[t] /= total;
      Head here;
      if (outputs) {
        here = head(i, share);
      } else {
        for (std::size_t t = 0; t < count; ++t) here.score.push_back(score(i, t));
      }
      const std::vector<Real>& scores = here.score;
      for (std::size_t t = 0; t < count; ++t) output += share[t] * scores[t];
      const Real weight = (outputs ? here.slope : slope(output)) / n;
      for (std::size_t t = 0; t < count; ++t) {
        const Real part = cross_entropy() ? Real((wanted(i, t) ? share[t] / output : Real(0)) - share[t]) / n
                                          : Real(weight * share[t] * (scores[t] - output));
        for (std::size_t a = 0; a < d; ++a) {
          for (std::size_t b = 0; b < e; ++b)
            point.velocity[a * e + b] += part * token(i, t, a) * query(i, b);
        }
      }
      if (outputs) {
        std::vector<Real> vertex(count);
        vertex[problem_.selection[i]] = 1;
        point.loss_gap += (here.loss - head(i, vertex).loss) / n;
      } else {
        const Real best = *std::max_element(scores.begin(), scores.end());
        point.loss_gap += (loss(output) - loss(best)) / n;
      }
      Real rest;
      for (std::size_t t = 0; t < count; ++t) {
        if (t != first_equal(i, problem_.selection[i])) rest += share[t];
      }
      if (rest > point.unselected) point.unselected = rest;
      point.logit.push_back(std::move(logit));
      point.share.push_back(std::move(share));
      point.output.push_back(output);
      point.slope.push_back(weight);
      point.score.push_back(scores);
    }
    point.gradient = norm(point.velocity);
    return point;
  }

  // tau_t at this point.
  Real step_factor(const ReferencePoint& point, std::size_t t) const {
    Real eta = real(specification_.step);
    if (specification_.schedule == attest_check::Schedule::inverse) eta /= t + 1;
    if (specification_.schedule == attest_check::Schedule::inverse_root) eta /= sqrt(Real(t + 1));
    if (specification_.rule == attest_check::Rule::ngd) return eta / point.gradient;
    if (specification_.rule == attest_check::Rule::polyak)
      return eta * point.loss_gap / (point.gradient * point.gradient);
    return eta;
  }

  // W_{t+1}.
  std::vector<Real> next(const std::vector<Real>& w, std::size_t t) const {
    const ReferencePoint point = at(w);
    const Real factor = step_factor(point, t);
    std::vector<Real> result = w;
    for (std::size_t k = 0; k < w.size(); ++k) result[k] += factor * point.velocity[k];
    return result;
  }

  static Real norm(const std::vector<Real>& w) {
    Real sum;
    for (const Real& x : w) sum += x * x;
    return sqrt(sum);
  }

 private:
  const attest_check::Problem& problem_;
  const attest_check::Features& features_;
  const attest_check::Specification specification_;
  std::vector<Real> tokens_, queries_;
};

// A random instance with d = 3, e = 2: groups of 3, 1, 4 and 2 tokens, equal scores in the last and different
// ones in the others; thirds among the numbers when `fractions`. `repeated`: behind each group's tokens its
// first one stands once more, and all have counts, one of them large.
inline std::string random_instance(unsigned seed, bool fractions, const std::string& decoder = "3/2",
                                   bool repeated = false) {
  std::mt19937 random(seed);
  const auto over = [&](int x) {
    return std::string("\"").append(std::to_string(x)).append(fractions ? "/12\"" : "/16\"");
  };
  const auto number = [&] { return over(static_cast<int>(random() % 41) - 20); };
  std::string tokens, queries, counts;
  for (const int count : {3, 1, 4, 2}) {
    if (!tokens.empty()) {
      tokens += ", ";
      queries += ", ";
    }
    const std::size_t begin = tokens.size() + 1;
    std::size_t end = begin;  // of the first token
    for (int t = 0; t < count; ++t) {
      if (t == 1) end = tokens.size();
      tokens.append(t > 0 ? ", [" : "[[").append(number()).append(", ").append(number()).append(", ");
      tokens.append(over(count == 2 ? 5 : 4 * static_cast<int>(random() % 10) + t - 20)).append("]");
    }
    if (repeated) {
      const std::string first = tokens.substr(begin, (count == 1 ? tokens.size() : end) - begin);
      tokens.append(", ").append(first);
      for (int t = 0; t <= count; ++t)
        counts.append(counts.empty() ? "" : ", ").append(std::to_string(1 + (5 * t + seed) % 7));
    }
    tokens += "]";
    queries.append("[").append(number()).append(", ").append(number()).append("]");
  }
  std::string text = R"({"X": [)";
  return text.append(tokens)
      .append(R"(], "Y": [1, -1, 1, 1], "v": [0, 0, ")")
      .append(decoder)
      .append(R"("], "z": [)")
      .append(queries)
      .append(repeated ? "], \"counts\": [" + counts + (seed % 2 == 0 ? "000001]}" : "]}") : "]}");
}

// The same instance with numbers added to its logits; `repeated` as there.
inline std::string with_offsets(std::string text, unsigned seed, bool repeated) {
  std::string offsets;
  for (const unsigned count : {3U, 1U, 4U, 2U}) {
    offsets.append(offsets.empty() ? "[" : "], [");
    for (unsigned t = 0; t < count + (repeated ? 1 : 0); ++t) {
      const int third = static_cast<int>((5 * t + 3 * count + seed) % 13) - 6;
      offsets.append(t > 0 ? ", \"" : "\"").append(std::to_string(third)).append("/3\"");
    }
  }
  return text.replace(text.rfind('}'), 1, ", \"offsets\": [" + offsets + "]]}");
}

// The same instance with the head of cross-entropy on these tokens ("0, 0, 2, 1").
inline std::string with_targets(std::string text, const std::string& targets) {
  const std::size_t begin = text.find("\"Y\""), end = text.find(", \"z\"");
  return text.replace(begin, end - begin, "\"y\": [" + targets + "]");
}

// The same instance with a classifier, or with ReLU units; its tokens have d = 3 unless it is said.
inline std::string with_outputs(std::string text, bool classifier, unsigned seed, std::size_t classes,
                                std::size_t groups = 4, std::size_t dimension = 3) {
  std::mt19937 random(seed);
  const auto list = [&](std::size_t count, int below, int shift, const char* over) {
    std::string numbers;
    for (std::size_t k = 0; k < count; ++k) {
      const int x = static_cast<int>(random() % static_cast<unsigned>(below)) - shift;
      numbers.append(k > 0 ? ", \"" : "\"").append(std::to_string(x)).append(over).append("\"");
    }
    return numbers;
  };
  std::string head = classifier ? R"("head": "classifier", "U": [)" : R"("head": "relu", "A": [)";
  for (std::size_t u = 0; u < classes; ++u)
    head.append(u > 0 ? ", [" : "[").append(list(dimension, 31, 15, "/7")).append("]");
  if (classifier) {
    head.append("], \"y\": [").append(list(groups, static_cast<int>(classes), 0, "")).append("]");
  } else {
    head.append("], \"bias\": [").append(list(classes, 15, 7, "/5"));
    head.append("], \"r\": [").append(list(classes, 9, 4, "/3")).append("], \"Y\": [");
    for (std::size_t i = 0; i < groups; ++i) head.append(i > 0 ? ", " : "").append(i % 2 == 0 ? "1" : "-1");
    head.append("]");
  }
  const std::size_t begin = text.find("\"Y\""), end = text.find(", \"z\"");
  return text.replace(begin, end - begin, head);
}

}  // namespace checker_tests
