#include "numerics/runs/jacobian_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attest {
namespace {

constexpr double up = rounded_up;
constexpr std::size_t most_rows = 96;  // of a Gram matrix of tokens of all groups

// Does a floating Cholesky factorisation of (shift I - matrix) run to its end? If so, lmax(matrix) <= shift +
// 2 (size + 3) 2^-53 trace(shift I - matrix) (Demmel; Higham Thm 10.3). Lower triangles, row-major; `factor`
// is scratch.
bool shifted_cholesky(const std::vector<double>& matrix, std::vector<double>& factor, std::size_t size,
                      double shift) {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) factor[j * size + i] = -matrix[i * size + j];
    factor[i * size + i] += shift;
  }
  // The transposed factor, right-looking: every inner loop updates contiguous entries independently of each
  // other.
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = factor.data() + i * size;
    if (!(row[i] > 0) || !std::isfinite(row[i])) return false;
    const double pivot = std::sqrt(row[i]);
    for (std::size_t j = i + 1; j < size; ++j) row[j] /= pivot;
    for (std::size_t j = i + 1; j < size; ++j) {
      const double multiple = row[j];
      double* const below = factor.data() + j * size;
      for (std::size_t k = j; k < size; ++k) below[k] -= multiple * row[k];
    }
  }
  return true;
}

double dot(const double* x, const double* y, std::size_t count) {
  double sum = 0;
  for (std::size_t j = 0; j < count; ++j) sum += x[j] * y[j];
  return sum;
}

}  // namespace

double StepDerivative::spectral_norm(double kept) const {
  return std::max(kept + step * rise, step * fall - kept) * (1 + 0x1p-50);
}

JacobianBound::JacobianBound(const RunGeometry& geometry, const Budget* budget)
    : geometry_(&geometry), budget_(budget), guess_(geometry.groups.size(), 0) {
  const std::size_t most_size =
      std::max(std::min(geometry.groups.size(), geometry.query_dimension), most_rows);
  centred_.resize(geometry.rows * geometry.dimension);
  matrix_.resize(most_size * most_size);
  factor_.resize(most_size * most_size);
  product_.resize(geometry.groups.size() * geometry.dimension);
}

// The smallest shift found for which the factorisation succeeds, starting from a remembered guess; at most
// `most`, which is known to be a bound already. Guess and result are in the matrix's own units.
double JacobianBound::search_shift(const std::vector<double>& matrix, std::vector<double>& factor,
                                   std::size_t size, double guess, double most) const {
  double shift = guess > 0 ? std::min(guess * 0.96, most) : most / 16;
  if (shifted_cholesky(matrix, factor, size, shift)) return shift;
  for (double growth = 1.06; shift * growth < most; growth *= 1.04) {
    if (size >= 256) poll();  // a factorisation of a smaller matrix takes milliseconds
    shift *= growth;
    if (shifted_cholesky(matrix, factor, size, shift)) return shift;
  }
  return most;
}

