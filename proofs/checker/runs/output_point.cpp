// A head of several outputs at a point: see runs/output_point.hpp.
#include "proofs/checker/runs/output_point.hpp"

namespace attest_check {

Interval output_difference(const Features& features, std::size_t group, std::size_t u, std::size_t a,
                           std::size_t b, unsigned bits) {
  const Outputs& outputs = *features.outputs();
  return Interval(outputs.value(group, a, u) - outputs.value(group, b, u), bits);
}

namespace {

// sigma = 1 - p_y = S/(1 + S) and pi_u = e^{m_u}/S, S = sum e^{m_u}.
OutputSlopes classifier_slopes(const std::vector<Interval>& mean) {
  OutputSlopes result;
  Interval sum;
  for (const Interval& m : mean) {
    result.share.push_back(exponential(m));
    sum += result.share.back();
  }
  for (Interval& share : result.share) share = share / sum;
  result.slope = sum / (Interval(1) + sum);
  return result;
}

// The signs of the units with an effect, each of which must be certain; f = -sum of the active ones' m_u.
OutputSlopes unit_slopes(const Problem& problem, std::size_t group, const std::vector<Interval>& mean,
                         unsigned bits) {
  const Outputs& outputs = *problem.features->outputs();
  OutputSlopes result;
  Interval output = Interval::between(0, 0, 0, bits);  // 0 where no unit is active, to so many bits
  for (std::size_t u = 0; u < mean.size(); ++u) {
    result.share.emplace_back(0);
    if (!outputs.effective(u)) continue;
    if (!mean[u].positive() && !mean[u].negative()) throw OpenSign(group, u);
    if (!outputs.active(group, u, mean[u].positive() ? 1 : -1)) continue;
    result.share.back() = Interval(1);
    output = output - mean[u];
  }
  result.slope = loss_slope(loss_of_output(problem.loss), output);
  return result;
}

}  // namespace

OutputSlopes output_slopes(const Problem& problem, std::size_t group, const std::vector<Interval>& mean,
                           unsigned bits) {
  return problem.features->outputs()->classifier() ? classifier_slopes(mean)
                                                   : unit_slopes(problem, group, mean, bits);
}

std::vector<Interval> output_means(const Features& features, std::size_t group, std::size_t reference,
                                   const std::vector<Interval>& deficit, unsigned bits) {
  std::vector<Interval> mean;
  for (std::size_t u = 0; u < deficit.size(); ++u)
    mean.push_back(Interval(features.outputs()->value(group, reference, u), bits) - deficit[u]);
  return mean;
}

Rational output_at(const Outputs& outputs, std::size_t group, std::size_t token) {
  Rational sum;
  for (std::size_t u = 0; u < outputs.count(); ++u) {
    const Rational c = outputs.value(group, token, u);
    if (outputs.active(group, u, sgn(c))) sum -= c;
  }
  return sum;
}

// With x_u = m_u - c_selected,u: log(1 + sum_u p_u (e^{x_u} - 1)), p the softmax at the selected token; of
// units f_selected - f is the sum of x_u over those active at both, of m_u over those active here alone, and
// of -c_selected,u over those active there alone.
Interval output_excess(const Problem& problem, std::size_t group, std::size_t selected, std::size_t reference,
                       const std::vector<Interval>& deficit, unsigned bits) {
  const Features& features = *problem.features;
  const Outputs& outputs = *features.outputs();
  std::vector<Interval> origin, shift;
  for (std::size_t u = 0; u < deficit.size(); ++u) {
    origin.emplace_back(outputs.value(group, selected, u), bits);
    shift.push_back((selected == reference
                         ? Interval(0)
                         : output_difference(features, group, u, reference, selected, bits)) -
                    deficit[u]);
  }
  if (outputs.classifier()) {
    Interval total(1), rise;
    for (std::size_t u = 0; u < shift.size(); ++u) {
      const Interval power = exponential(origin[u]);
      total += power;
      rise += power * exponential_minus_one(shift[u]);
    }
    return logarithm_of_one_plus(rise / total);
  }
  const OutputSlopes here =
      unit_slopes(problem, group, output_means(features, group, reference, deficit, bits), bits);
  Interval drop;
  for (std::size_t u = 0; u < shift.size(); ++u) {
    const bool before = outputs.active(group, u, sgn(outputs.value(group, selected, u)));
    if (here.share[u].positive()) {
      drop += before ? shift[u] : origin[u] + shift[u];
    } else if (before) {
      drop = drop - origin[u];
    }
  }
  return loss_excess(loss_of_output(problem.loss), Interval(output_at(outputs, group, selected), bits), drop);
}

}  // namespace attest_check
