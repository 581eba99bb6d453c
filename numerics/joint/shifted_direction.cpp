#include "numerics/joint/shifted_direction.hpp"

#include <arb_mat.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "numerics/numbers/dense.hpp"

namespace attest {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_rows = 2000;
constexpr double most_gap = 0x1p-40;  // relative; the direction is known to its root

bool same_row(const EnclosedRows& rows, std::size_t a, std::size_t b) {
  const auto equal = [](const std::vector<Ball>& x, const std::vector<Ball>& y) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (!x[j].is_exact() || arb_equal(x[j].raw(), y[j].raw()) == 0) return false;
    }
    return true;
  };
  return equal(rows.difference[a], rows.difference[b]) &&
         equal(rows.query[rows.at[a].group], rows.query[rows.at[b].group]);
}

// One row of every class of equal ones, that with the least shift: no other asks for more.
std::vector<std::size_t> different_rows(const EnclosedRows& rows, const VectorXd& shift) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < rows.at.size(); ++c) {
    const auto other =
        std::find_if(kept.begin(), kept.end(), [&](std::size_t k) { return same_row(rows, c, k); });
    if (other == kept.end()) {
      kept.push_back(c);
    } else if (shift[index(c)] < shift[index(*other)]) {
      *other = c;
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

// min 1/2 ||u||^2 with <Delta_c,u> >= level - h_c by Hildreth's sweeps, `level` moved by Newton's rule until
// ||u|| = 1: multipliers, in doubles.
VectorXd guess_multipliers(const MatrixXd& gram, const VectorXd& shift, const Budget& budget) {
  VectorXd lambda = VectorXd::Zero(gram.rows()), image = lambda;  // image = G lambda
  double level = 1 + shift.minCoeff();
  for (int round = 0; round < 200; ++round) {
    budget.poll();
    for (int sweep = 0; sweep < 100; ++sweep) {
      double moved = 0;
      for (Eigen::Index c = 0; c < gram.rows(); ++c) {
        if (!(gram(c, c) > 0)) continue;
        const double next = std::max(0.0, lambda[c] + (level - shift[c] - image[c]) / gram(c, c));
        const double change = next - lambda[c];
        if (change == 0) continue;
        image += change * gram.col(c);
        lambda[c] = next;
        moved = std::max(moved, std::abs(change) * gram(c, c));
      }
      if (moved < 1e-14 * (1 + std::abs(level))) break;
    }
    const double total = lambda.sum(), square = lambda.dot(image);
    if (!(total > 0) || !std::isfinite(square)) break;
    const double change = (1 - square) / (2 * total);
    level += change;
    if (std::abs(change) < 1e-15 * (1 + std::abs(level)) && round > 2) break;
  }
  return lambda;
}

// Multipliers that balance the rows of `active` at ||u|| = 1: G lambda = level 1 - h, a quadratic equation
// for `level`. Empty where G is singular or nothing balances. The result is a proposal: middles.
std::vector<Ball> balanced(const EnclosedRows& rows, const std::vector<std::size_t>& active,
                           const std::vector<Ball>& shift) {
  const auto size = static_cast<slong>(active.size());
  arb_mat_t gram, right, solved;
  arb_mat_init(gram, size, size);
  arb_mat_init(right, size, 2);
  arb_mat_init(solved, size, 2);
  for (slong a = 0; a < size; ++a) {
    for (slong b = 0; b < size; ++b)
      arb_set(arb_mat_entry(gram, a, b),
              rows.product(active[static_cast<std::size_t>(a)], active[static_cast<std::size_t>(b)]).raw());
    arb_one(arb_mat_entry(right, a, 0));
    arb_get_mid_arb(arb_mat_entry(right, a, 1),
                    shift[rows.at[active[static_cast<std::size_t>(a)]].group].raw());
  }
  std::vector<Ball> lambda;
  if (arb_mat_solve(solved, gram, right, direction_bits) != 0) {
    Ball ones, mixed, shifts;  // 1'G^-1 1, 1'G^-1 h, h'G^-1 h
    for (slong a = 0; a < size; ++a) {
      arb_add(ones.raw(), ones.raw(), arb_mat_entry(solved, a, 0), direction_bits);
      arb_add(mixed.raw(), mixed.raw(), arb_mat_entry(solved, a, 1), direction_bits);
      arb_addmul(shifts.raw(), arb_mat_entry(solved, a, 1), arb_mat_entry(right, a, 1), direction_bits);
    }
    const Ball root = sub(square(mixed, direction_bits),
                          mul(ones, sub(shifts, Ball(1), direction_bits), direction_bits), direction_bits);
    const Ball level = div(add(mixed, sqrt(root, direction_bits), direction_bits), ones, direction_bits);
    for (slong a = 0; level.is_finite() && a < size; ++a) {
      Ball& value = lambda.emplace_back();
      arb_set(value.raw(), arb_mat_entry(solved, a, 1));
      arb_neg(value.raw(), value.raw());
      arb_addmul(value.raw(), level.raw(), arb_mat_entry(solved, a, 0), direction_bits);
      mag_zero(arb_radref(value.raw()));
    }
  }
  arb_mat_clear(gram);
  arb_mat_clear(right);
  arb_mat_clear(solved);
  return lambda;
}

// sum value_c over the rows becomes 1; negative ones 0.
std::vector<Ball> normalised(const EnclosedRows& rows, const std::vector<std::size_t>& at,
                             const std::vector<Ball>& values) {
  Ball sum;
  std::vector<Ball> result(rows.at.size());
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (certainly_positive(values[k])) sum = add(sum, values[k], direction_bits);
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (!certainly_positive(values[k])) continue;
    result[at[k]] = div(values[k], sum, direction_bits);
    mag_zero(arb_radref(result[at[k]].raw()));
  }
  return result;
}

// What a combination proves: see ShiftedDirection.
std::optional<ShiftedDirection> proved(const EnclosedRows& rows, const std::vector<Ball>& shift,
                                       const std::vector<Ball>& mu) {
  ShiftedDirection found;
  std::vector<Ball> r = rows.combination(mu);
  const Ball norm = sqrt(dot(r, r, direction_bits), direction_bits);
  if (!certainly_positive(norm)) return std::nullopt;
  for (Ball& entry : r) entry = div(entry, norm, direction_bits);
  Ball total, above = norm, lowest, least;
  for (std::size_t c = 0; c < rows.at.size(); ++c) {
    const Ball margin = rows.margin(c, r);
    const Ball shifted = add(margin, shift[rows.at[c].group], direction_bits);
    lowest = c == 0 ? shifted : min(lowest, shifted, direction_bits);
    least = c == 0 ? margin : min(least, margin, direction_bits);
    total = add(total, mu[c], direction_bits);
    add_product(above, mu[c], shift[rows.at[c].group], direction_bits);
  }
  const Ball gap = div(sub(above, mul(total, lowest, direction_bits), direction_bits), norm, direction_bits);
  if (!gap.is_finite()) return std::nullopt;
  found.gap = std::max(0.0, gap.upper_double());
  // ||u - r/||r|| ||^2 = 2 (1 - <u, r/||r||>).
  const Ball distance(std::sqrt(2 * found.gap) * (1 + 0x1p-40));
  Ball near;
  arb_add_error(near.raw(), distance.raw());
  for (const Ball& entry : r) found.direction.entries.push_back(add(entry, near, direction_bits));
  found.direction.margin = hull(lowest, div(above, total, direction_bits), direction_bits);
  for (std::size_t c = 0; c < rows.at.size(); ++c) {
    const Ball margin = rows.margin(c, found.direction.entries);
    found.least_margin = c == 0 ? margin : min(found.least_margin, margin, direction_bits);
  }
  found.combination = mu;
  return found;
}

// Exchanges rows of the active set until it balances; then with all digits.
std::optional<ShiftedDirection> polished(const EnclosedRows& rows, const std::vector<std::size_t>& kept,
                                         const std::vector<Ball>& shift, std::vector<std::size_t> active,
                                         const Budget& budget) {
  for (std::size_t round = 0; round < 2 * kept.size() + 10 && !active.empty(); ++round) {
    budget.poll();
    const std::vector<Ball> lambda = balanced(rows, active, shift);
    if (lambda.empty()) return std::nullopt;
    std::size_t worst = 0;
    for (std::size_t k = 1; k < active.size(); ++k) {
      if (lambda[k].approx_mid() < lambda[worst].approx_mid()) worst = k;
    }
    if (certainly_negative(lambda[worst])) {
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(worst));
      continue;
    }
    std::vector<Ball> all(rows.at.size());
    for (std::size_t k = 0; k < active.size(); ++k) all[active[k]] = lambda[k];
    const std::vector<Ball> u = rows.combination(all);
    const Ball level =
        add(rows.margin(active.front(), u), shift[rows.at[active.front()].group], direction_bits);
    std::size_t entering = rows.at.size();
    double lowest = -1e-30;
    for (const std::size_t c : kept) {
      const double slack =
          sub(add(rows.margin(c, u), shift[rows.at[c].group], direction_bits), level, direction_bits)
              .approx_mid();
      if (slack >= lowest || std::binary_search(active.begin(), active.end(), c)) continue;
      lowest = slack;
      entering = c;
    }
    if (entering == rows.at.size()) return proved(rows, shift, normalised(rows, active, lambda));
    active.insert(std::lower_bound(active.begin(), active.end(), entering), entering);
  }
  return std::nullopt;
}

}  // namespace