// A bound of lmax(C_i) before rounding terms: from one shifted Cholesky factorisation in the group's frame.
double JacobianBound::group_bound(std::size_t index, double curvature, const JacobianPoint& point,
                                  double cheap, Room& room) const {
  const RunGroup& group = geometry_->groups[index];
  const std::size_t r = group.frame_dimension;
  const double* coordinates = geometry_->frame_values.data() + group.frame_first;
  const double* omega = point.omega.data() + group.first_row;
  const double* attention = point.attention.data() + group.first_row;
  const std::size_t reference = point.reference[index];
  const double* origin = coordinates + reference * r;
  std::vector<double>&x = room.framed, &matrix = room.matrix;
  x.resize(group.tokens * r);
  matrix.assign(r * r, 0.0);
  room.factor.resize(r * r);
  double mean[256];
  const bool small = r <= 256;
  std::vector<double> large(small ? 0 : r);
  double* centre = small ? mean : large.data();
  std::fill(centre, centre + r, 0.0);
  for (std::size_t t = 0; t < group.tokens; ++t) {
    for (std::size_t j = 0; j < r; ++j) {
      x[t * r + j] = coordinates[t * r + j] - origin[j];
      if (t != reference) centre[j] += attention[t] * x[t * r + j];
    }
  }
  for (std::size_t t = 0; t < group.tokens; ++t) {
    double* row = x.data() + t * r;
    for (std::size_t j = 0; j < r; ++j) row[j] -= centre[j];
    for (std::size_t i = 0; i < r; ++i) {
      const double factor = -omega[t] * row[i];
      double* out = matrix.data() + i * r;
      for (std::size_t j = 0; j <= i; ++j) out[j] += factor * row[j];
    }
  }
  if (curvature > 0) {  // V in the frame is -sum omega_t x~_t
    std::fill(centre, centre + r, 0.0);
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (std::size_t j = 0; j < r; ++j) centre[j] -= omega[t] * x[t * r + j];
    }
    for (std::size_t i = 0; i < r; ++i) {
      for (std::size_t j = 0; j <= i; ++j) matrix[i * r + j] -= curvature * centre[i] * centre[j];
    }
  }
  return search_shift(matrix, room.factor, r, guess_[index], cheap);
}

// The largest eigenvalue of sum_{omega > 0} omega (x~ z_i')(x~ z_i')' + sum_i kappa_i V_i V_i' (x) z_i z_i':
// that of the Gram matrix of the tokens that matter, and the traces of the rest.
double JacobianBound::falling_bound(const JacobianPoint& point, const std::vector<double>& curved,
                                    double norm) {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension, e = geometry.query_dimension;
  struct Row {
    std::size_t group, index;
    double weight, trace;
  };
  std::vector<Row> rows;
  double total = 0, rest = 0;
  for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
    const RunGroup& group = geometry.groups[i];
    const double query = group.query_norm * group.query_norm;
    rest += curved[i] * query;
    for (std::size_t row = group.first_row; row < group.first_row + group.tokens; ++row) {
      if (!(point.omega[row] > 0)) continue;
      const double square = dot(centred_.data() + row * d, centred_.data() + row * d, d);
      rows.push_back({i, row, std::sqrt(point.omega[row]), point.omega[row] * square * query});
      total += rows.back().trace;
    }
  }
  std::erase_if(rows, [&](const Row& row) {
    if (row.trace > total * 0x1p-20) return false;
    rest += row.trace;
    return true;
  });
  const std::size_t size = rows.size();
  if (size > most_rows) return std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const double tokens = dot(centred_.data() + rows[a].index * d, centred_.data() + rows[b].index * d, d);
      const double queries = dot(geometry.query_values.data() + rows[a].group * e,
                                 geometry.query_values.data() + rows[b].group * e, e);
      matrix_[a * size + b] = rows[a].weight * rows[b].weight * tokens * queries;
    }
  }
  total *= up;
  const double shift = search_shift(matrix_, factor_, size, falling_guess_ * norm, total);
  falling_guess_ = shift / norm;
  return (std::min(total, shift + 4 * static_cast<double>(size + d + e + 8) * 0x1p-52 *
                                      (static_cast<double>(size) * shift + total)) +
          rest) *
         up;
}

