#include "numerics/joint/direction.hpp"

#include <algorithm>
#include <memory>

#include "numerics/margin/primal_dual.hpp"

namespace attest {
namespace {

std::vector<Ball> row_of(const ExactArray& array, std::size_t row, std::size_t columns) {
  std::vector<Ball> result;
  for (std::size_t j = 0; j < columns; ++j)
    result.emplace_back(array.exact(row * columns + j), direction_bits);
  return result;
}

// The vector's values, each within `radius`, in the order of the rows; false if one of them is not there.
bool values_of(const EnclosedRows& rows, const ConstraintVector& vector, const Rational& radius,
               std::vector<Ball>& values) {
  values.assign(rows.at.size(), Ball());
  for (std::size_t k = 0; k < vector.size(); ++k) {
    const auto place = std::lower_bound(rows.at.begin(), rows.at.end(), vector.constraint[k]);
    if (place == rows.at.end() || *place != vector.constraint[k]) return false;
    const Rational value = vector.value(k);
    values[static_cast<std::size_t>(place - rows.at.begin())] =
        Ball(value - radius, value + radius, direction_bits);
  }
  return true;
}

}  // namespace

Ball EnclosedRows::product(std::size_t a, std::size_t b) const {
  return mul(dot(difference[a], difference[b], direction_bits),
             dot(query[at[a].group], query[at[b].group], direction_bits), direction_bits);
}

Ball EnclosedRows::margin(std::size_t c, const std::vector<Ball>& matrix) const {
  Ball sum;
  for (std::size_t j = 0; j < d; ++j)
    add_product(sum, difference[c][j], dot({matrix.data() + j * e, e}, query[at[c].group], direction_bits),
                direction_bits);
  return sum;
}

std::vector<Ball> EnclosedRows::combination(const std::vector<Ball>& values) const {
  std::vector<Ball> sum(d * e);
  for (std::size_t c = 0; c < at.size(); ++c) {
    if (arb_is_zero(values[c].raw()) != 0) continue;
    for (std::size_t j = 0; j < d; ++j) {
      const Ball part = mul(values[c], difference[c][j], direction_bits);
      for (std::size_t k = 0; k < e; ++k)
        add_product(sum[j * e + k], part, query[at[c].group][k], direction_bits);
    }
  }
  return sum;
}

EnclosedRows enclosed_rows(const TokenData& data, const Selection& selection) {
  EnclosedRows rows;
  rows.d = data.left_dimension;
  rows.e = data.right_dimension;
  rows.at = constraints(data, selection);
  for (const Constraint& c : rows.at) {
    std::vector<Ball>& difference = rows.difference.emplace_back();
    const std::size_t winner = data.row(c.group, selection[c.group]) * rows.d,
                      loser = data.row(c.group, c.token) * rows.d;
    for (std::size_t j = 0; j < rows.d; ++j)
      difference.emplace_back(data.token_factor.exact(winner + j) - data.token_factor.exact(loser + j),
                              direction_bits);
  }
  for (std::size_t i = 0; i < data.groups(); ++i) rows.query.push_back(row_of(data.query_factor, i, rows.e));
  return rows;
}

std::optional<Direction> direction_of(const EnclosedRows& rows, const MarginSolution& solution) {
  const std::unique_ptr<PrimalDual> known = primal_dual(solution);
  if (!known) return std::nullopt;
  const Ball norm = sqrt(known->value_squared(direction_bits), direction_bits);
  std::vector<Ball> values;
  if (!certainly_positive(norm) || !values_of(rows, known->primal(), 0, values)) return std::nullopt;
  Direction direction;
  direction.margin = inverse(norm, direction_bits);
  const Rational radius = known->primal_radius();
  const Ball near(-radius, radius, direction_bits);
  for (const Ball& entry : rows.combination(values))
    direction.entries.push_back(div(add(entry, near, direction_bits), norm, direction_bits));
  const ConstraintVector* dual = known->dual();
  if (dual == nullptr || !values_of(rows, *dual, known->dual_radius(), values)) return direction;
  // sum lambda = ||W*||^2 over the rows that ask for a margin, so mu = lambda/||W*||^2.
  for (Ball& value : values) value = div(value, known->value_squared(direction_bits), direction_bits);
  direction.multipliers = std::move(values);
  return direction;
}

}  // namespace attest
