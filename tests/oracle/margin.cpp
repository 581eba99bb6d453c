// Goldfarb and Idnani's dual active-set method over the rationals, with a final check of its own answer.
#include "tests/oracle/margin.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/oracle/linear_algebra.hpp"

namespace reference {

namespace {

[[noreturn]] void broken(const char* what) {
  std::cerr << "reference::solve_margin: own answer fails its check: " << what << '\n';
  std::abort();
}

Matrix gram(const std::vector<Row>& rows) {
  Matrix G(rows.size(), Row(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) G[i][j] = G[j][i] = dot(rows[i], rows[j]);
  return G;
}

// State of the dual method: a linearly independent active set and its multipliers.
class DualActiveSet {
 public:
  explicit DualActiveSet(Matrix gram_matrix) : G_(std::move(gram_matrix)), lambda_(G_.size()) {}

  // Runs to the end; false when infeasible, and then farkas() is the witness.
  bool run() {
    for (;;) {
      const auto violated = first_violated();
      if (!violated) return true;
      if (!add(*violated)) return false;
    }
  }

  const Row& lambda() const { return lambda_; }
  const Row& farkas() const { return farkas_; }

 private:
  Number margin(std::size_t c) const { return dot(G_[c], lambda_); }

  std::optional<std::size_t> first_violated() const {
    for (std::size_t c = 0; c < G_.size(); ++c)
      if (margin(c) < 1) return c;
    return std::nullopt;
  }

  // Raises the multiplier of the violated constraint p until it is tight, dropping active constraints whose
  // multiplier reaches zero on the way.
  bool add(std::size_t p) {
    for (;;) {
      const std::size_t k = active_.size();
      Matrix G_active(k, Row(k));
      Row column(k);
      for (std::size_t a = 0; a < k; ++a) {
        column[a] = G_[active_[a]][p];
        for (std::size_t b = 0; b < k; ++b) G_active[a][b] = G_[active_[a]][active_[b]];
      }
      const Row r = solve(G_active, column);
      const Number curvature = G_[p][p] - dot(column, r);  // squared length of Delta_p beyond the active span
      std::optional<std::size_t> drop;
      Number step;
      for (std::size_t a = 0; a < k; ++a) {
        if (r[a] <= 0) continue;
        const Number ratio = lambda_[active_[a]] / r[a];
        if (!drop || ratio < step) drop = a, step = ratio;
      }
      if (curvature == 0 && !drop) {
        farkas_.assign(G_.size(), 0);
        farkas_[p] = 1;
        for (std::size_t a = 0; a < k; ++a) farkas_[active_[a]] = -r[a];
        return false;
      }
      bool full = false;
      if (curvature != 0) {
        const Number to_tight = (1 - margin(p)) / curvature;
        if (!drop || to_tight <= step) step = to_tight, full = true;
      }
      for (std::size_t a = 0; a < k; ++a) lambda_[active_[a]] -= step * r[a];
      lambda_[p] += step;
      if (full) {
        active_.push_back(p);
        return true;
      }
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(*drop));
    }
  }

  Matrix G_;
  Row lambda_;
  Row farkas_;
  std::vector<std::size_t> active_;
};

void check_farkas(const MarginAnswer& answer) {
  Number total = 0;
  for (const Number& entry : answer.farkas) {
    if (entry < 0) broken("negative Farkas entry");
    total += entry;
  }
  if (total <= 0) broken("Farkas vector is zero");
  for (const Number& entry : answer.combination(answer.farkas))
    if (entry != 0) broken("Farkas combination is not zero");
}

void check_optimal(const MarginAnswer& answer) {
  for (std::size_t c = 0; c < answer.constraints.size(); ++c) {
    if (answer.multipliers[c] < 0) broken("negative multiplier");
    if (answer.margins[c] < 1) broken("margin below 1");
    if (answer.multipliers[c] > 0 && answer.margins[c] != 1) broken("complementarity");
  }
}

}  // namespace

std::optional<std::size_t> MarginAnswer::position(const Pair& constraint) const {
  const auto found = std::lower_bound(constraints.begin(), constraints.end(), constraint);
  if (found == constraints.end() || *found != constraint) return std::nullopt;
  return static_cast<std::size_t>(found - constraints.begin());
}

Row MarginAnswer::combination(const Row& coefficients) const {
  Row sum(differences.empty() ? 0 : differences[0].size());
  for (std::size_t c = 0; c < coefficients.size(); ++c) {
    if (coefficients[c] == 0) continue;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += coefficients[c] * differences[c][j];
  }
  return sum;
}

MarginAnswer solve_margin(const Dataset& data, const Choice& choice) {
  MarginAnswer answer;
  answer.globally_optimal = true;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const Row selected = feature(data, i, choice[i]);
    for (std::size_t t = 0; t < data.X[i].size(); ++t) {
      if (first_equal(data, i, t) != t || t == choice[i]) continue;
      Row difference = feature(data, i, t);
      for (std::size_t j = 0; j < difference.size(); ++j) difference[j] = selected[j] - difference[j];
      answer.constraints.emplace_back(i, t);
      answer.differences.push_back(std::move(difference));
      answer.gaps.push_back(score_gap(data, i, choice[i], t));
      if (answer.gaps.back() <= 0) answer.globally_optimal = false;
    }
  }
  DualActiveSet method(gram(answer.differences));
  answer.feasible = method.run();
  if (!answer.feasible) {
    answer.farkas = method.farkas();
    check_farkas(answer);
    return answer;
  }
  answer.multipliers = method.lambda();
  const auto [rows, columns] = feature_shape(data);
  answer.solution = answer.combination(answer.multipliers);
  answer.solution.resize(rows * columns);
  answer.norm_squared = dot(answer.solution, answer.solution);
  for (const Row& difference : answer.differences) answer.margins.push_back(dot(difference, answer.solution));
  check_optimal(answer);
  answer.locally_optimal = true;
  for (std::size_t c = 0; c < answer.constraints.size(); ++c) {
    if (answer.margins[c] != 1) continue;
    answer.support.push_back(c);
    if (answer.gaps[c] <= 0) answer.locally_optimal = false;
  }
  Matrix as_matrix(rows, Row(columns));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) as_matrix[i][j] = answer.solution[i * columns + j];
  answer.solution_rank = rank(as_matrix);
  return answer;
}

bool multiplier_can_be_positive(const MarginAnswer& answer, std::size_t position) {
  if (answer.multipliers[position] > 0) return true;
  // On the support every margin of w* is 1, so lambda >= 0 gives w* exactly when the support's Gram matrix
  // maps it to the all-ones vector.
  std::vector<Row> rows;
  std::size_t target = answer.support.size();
  for (std::size_t k = 0; k < answer.support.size(); ++k) {
    rows.push_back(answer.differences[answer.support[k]]);
    if (answer.support[k] == position) target = k;
  }
  if (target == answer.support.size()) return false;
  const auto best = maximise_entry(gram(rows), Row(rows.size(), 1), target);
  if (!best) broken("no multipliers on the support");
  return (*best)[target] > 0;
}

bool strictly_complementary(const MarginAnswer& answer) {
  // Multiplier vectors form a convex set, so one that is positive everywhere exists as soon as each entry can
  // be.
  return std::all_of(answer.support.begin(), answer.support.end(),
                     [&](std::size_t c) { return multiplier_can_be_positive(answer, c); });
}

}  // namespace reference
