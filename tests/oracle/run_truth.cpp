// Truth of claims about runs.
#include "tests/oracle/run_truth.hpp"

#include <mpfr.h>

#include <algorithm>

namespace reference {

namespace {

const char* const tiny_text = "1e-90";

// Whether the conclusion of a true claim implies that of another one about the same iteration and step. (What
// grows rises, so a larger path constant leaves more room.)
bool implies(const ForeverClaim& known, const ForeverClaim& claim) {
  const bool bounded = known.theorem == "bounded";
  const bool dominates =
      !claim.dominates_from || (known.dominates_from && *known.dominates_from <= *claim.dominates_from);
  return bounded == (claim.theorem == "bounded") && known.linear == claim.linear && known.growth >= 0 &&
         known.path <= claim.path && known.excess <= claim.excess && known.centre <= claim.centre &&
         known.height >= claim.height && known.growth >= claim.growth && dominates;
}

}  // namespace

Real RunTruth::dot(const Vector& a, const Vector& b) {
  Real sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

RunTruth::RunTruth(const Dataset& data, const Problem& problem, const MarginAnswer& answer)
    : loss_(problem.loss), selection_(problem.selection) {
  mpfr_set_emin(mpfr_get_emin_min());  // e^-2^40 is a number, too
  for (std::size_t i = 0; i < data.groups(); ++i) {
    features_.emplace_back();
    scores_.emplace_back();
    counts_.emplace_back();
    chosen_.emplace_back();
    std::vector<bool> wanted;
    Number best = data.layer ? Number(0) : class_score(data, i, 0);
    for (std::size_t t = 0; t < data.X[i].size(); ++t) {
      Vector entries;
      for (const Number& x : feature(data, i, t)) entries.push_back(real(x));
      dimension_ = entries.size();
      features_[i].push_back(std::move(entries));
      if (!data.layer) scores_[i].push_back(real(score(data, i, t)));
      counts_[i].push_back(Real(count(data, i, t)));
      if (!data.offsets.empty()) counts_[i].back() *= exp(real(data.offsets[i][t]));
      chosen_[i].push_back(first_equal(data, i, t) == first_equal(data, i, selection_[i]));
      if (!data.y.empty()) wanted.push_back(first_equal(data, i, t) == first_equal(data, i, data.y[i]));
      if (!data.layer) best = std::max(best, class_score(data, i, t));
    }
    best_.push_back(real(best));
    if (!data.y.empty()) wanted_.push_back(std::move(wanted));
  }
  if (data.layer) read_layer(data);
  if (!answer.feasible || answer.norm_squared == 0) return;
  const Real norm = sqrt(real(answer.norm_squared));
  for (const Number& x : answer.solution) unit_.push_back(real(x) / norm);
  gamma_ = 1 / norm;
}

Real RunTruth::slope_of(const Real& f) const {
  if (loss_ == "correlation") return 1;
  return loss_ == "exponential" ? Real(exp(-f)) : Real(1 / (1 + exp(f)));
}

Real RunTruth::excess(const Real& gap, const Real& best) const {
  if (loss_ == "correlation") return gap;
  const Real at_best = exp(-best), more = at_best * expm1(gap);
  return loss_ == "exponential" ? more : Real(log1p(more / (1 + at_best)));
}

bool RunTruth::Point::stands() const {
  return gradient <= Real(tiny_text) * summed;
}

void RunTruth::pull(std::size_t group, std::size_t t, std::size_t s, const Real& factor, Point& point) const {
  for (std::size_t k = 0; k < dimension_; ++k) {
    const Real term = factor * (features_[group][t][k] - features_[group][s][k]);
    point.velocity[k] += term;
    point.summed += abs(term);
  }
}

// sum_t share_t (score_t - output) a_t = sum_{t < s} share_t share_s (score_t - score_s) (a_t - a_s).
void RunTruth::descend(std::size_t group, const Vector& share, Point& point) const {
  const Vector& scores = scores_[group];
  Real output, gap;
  for (std::size_t t = 0; t < share.size(); ++t) {
    output += share[t] * scores[t];
    gap += share[t] * (best_[group] - scores[t]);
  }
  const Real groups = features_.size(), weight = slope_of(output) / groups;
  for (std::size_t t = 0; t < share.size(); ++t)
    for (std::size_t s = t + 1; s < share.size(); ++s)
      if (scores[t] != scores[s])
        pull(group, t, s, weight * share[t] * share[s] * (scores[t] - scores[s]), point);
  point.loss_gap += excess(gap, best_[group]) / groups;
}

// -log of the attention on the wanted tokens: its gradient is the mean of all features less that of the
// wanted, so -grad is the sum over wanted t and other s of share_t share_s (a_t - a_s), over the wanted
// attention.
void RunTruth::descend_cross_entropy(std::size_t group, const Vector& share, Point& point) const {
  const Real groups = features_.size();
  const std::vector<bool>& wanted = wanted_[group];
  Real hit, miss;
  for (std::size_t t = 0; t < share.size(); ++t) (wanted[t] ? hit : miss) += share[t];
  for (std::size_t t = 0; t < share.size(); ++t)
    for (std::size_t s = 0; s < share.size(); ++s)
      if (wanted[t] && !wanted[s]) pull(group, t, s, share[t] / hit * share[s] / groups, point);
  point.loss_gap -= (miss < hit ? Real(log1p(-miss)) : Real(log(hit))) / groups;
}

RunTruth::Point RunTruth::at(Vector w) const {
  Point point;
  point.velocity.assign(dimension_, 0);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    const std::size_t tokens = features_[i].size();
    Vector share;
    for (const Vector& a : features_[i]) share.push_back(dot(a, w));
    const Real largest = *std::max_element(share.begin(), share.end());
    Real total, rest, kept;
    for (std::size_t t = 0; t < tokens; ++t) total += share[t] = counts_[i][t] * exp(share[t] - largest);
    for (std::size_t t = 0; t < tokens; ++t) {
      share[t] /= total;
      (chosen_[i][t] ? kept : rest) += share[t];
    }
    if (layer_) {
      descend_outputs(i, share, point);
    } else {
      wanted_.empty() ? descend(i, share, point) : descend_cross_entropy(i, share, point);
    }
    point.unselected = std::max(point.unselected, rest);
    point.dominated = point.dominated && kept > Real("0.5");
  }
  point.norm = sqrt(dot(w, w));
  if (!unit_.empty()) point.along = dot(w, unit_);
  point.gradient = sqrt(dot(point.velocity, point.velocity));
  point.w = std::move(w);
  return point;
}

Real RunTruth::step_size(const Iteration& iteration, std::size_t t) const {
  const Real step = real(iteration.step), index(t + 1);
  if (iteration.schedule == "inverse") return step / index;
  return iteration.schedule == "invsqrt" ? Real(step / sqrt(index)) : step;
}

std::string RunTruth::name_of(const Iteration& iteration) {
  std::string name = iteration.rule + ' ' + iteration.schedule + ' ' + number_text(iteration.step);
  for (const Number& x : iteration.start) name += ' ' + number_text(x);
  return name;
}

const std::vector<RunTruth::Point>& RunTruth::follow(const Iteration& iteration, std::size_t steps) {
  std::vector<Point>& points = followed_[name_of(iteration)];
  if (points.empty()) {
    Vector w(dimension_);
    for (std::size_t k = 0; k < iteration.start.size(); ++k) w[k] = real(iteration.start[k]);
    points.push_back(at(std::move(w)));
    points[0].moved.assign(dimension_, 0);
  }
  while (points.size() <= steps) {
    const Point& last = points.back();
    if (last.stands()) break;
    Real factor = step_size(iteration, points.size() - 1);
    if (iteration.rule == "ngd") factor /= last.gradient;
    if (iteration.rule == "polyak") factor *= last.loss_gap / (last.gradient * last.gradient);
    Vector moved = last.moved, w = points[0].w;
    for (std::size_t k = 0; k < dimension_; ++k) w[k] += moved[k] += factor * last.velocity[k];
    points.push_back(at(std::move(w)));
    if (!unit_.empty()) points.back().risen = dot(moved, unit_);
    points.back().moved = std::move(moved);
  }
  return points;
}

std::string RunTruth::stationary_objection(const RunClaim& claim) {
  const std::vector<Number>& start = claim.iteration.start;
  if (!start.empty() && start.size() != dimension_) return "a start of the wrong size";
  Vector w(dimension_);
  for (std::size_t k = 0; k < start.size(); ++k) w[k] = real(start[k]);
  return at(std::move(w)).stands() ? "" : "the gradient is not zero";
}

RunTruth::Point RunTruth::low_point(const Vector& start, const Size& size) const {
  const Real radius = size(start);
  Point here = at(start);
  Real share = 1;  // how far a step turns to the direction of -grad L
  for (int step = 0; step < 200 && share > Real("1e-20") && here.gradient > 0; ++step) {
    Vector turned;
    for (std::size_t k = 0; k < dimension_; ++k)
      turned.push_back(here.w[k] / radius + share * here.velocity[k] / here.gradient);
    const Real length = size(turned);
    for (Real& x : turned) x *= radius / length;
    Point next = at(std::move(turned));
    if (next.loss_gap < here.loss_gap) {
      here = std::move(next);
    } else {
      share /= 4;
    }
  }
  return here;
}

std::string RunTruth::regularisation_objection(const Number& radius, const Number& constant) {
  if (unit_.empty()) return "no direction";
  if (radius <= 0) return "no positive radius";
  for (const auto& [known_radius, known_constant] : regularisation_true_)
    if (known_radius <= radius && known_constant <= constant) return "";
  for (const int factor : {1, 3, 9}) {
    const Real norm = real(radius) * factor;
    if (norm * gamma_ > 100) break;  // losses that 150 digits do not tell from the least one
    const Real tiny(tiny_text);
    Vector start;
    for (const Real& x : unit_) start.push_back(x * norm);
    const Point low = low_point(start, [](const Vector& w) { return Real(sqrt(dot(w, w))); });
    if (1 - low.along / norm > real(constant) / norm + tiny)
      return "a point that loses no more is further from the direction at radius " + norm.str(10);
  }
  regularisation_true_.emplace_back(radius, constant);
  return "";
}

std::string RunTruth::residual_objection(const Number& radius, const Number& residual) const {
  if (unit_.empty()) return "no direction";
  if (radius <= 0 || residual <= 0) return "no positive radius or residual";
  for (const int factor : {1, 3, 9}) {
    const Real norm = real(radius) * factor;
    if (norm * gamma_ > 100) break;
    Vector start;
    for (const Real& x : unit_) start.push_back(x * norm);
    Vector across = low_point(start, [](const Vector& w) { return Real(sqrt(dot(w, w))); }).w;
    const Real along = dot(across, unit_);
    for (std::size_t k = 0; k < dimension_; ++k) across[k] -= along * unit_[k];
    if (sqrt(dot(across, across)) > real(residual) + Real(tiny_text))
      return "a point that loses less is further from the ray at radius " + norm.str(10);
  }
  return "";
}

std::string RunTruth::norm_path_objection(const NormPath& path, const Number& radius,
                                          const Number& constant) {
  if (radius <= 0) return "no positive radius";
  for (const int factor : {1, 3, 9}) {
    const Real norm = real(radius) * factor;
    if (norm * gamma_ > 100) break;
    Vector start;
    for (const Real& x : path.ray) start.push_back(x * norm);
    const Point low = low_point(start, path.size);
    if (dot(path.direction, low.w) < path.reach * norm - real(constant) - Real(tiny_text))
      return "a point that loses no more is not as far along the dual matrix at radius " + norm.str(10);
  }
  return "";
}

std::string RunTruth::run_objection(const RunClaim& claim) {
  const std::vector<Number>& start = claim.iteration.start;
  if (!start.empty() && start.size() != dimension_) return "a start of the wrong size";
  if (unit_.empty()) return "no direction";
  const Real tiny(tiny_text);
  const std::vector<Point>& points = follow(claim.iteration, claim.steps);
  if (points.size() <= claim.steps) return "the gradient vanishes before the last step";
  const auto within = [&](const Real& x, const Band& band) {
    const Real slack = tiny * (1 + abs(x));
    return real(band.lo) <= x + slack && x <= real(band.hi) + slack;
  };
  for (const CheckpointClaim& claimed : claim.checkpoints) {
    const Point& point = points[claimed.at];
    const std::string when = " at step " + std::to_string(claimed.at);
    if (!within(point.norm, claimed.norm)) return "norm" + when;
    if (!within(point.along, claimed.along)) return "along" + when;
    if (!within(point.loss_gap, claimed.loss_gap)) return "loss gap" + when;
    if (!within(point.gradient, claimed.gradient)) return "gradient" + when;
    if (!within(point.unselected, claimed.unselected)) return "unselected" + when;
    if (!claimed.one_minus_corr) continue;
    if (point.norm == 0) return "no correlation" + when;
    if (!within(1 - point.along / point.norm, *claimed.one_minus_corr)) return "correlation" + when;
  }
  for (std::size_t t = 0; t < claim.loss_decreases_until; ++t)
    if (points[t + 1].loss_gap >= points[t].loss_gap)
      return "the loss does not decrease at step " + std::to_string(t);
  for (const RateClaim& rate : claim.rates) {
    for (std::size_t t = rate.from; t <= claim.steps; ++t) {
      const Real x(t), log_x = log(x);
      const std::map<std::string, Real> shapes{{"1/t^2", 1 / (x * x)},
                                               {"1/t", 1 / x},
                                               {"log(t)/t", log_x / x},
                                               {"log(t)^2/sqrt(t)", log_x * log_x / sqrt(x)},
                                               {"t^(-1/2)", 1 / sqrt(x)},
                                               {"t^(-3/4)", exp(-log_x * 3 / 4)},
                                               {"1/log(t)", t > 1 ? Real(1 / log_x) : Real(0)},
                                               {"1/log(t)^2", t > 1 ? Real(1 / (log_x * log_x)) : Real(0)}};
      if (1 - points[t].along / points[t].norm > real(rate.constant) * shapes.at(rate.shape) + tiny)
        return rate.shape + " at step " + std::to_string(t);
    }
  }
  return "";
}

std::string RunTruth::path_objection(const PathClaim& claim, const RunClaim& cited) {
  if (claim.until > cited.steps) return "beyond the run";
  if (unit_.empty()) return "no direction";
  const std::vector<Point>& points = follow(cited.iteration, claim.until);
  if (points.size() <= claim.until) return "the gradient vanishes";
  const auto residual_squared = [&](const Point& point) {
    Vector e = point.w;
    for (std::size_t k = 0; k < dimension_; ++k) e[k] -= point.along * unit_[k];
    return dot(e, e);
  };
  for (std::size_t t = claim.from; t < claim.until; ++t) {
    const std::string when = " at step " + std::to_string(t);
    const Real rise = points[t + 1].along - points[t].along;
    if (rise <= 0) return "no way along the direction" + when;
    if (residual_squared(points[t + 1]) - residual_squared(points[t]) >
        real(claim.constant) * rise + Real(tiny_text))
      return "path inequality" + when;
  }
  return "";
}

std::string RunTruth::bounds_objection(const ForeverClaim& claim, const std::vector<Point>& points,
                                       std::size_t first, std::size_t last,
                                       const Iteration& iteration) const {
  const Real tiny(tiny_text);
  const Real M = real(claim.path), E = real(claim.excess), R = real(claim.centre), G = real(claim.growth);
  if (E < 0 || M < 0 || R < 0) return "a negative bound";
  const auto off_direction = [&](Vector e, const Real& along) {
    for (std::size_t k = 0; k < dimension_; ++k) e[k] -= along * unit_[k];
    return e;
  };
  const Point& origin = points[first];
  const Vector centre = off_direction(origin.w, origin.along),
               base = off_direction(origin.moved, origin.risen);
  const bool natural = claim.theorem != "bounded";
  if (natural && sqrt(dot(centre, centre)) > R + tiny) return "centre";
  if (origin.along + tiny < real(claim.height)) return "height";
  const Real height = claim.linear ? Real(1) : Real(exp(gamma_ * origin.along));
  Real sizes;
  for (std::size_t t = first; t <= last; ++t) {
    const Point& point = points[t];
    const std::string when = " at step " + std::to_string(t);
    const Real rise = point.risen - origin.risen, reach = sqrt(E + M * rise);
    Vector e = off_direction(point.moved, point.risen);
    for (std::size_t k = 0; k < dimension_; ++k) e[k] -= base[k];
    // With another centre p both ends of a difference of residuals are within their reach of it.
    if (sqrt(dot(e, e)) > reach + (natural ? Real(0) : Real(sqrt(E))) + tiny) return "path" + when;
    for (std::size_t k = 0; k < dimension_; ++k) e[k] += centre[k];
    if (sqrt(dot(e, e)) > R + reach + tiny) return "residual" + when;
    const Real grown = claim.linear ? rise : Real(height * expm1(gamma_ * rise)), least = G * sizes;
    if (grown < least - tiny * (1 + abs(least))) return "growth" + when;
    sizes += step_size(iteration, t);
  }
  if (claim.dominates_from) {
    for (std::size_t t = *claim.dominates_from; t <= last; ++t)
      if (!points[t].dominated) return "a selected token does not dominate at step " + std::to_string(t);
  }
  return "";
}

std::string RunTruth::forever_objection(const ForeverClaim& claim, const RunClaim* cited, std::size_t later) {
  const Iteration& iteration = cited != nullptr ? cited->iteration : claim.iteration;
  if (!iteration.start.empty() && iteration.start.size() != dimension_) return "a start of the wrong size";
  if (unit_.empty()) return "no direction";
  const std::size_t first = cited != nullptr ? claim.at : 0, last = first + later;
  std::vector<ForeverClaim>& found = forever_true_[name_of(iteration) + " from " + std::to_string(first)];
  if (std::any_of(found.begin(), found.end(), [&](const ForeverClaim& one) { return implies(one, claim); }))
    return "";
  const std::vector<Point>& points = follow(iteration, last);
  if (points.size() <= last) return "the gradient vanishes";
  std::string why = bounds_objection(claim, points, first, last, iteration);
  if (why.empty()) found.push_back(claim);
  return why;
}

}  // namespace reference
