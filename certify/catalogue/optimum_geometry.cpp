// Margins of W* from the solver's multipliers, exactly or with the solver's proved radius.
#include "certify/catalogue/optimum_geometry.hpp"

#include <flint/fmpz_mat.h>
#include <flint/nmod_mat.h>

#include <algorithm>

#include "numerics/numbers/exact_elimination.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {
namespace {

// Of at most so many tokens all margins are kept.
constexpr std::size_t most_kept = std::size_t{1} << 16;

// W(coefficients) over one denominator.
SharedDenominatorMatrix accumulate(const TokenData& data, const Selection& selection,
                                   const ConstraintVector& coefficients, const Budget& budget) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  WholeNumbers x(data.token_factor), z(data.query_factor);
  for (const Constraint& c : coefficients.constraint) {
    for (const std::size_t token : {selection[c.group], c.token}) {
      const std::size_t first = data.row(c.group, token) * d;
      x.include(first, first + d);
    }
    z.include(c.group * e, (c.group + 1) * e);
  }
  SharedDenominatorMatrix w{d, e, std::vector<Integer>(d * e, 0),
                            coefficients.denominator * x.denominator() * z.denominator()};
  std::vector<Integer> left(d);  // sum over the group's constraints of numerator (x_selected - x_t)
  std::size_t k = 0;
  while (k < coefficients.size()) {
    budget.poll();
    const std::size_t group = coefficients.constraint[k].group;
    std::fill(left.begin(), left.end(), Integer(0));
    Integer total = 0;
    for (; k < coefficients.size() && coefficients.constraint[k].group == group; ++k) {
      const std::size_t row = data.row(group, coefficients.constraint[k].token);
      for (std::size_t j = 0; j < d; ++j) left[j] -= coefficients.numerator[k] * x[row * d + j];
      total += coefficients.numerator[k];
    }
    const std::size_t chosen = data.row(group, selection[group]);
    for (std::size_t j = 0; j < d; ++j) left[j] += total * x[chosen * d + j];
    for (std::size_t m = 0; m < e; ++m) {
      const Integer query = z[group * e + m];
      if (query == 0) continue;
      for (std::size_t j = 0; j < d; ++j) w.numerators[j * e + m] += left[j] * query;
    }
  }
  return w;
}

// <x_t z', W> for the tokens of a group; the selected token's value minus token t's is the margin.
std::vector<Rational> margins_at(const TokenData& data, const Selection& selection, std::size_t group,
                                 const SharedDenominatorMatrix& w) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  WholeNumbers x(data.token_factor), z(data.query_factor);
  x.include(data.first_row[group] * d, data.first_row[group + 1] * d);
  z.include(group * e, (group + 1) * e);
  const Integer denominator = w.denominator * x.denominator() * z.denominator();
  std::vector<Integer> image(d, 0);
  for (std::size_t m = 0; m < e; ++m) {
    const Integer query = z[group * e + m];
    for (std::size_t j = 0; j < d; ++j) image[j] += w.numerators[j * e + m] * query;
  }
  const auto logit = [&](std::size_t token) {
    Integer sum = 0;
    for (std::size_t j = 0; j < d; ++j) sum += x[data.row(group, token) * d + j] * image[j];
    return sum;
  };
  const Integer chosen = logit(selection[group]);
  std::vector<Rational> margin(data.tokens(group), 0);
  for (std::size_t t = 0; t < margin.size(); ++t) {
    if (t != selection[group]) margin[t] = Rational(chosen - logit(t), denominator);
  }
  return margin;
}

}  // namespace

SharedDenominatorMatrix over_common_denominator(const ExactArray& values, std::size_t rows,
                                                std::size_t columns, const Budget& budget) {
  constexpr double bytes = 48;  // of an integer of one or two words, as the allocator counts
  budget.reserve(bytes * static_cast<double>(rows * columns), "the data over one denominator");
  SharedDenominatorMatrix result{rows, columns, std::vector<Integer>(rows * columns), 1};
  for (std::size_t k = 0; k < rows * columns; ++k) {
    if (k % 4096 == 0) budget.poll();
    const Rational value = values.exact(k);
    if (result.denominator % denominator(value) != 0)
      result.denominator = boost::multiprecision::lcm(result.denominator, Integer(denominator(value)));
  }
  for (std::size_t k = 0; k < rows * columns; ++k) {
    if (k % 4096 == 0) budget.poll();
    const Rational value = values.exact(k);
    result.numerators[k] = numerator(value) * (result.denominator / denominator(value));
  }
  return result;
}

void WholeNumbers::include(std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) {
    const Integer own(boost::multiprecision::denominator(values_.exact(k)));
    if (denominator_ % own != 0) denominator_ = boost::multiprecision::lcm(denominator_, own);
  }
}

Integer WholeNumbers::operator[](std::size_t k) const {
  const Rational value = values_.exact(k);
  return numerator(value) * (denominator_ / boost::multiprecision::denominator(value));
}