// Relative perturbation of all group quantities over the ball and by rounding (proofs/statements/RUNS.md
// section 6).
std::optional<JacobianBound::Slack> JacobianBound::slack_over_ball(const JacobianPoint& point,
                                                                   const StepReach& extent) const {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size();
  std::size_t most_tokens = 0;
  double spread = 0;
  for (const RunGroup& group : geometry.groups) {
    most_tokens = std::max(most_tokens, group.tokens);
    spread = std::max(spread, group.score_spread);
  }
  const double terms =
      static_cast<double>(3 * most_tokens + 4 * (geometry.dimension + geometry.query_dimension) + 2 * n + 64);
  const double eta = ((12 + geometry.response * spread) * extent.logit_radius + terms * 0x1p-52) * up;
  if (!((2 + geometry.response * spread) * extent.logit_radius < 0.05)) return std::nullopt;

  Slack slack;
  slack.mass.resize(n);
  slack.direction = terms * 0x1p-52;
  for (std::size_t i = 0; i < n; ++i) {
    const RunGroup& group = geometry.groups[i];
    const double mass = slack.mass[i] = 2 * point.unselected[i] * group.score_spread * up;
    const double reach = group.query_norm * group.diameter;
    const double absolute = 4 * static_cast<double>(group.tokens) * point.omega_slack;
    slack.velocity += reach * (mass * eta + absolute);
    slack.derivative += reach * reach * (1 + 5 * group.score_spread) * (mass * eta + absolute);
    // ||kappa_i V_i V_i'|| <= 2 spread mass diameter^2, as in `size`.
    if (std::isinf(point.curvature[i])) slack.derivative += 2 * group.score_spread * mass * reach * reach;
    slack.size += mass * reach * reach * (1 + 2 * group.score_spread);
  }
  slack.velocity = (slack.velocity + point.velocity_error) * up;
  slack.derivative *= up;
  slack.size *= up;
  const double norm = slack.speed.centre = point.velocity_norm;
  slack.speed.low = norm * (1 - 0x1p-44) - slack.velocity;
  slack.speed.high = norm * (1 + 0x1p-44) + slack.velocity;
  if (!(slack.speed.low > 0.75 * norm) || !std::isfinite(norm) || !std::isfinite(slack.size))
    return std::nullopt;
  return slack;
}

// Tokens centred at their softmax mean (centred_), C_i v_z (product_), and traces of the signed parts of C_i.
JacobianBound::Parts JacobianBound::centre(const JacobianPoint& point) {
  const std::size_t n = geometry_->groups.size();
  Parts parts;
  parts.rising.resize(n);
  parts.falling.resize(n);
  parts.curved.resize(n);
  parts.curvature = point.curvature;
  for (double& curvature : parts.curvature) curvature = std::isinf(curvature) ? 0 : curvature;
  std::vector<double> rayleigh(n);
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (i % 16 == 0) poll();
      rayleigh[i] = centre_group(i, point, parts);
    }
  });
  for (const double of_group : rayleigh) parts.rayleigh += of_group;
  parts.rayleigh /= point.velocity_norm * point.velocity_norm;
  return parts;
}

// One group's; returns v_z'C_i v_z.
double JacobianBound::centre_group(std::size_t i, const JacobianPoint& point, Parts& parts) {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension;
  const RunGroup& group = geometry.groups[i];
  const double* origin = geometry.token_values.data() + (group.first_row + point.reference[i]) * d;
  const double* attention = point.attention.data() + group.first_row;
  const double* omega = point.omega.data() + group.first_row;
  const double* direction = point.velocity_z.data() + i * d;
  const double* velocity = point.velocity.data() + i * d;
  double* const x = centred_.data() + group.first_row * d;
  double* out = product_.data() + i * d;
  std::fill(out, out + d, 0.0);
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const double* value = geometry.token_values.data() + (group.first_row + t) * d;
    for (std::size_t j = 0; j < d; ++j) {
      x[t * d + j] = value[j] - origin[j];
      if (t != point.reference[i]) out[j] += attention[t] * x[t * d + j];
    }
  }
  for (std::size_t t = 0; t < group.tokens; ++t) {
    for (std::size_t j = 0; j < d; ++j) x[t * d + j] -= out[j];
  }
  std::fill(out, out + d, 0.0);
  double positive = 0, negative = 0;
  for (std::size_t t = 0; t < group.tokens; ++t) {
    const double* row = x + t * d;
    const double along = dot(row, direction, d), square = dot(row, row, d);
    const double weight = omega[t];
    (weight < 0 ? positive : negative) += std::abs(weight) * square;
    for (std::size_t j = 0; j < d; ++j) out[j] -= weight * along * row[j];
  }
  const double curvature = parts.curvature[i];
  const double along = dot(velocity, direction, d), square = dot(velocity, velocity, d);
  for (std::size_t j = 0; j < d; ++j) out[j] -= curvature * along * velocity[j];
  parts.rising[i] = positive * up;
  parts.curved[i] = curvature * square * up;
  parts.falling[i] = (negative + parts.curved[i]) * up;
  return dot(out, direction, d);
}