std::optional<ShiftedDirection> shifted_direction(const EnclosedRows& rows, const std::vector<Ball>& shift,
                                                  const Budget& budget, std::string& reason) {
  if (rows.at.empty() || rows.at.size() > most_rows) {
    reason = rows.at.empty() ? "no sequence has two different tokens"
                             : "more than " + std::to_string(most_rows) + " rows";
    return std::nullopt;
  }
  VectorXd heights(index(rows.at.size()));
  for (std::size_t c = 0; c < rows.at.size(); ++c) heights[index(c)] = shift[rows.at[c].group].approx_mid();
  const std::vector<std::size_t> kept = different_rows(rows, heights);
  const auto size = index(kept.size());
  MatrixXd gram(size, size);
  VectorXd kept_heights(size);
  for (Eigen::Index a = 0; a < size; ++a) {
    kept_heights[a] = heights[index(kept[static_cast<std::size_t>(a)])];
    for (Eigen::Index b = 0; b <= a; ++b)
      gram(a, b) = gram(b, a) =
          rows.product(kept[static_cast<std::size_t>(a)], kept[static_cast<std::size_t>(b)]).approx_mid();
  }
  const VectorXd lambda = guess_multipliers(gram, kept_heights, budget);
  std::vector<std::size_t> active;
  std::vector<Ball> guessed;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    guessed.emplace_back(lambda[index(k)]);
    if (lambda[index(k)] > 1e-9 * lambda.maxCoeff()) active.push_back(kept[k]);
  }
  std::optional<ShiftedDirection> found = polished(rows, kept, shift, active, budget);
  if (!found || !(found->gap <= most_gap)) {
    const auto plain = proved(rows, shift, normalised(rows, kept, guessed));
    if (plain && (!found || plain->gap < found->gap)) found = plain;
  }
  if (!found || !(found->gap <= most_gap)) {
    reason = found ? "precision: the direction is known only but for a gap of " + std::to_string(found->gap)
                   : "no direction separates the rows, or none was found";
    return std::nullopt;
  }
  found->merged = rows.at.size() - kept.size();
  return found;
}

}  // namespace attest