Rational squared_length(const TokenData& data, const Selection& selection, const Constraint& c) {
  const std::size_t d = data.left_dimension;
  const std::size_t chosen = data.row(c.group, selection[c.group]);
  const std::size_t row = data.row(c.group, c.token);
  Rational length = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const Rational difference =
        data.token_factor.exact(chosen * d + j) - data.token_factor.exact(row * d + j);
    length += difference * difference;
  }
  return length * exact_dot(data.query_factor, c.group, data.query_factor, c.group, data.right_dimension);
}

std::optional<OptimumGeometry> optimum_geometry(const TokenData& data, const Selection& selection,
                                                const MarginSolution& solution, const Budget& budget) {
  const ConstraintVector* centre = nullptr;
  Interval radius = point(0);
  if (solution.exact) {
    centre = &solution.exact->multipliers;
  } else if (solution.enclosed) {
    centre = &solution.enclosed->multipliers;
    radius = point(solution.enclosed->radius);
  } else if (solution.gap) {
    centre = &solution.gap->primal;
    radius = square_root(solution.gap->distance_squared, 64);
  } else {
    return std::nullopt;
  }
  OptimumGeometry geometry;
  geometry.exact = solution.exact.has_value();
  geometry.norm_squared = geometry.exact ? point(solution.exact->norm_squared) : solution.norm_squared;
  geometry.norm = square_root(geometry.norm_squared);
  geometry.matrix = accumulate(data, selection, *centre, budget);
  geometry.radius = radius;
  if (solution.support && solution.feasibility == Feasibility::feasible) geometry.support = *solution.support;
  if (data.first_row.back() > most_kept) return geometry;
  std::vector<Interval> all;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    budget.poll();
    for (Interval& margin : geometry.margins(data, selection, i)) all.push_back(std::move(margin));
  }
  geometry.kept = std::move(all);
  return geometry;
}

std::vector<Interval> OptimumGeometry::margins(const TokenData& data, const Selection& selection,
                                               std::size_t group) const {
  if (!kept.empty())
    return {kept.begin() + static_cast<std::ptrdiff_t>(data.first_row[group]),
            kept.begin() + static_cast<std::ptrdiff_t>(data.first_row[group + 1])};
  std::vector<Interval> found;
  const std::vector<Rational> near = margins_at(data, selection, group, matrix);
  for (std::size_t t = 0; t < near.size(); ++t) {
    const Constraint c{group, t};
    if (std::binary_search(support.begin(), support.end(), c)) {
      found.push_back(point(1));
    } else if (t == selection[group] || !data.present(group, t) || exact) {
      found.push_back(point(near[t]));
    } else {
      const Rational error = radius.hi * square_root(squared_length(data, selection, c), 64).hi;
      // W* is feasible, so its margins are at least 1 whatever the radius says.
      found.push_back({std::max(Rational(1), Rational(near[t] - error)), near[t] + error});
    }
  }
  return found;
}

Interval OptimumGeometry::margin(const TokenData& data, const Selection& selection,
                                 const Constraint& c) const {
  return kept.empty() ? margins(data, selection, c.group)[c.token] : kept[data.row(c.group, c.token)];
}

ExactRank exact_rank(const SharedDenominatorMatrix& matrix, std::size_t upper_bound, const Budget& budget) {
  if (matrix.rows == 0 || matrix.columns == 0) return {0, "empty"};
  const auto rows = static_cast<slong>(matrix.rows);
  const auto columns = static_cast<slong>(matrix.columns);
  std::size_t bits = 1;
  for (const Integer& entry : matrix.numerators)
    bits = std::max(bits, mpz_sizeinbase(entry.backend().data(), 2));
  fmpz_mat_t integer;
  fmpz_mat_init(integer, rows, columns);
  for (slong j = 0; j < rows; ++j) {
    for (slong m = 0; m < columns; ++m) {
      fmpz_set_mpz(fmpz_mat_entry(integer, j, m),
                   matrix.numerators[static_cast<std::size_t>(j * columns + m)].backend().data());
    }
  }
  // The rank modulo any prime is at most the rank over the rationals.
  nmod_mat_t reduced;
  nmod_mat_init(reduced, rows, columns, 2305843009213693951ULL);  // 2^61 - 1
  fmpz_mat_get_nmod_mat(reduced, integer);
  ExactRank result{static_cast<std::size_t>(nmod_mat_rank(reduced)),
                   "rank modulo 2^61-1 meets the upper bound"};
  nmod_mat_clear(reduced);
  const std::size_t bound = std::min({upper_bound, matrix.rows, matrix.columns});
  if (result.rank < bound) {
    const double seconds = predicted_elimination_seconds(matrix.rows, matrix.columns, bits);
    if (const double left = budget.remaining_seconds(); left >= 0 && seconds > left) fmpz_mat_clear(integer);
    budget.needs_seconds(seconds, "an exact elimination");
    result.rank = static_cast<std::size_t>(fmpz_mat_rank(integer));
    result.how = "exact elimination";
  }
  fmpz_mat_clear(integer);
  return result;
}

}  // namespace attest