// ||b||, b = (I - vv') D v = sum_i (C_i v_z - (v'Dv) V_i) z_i' / ||V||^2, measured as a d x e matrix; after
// centre().
double JacobianBound::across_at_centre(const JacobianPoint& point, double rayleigh) const {
  const RunGeometry& geometry = *geometry_;
  const std::size_t d = geometry.dimension, e = geometry.query_dimension;
  constexpr std::size_t least_products = 1 << 17;  // a piece: some 50 microseconds
  const std::size_t together = least_products / (geometry.groups.size() * e + 1) + 1;
  std::vector<double> squares(d);  // of the matrix's rows
  parallel_for((d + together - 1) / together, [&](std::size_t piece) {
    std::vector<double> row(e);
    for (std::size_t j = piece * together; j < std::min(d, (piece + 1) * together); ++j) {
      std::fill(row.begin(), row.end(), 0.0);
      for (std::size_t i = 0; i < geometry.groups.size(); ++i) {
        const double coefficient = product_[i * d + j] - rayleigh * point.velocity[i * d + j];
        const double* query = geometry.query_values.data() + i * e;
        for (std::size_t k = 0; k < e; ++k) row[k] += coefficient * query[k];
      }
      squares[j] = dot(row.data(), row.data(), e);
    }
  });
  double square = 0;
  for (const double of_row : squares) square += of_row;
  return std::sqrt(square) / (point.velocity_norm * point.velocity_norm);
}

// lmax(sum c_i z_i z_i'): of the Gram matrix of the sqrt(c_i) z_i and the sum itself, which have the same
// largest eigenvalue, the smaller one is taken. An entry of either is off by at most n + e + 6 roundings of
// traces' size.
double JacobianBound::gram_bound(const std::vector<double>& c, double trace, double guess) {
  const RunGeometry& geometry = *geometry_;
  const std::size_t n = geometry.groups.size(), e = geometry.query_dimension, order = std::min(n, e);
  const double* const query = geometry.query_values.data();
  if (n <= e) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        matrix_[i * n + j] = std::sqrt(c[i] * c[j]) * dot(query + i * e, query + j * e, e);
    }
  } else {
    std::fill_n(matrix_.begin(), e * e, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t a = 0; a < e; ++a) {
        const double factor = c[i] * query[i * e + a];
        for (std::size_t b = 0; b <= a; ++b) matrix_[a * e + b] += factor * query[i * e + b];
      }
    }
  }
  const double shift = search_shift(matrix_, factor_, order, guess, trace);
  // Backward error of the factorisation and rounding of the matrix entries, both against traces.
  return std::min(trace, shift + 4 * static_cast<double>(n + e + 6) * 0x1p-52 *
                                     (static_cast<double>(n) * shift + trace)) *
         up;
}

// lmax of the derivative of V, from one factorisation a group.
double JacobianBound::rising_bound(const JacobianPoint& point, const Parts& parts, const Slack& slack) {
  const std::size_t n = geometry_->groups.size();
  const double norm = slack.speed.centre;
  std::vector<double> sharp(n);
  geometry_->for_each_part([&](std::size_t first, std::size_t end) {
    Room room;
    for (std::size_t i = first; i < end; ++i) {
      const RunGroup& group = geometry_->groups[i];
      if (slack.mass[i] == 0) continue;
      if (i % 16 == 0) poll();
      guess_[i] *= norm;
      const double bound = group_bound(i, parts.curvature[i], point, parts.rising[i], room);
      guess_[i] = bound / norm;
      const double total = slack.mass[i] * group.diameter * group.diameter * (1 + 2 * group.score_spread);
      const double r = static_cast<double>(group.frame_dimension);
      sharp[i] = std::min(parts.rising[i], bound + 2 * (r + 3) * 0x1p-52 * (r * bound + total)) * up;
    }
  });
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i)
    trace += sharp[i] * geometry_->groups[i].query_norm * geometry_->groups[i].query_norm * up;
  trace *= up;
  const double above = gram_bound(sharp, trace, gram_guess_ * norm);
  gram_guess_ = above / norm;
  return above;
}

// The 2-norm of what left_out bounds group by group, positive semidefinite: first by the sum of the groups'
// norms.
double JacobianBound::left_out_bound(const JacobianPoint& point, double step, double norm) {
  if (point.left_out.empty()) return 0;
  std::vector<double> bound(point.left_out.size());
  double trace = 0;
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const RunGroup& group = geometry_->groups[i];
    bound[i] = point.left_out[i] * group.diameter * group.diameter * up;
    trace += bound[i] * group.query_norm * group.query_norm * up;
  }
  constexpr double negligible = 0x1p-16;
  if (!(step * trace / norm > negligible)) return trace * up;
  const double sharp = gram_bound(bound, trace * up, left_out_guess_ * norm);
  left_out_guess_ = sharp / norm;
  return sharp;
}

std::optional<StepDerivative> JacobianBound::operator()(const UpdateRule& rule, const JacobianPoint& point,
                                                        const StepReach& extent, double most_fall) {
  const std::optional<Slack> slack = slack_over_ball(point, extent);
  if (!slack) return std::nullopt;
  const auto [norm, low, high] = slack->speed;
  const Parts parts = centre(point);
  const double rayleigh = parts.rayleigh / norm;  // v'Dv
  // Relative slack of D, and of v and of both norms where they enter.
  const double d_slack = slack->derivative / low;
  const double d_size = slack->size / low;
  const double v_slack = 3 * slack->velocity / low + slack->direction;

  StepDerivative derivative;
  derivative.eta = extent.eta;
  derivative.step = extent.step_length * rule.lengthening(slack->speed, extent.gap_slack);
  // What is left out, -B with 0 <= B <= bend, is made as -bend/2: B - bend/2 has at most that norm.
  const double bend = left_out_bound(point, derivative.step, norm) / low * up;
  derivative.along = rayleigh - bend / 2;
  derivative.along_slack = bend / 2 * up +
                           std::abs(rayleigh) * (std::pow(high / low, 4) * up - 1 + 2 * extent.gap_slack) +
                           d_slack + 4 * d_size * v_slack;
  derivative.across = (across_at_centre(point, parts.rayleigh) * (high / low) * (high / low) + 4 * d_slack +
                       8 * d_size * v_slack + bend / 2) *
                      up;

  // lmax and -lmin of the derivative of V: cheap traces first.
  double above = 0, under = 0;
  for (std::size_t i = 0; i < geometry_->groups.size(); ++i) {
    const double weight = geometry_->groups[i].query_norm * geometry_->groups[i].query_norm;
    above += weight * parts.rising[i];
    under += weight * parts.falling[i];
  }
  // A cheap bound this small costs less than half a bit in 20000 steps.
  constexpr double negligible = 0x1p-16;
  const double scale = derivative.step;
  if (scale * above / norm > negligible) above = rising_bound(point, parts, *slack);
  if (scale * under / norm > most_fall) under = gram_bound(parts.falling, under * up, 0);
  if (scale * under / norm > most_fall) under = std::min(under, falling_bound(point, parts.curved, norm));
  derivative.rise = (above / low + d_slack) * up;
  derivative.fall = (under / low + d_slack + bend) * up;
  return derivative;
}

}  // namespace attest
