#include "numerics/runs/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "numerics/numbers/parallel.hpp"

namespace attest {
namespace {

// An upper bound of sqrt(x), x >= 0 exact.
double root_above(const Rational& x) {
  const double nearest = mpq_get_d(x.backend().data());  // truncates
  return std::sqrt(nearest) * (1 + 0x1p-48) + 0x1p-500;
}

double above(const Rational& x) {
  const double nearest = mpq_get_d(x.backend().data());
  return std::abs(nearest) * (1 + 0x1p-50) + 0x1p-1000;
}

// Lower-triangular R (size x size, row-major) with R R' >= gram, or false. The diagonal shift exceeds both
// the rounding of the Gram entries and the backward error of the factorisation (Higham, Thm 10.3).
bool dominating_factor(std::vector<double>& r, std::vector<double> gram, std::size_t size) {
  double trace = 0;
  for (std::size_t k = 0; k < size; ++k) trace += gram[k * size + k];
  const double shift = 8 * static_cast<double>(size + 4) * 0x1p-52 * trace + 0x1p-900;
  for (std::size_t k = 0; k < size; ++k) gram[k * size + k] += shift;
  r.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram[i * size + j];
      for (std::size_t k = 0; k < j; ++k) sum -= r[i * size + k] * r[j * size + k];
      if (i != j) {
        r[i * size + j] = sum / r[j * size + j];
      } else if (sum > 0 && std::isfinite(sum)) {
        r[i * size + i] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

// An upper bound of the distance of two tokens, from their differences to the first one.
double diameter_above(const double* values, std::size_t tokens, std::size_t dimension) {
  double largest = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t s = 0; s < t; ++s) {
      double sum = 0;
      for (std::size_t j = 0; j < dimension; ++j) {
        const double difference = values[t * dimension + j] - values[s * dimension + j];
        sum += difference * difference;
      }
      largest = std::max(largest, sum);
    }
  }
  // The subtraction above may cancel: its absolute error is below 2^-51 of the larger of the two norms.
  double reach = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    double sum = 0;
    for (std::size_t j = 0; j < dimension; ++j) sum += values[t * dimension + j] * values[t * dimension + j];
    reach = std::max(reach, sum);
  }
  const double rounding = static_cast<double>(dimension + 8) * 0x1p-50;
  return std::sqrt(largest) * (1 + rounding) + std::sqrt(reach) * rounding + 0x1p-480;
}

// Appends the group's frame, from its token differences.
void add_frame(RunGeometry& geometry, RunGroup& group, const double* values) {
  const std::size_t dimension = geometry.dimension;
  std::vector<double>& frame_values = geometry.frame_values;
  const std::size_t count = group.tokens - 1;
  group.frame_first = frame_values.size();
  std::vector<double> r;
  if (count < dimension) {
    std::vector<double> gram_of_differences(count * count);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t s = 0; s < count; ++s) {
        double sum = 0;
        for (std::size_t j = 0; j < dimension; ++j) {
          sum += values[(t + 1) * dimension + j] * values[(s + 1) * dimension + j];
        }
        gram_of_differences[t * count + s] = sum;
      }
    }
    if (!dominating_factor(r, gram_of_differences, count)) r.clear();
  }
  if (!r.empty()) {
    group.frame_dimension = count;
    frame_values.insert(frame_values.end(), count, 0.0);  // token 0
    frame_values.insert(frame_values.end(), r.begin(), r.end());
  } else {
    group.frame_dimension = dimension;
    frame_values.insert(frame_values.end(), values, values + group.tokens * dimension);
  }
}

// All that depends on the queries (groups x e).
void enclose_queries(RunGeometry& geometry, const std::vector<Rational>& query_entries,
                     std::size_t max_planes, std::size_t most_kept, const Budget& budget) {
  const std::size_t query_dimension = geometry.query_dimension;
  std::vector<RunGroup>& groups = geometry.groups;
  const std::size_t count = groups.size();
  geometry.query_values.resize(count * query_dimension);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < query_dimension; ++j) {
      geometry.query_values[i * query_dimension + j] =
          mpq_get_d(query_entries[i * query_dimension + j].backend().data());
    }
    Rational square = 0;
    for (std::size_t j = 0; j < query_dimension; ++j) {
      const Rational& entry = query_entries[i * query_dimension + j];
      square += entry * entry;
    }
    groups[i].query_norm = root_above(square);
    geometry.max_logit_norm =
        std::max(geometry.max_logit_norm, groups[i].query_norm * groups[i].diameter * (1 + 0x1p-50));
  }
  geometry.products = QueryProducts(count, query_dimension, query_entries, max_planes, most_kept, budget);
  geometry.gram_row_sum = geometry.products.row_sum();
  double trace = 0;
  for (std::size_t i = 0; i < count; ++i)
    trace += groups[i].query_norm * groups[i].query_norm * (1 + 0x1p-40);
  if (!geometry.products.kept()) trace *= 1 + static_cast<double>(count) * 0x1p-52;
  geometry.gram_norm = std::min(
      trace, geometry.gram_row_sum);  // the 2-norm of a Gram matrix is at most its trace and its row sums
}

}  // namespace

// Of a classifier scores are means of -c_tu over u, of ReLU units sums over some u.
void RunGeometry::bound_outputs(RunGroup& group) {
  group.has_distinct_scores = false;
  group.score_spread = 0;
  for (std::size_t u = 0; u < outputs->width; ++u) {
    const std::size_t first = data->row(group.original, 0);
    Rational least = outputs->value(first, u), most = least;
    for (std::size_t t = 1; t < group.tokens; ++t) {
      const Rational& value = outputs->value(first + t, u);
      if (value < least) least = value;
      if (value > most) most = value;
    }
    output_spread.push_back(above(most - least));
    group.has_distinct_scores = group.has_distinct_scores || least != most;
    group.score_spread = outputs->classifier() ? std::max(group.score_spread, output_spread.back())
                                               : (group.score_spread + output_spread.back()) * (1 + 0x1p-50);
  }
}

RunGeometry::RunGeometry(const TokenData& source, std::size_t max_planes, const Budget& budget,
                         std::optional<std::size_t> most_kept)
    : data(&source), dimension(source.left_dimension), query_dimension(source.right_dimension) {
  outputs = source.outputs.get();
  if (outputs != nullptr) response = 16;
  std::vector<Rational> query_entries;
  std::vector<std::size_t> source_row;  // of every row
  for (std::size_t i = 0; i < source.groups(); ++i) {
    budget.poll();
    if (source.different(i) < 2) continue;
    RunGroup group;
    group.original = i;
    group.first_row = rows;
    group.tokens = source.tokens(i);
    rows += group.tokens;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      source_row.push_back(source.row(i, t));
      scores.push_back(source.score(i, t));
      multiplicities.push_back(source.offsets ? std::uint64_t{source.present(i, t)}
                                              : source.multiplicity(i, t));
      if (multiplicities.back() > 0)
        multiplicity_bits =
            std::max(multiplicity_bits, static_cast<unsigned>(std::bit_width(multiplicities.back() - 1)));
      if (source.score(i, t) > source.score(i, group.best_token)) group.best_token = t;
    }
    const auto [least, most] =
        std::minmax_element(scores.end() - static_cast<std::ptrdiff_t>(group.tokens), scores.end());
    group.has_distinct_scores = *least != *most;
    group.score_spread = above(*most - *least);
    if (outputs != nullptr) bound_outputs(group);
    for (std::size_t j = 0; j < query_dimension; ++j) {
      query_entries.push_back(source.query_factor.exact(i * query_dimension + j));
    }
    groups.push_back(group);
  }
  const auto entry = [&](std::size_t row, std::size_t j) {
    return source.token_factor.exact(source_row[row] * dimension + j);
  };
  const auto polled = [&](std::size_t row, std::size_t j) {
    if (j == 0) budget.poll();
    return entry(row, j);
  };
  tokens = WordMatrix(rows, dimension, polled, max_planes);

  // Token differences: exact first, so that near-duplicates keep their relative accuracy.
  token_values.resize(rows * dimension);
  for (RunGroup& group : groups) {
    budget.poll();
    std::vector<Rational> transposed(dimension * group.tokens);
    const std::size_t base = group.first_row * dimension;
    for (std::size_t t = 0; t < group.tokens; ++t) {
      for (std::size_t j = 0; j < dimension; ++j) {
        Rational& value = transposed[j * group.tokens + t];
        value = entry(group.first_row + t, j);
        const Rational difference = value - transposed[j * group.tokens];
        token_values[base + t * dimension + j] = mpq_get_d(difference.backend().data());
      }
    }
    tokens_transposed.emplace_back(dimension, group.tokens, transposed, max_planes);

    const double* values = token_values.data() + base;
    group.diameter = diameter_above(values, group.tokens, dimension);
    add_frame(*this, group, values);
  }
  enclose_queries(*this, query_entries, max_planes, most_kept.value_or(query_dimension), budget);
  divide();
}

void RunGeometry::divide() {
  constexpr std::size_t least_numbers = 1 << 13;  // of tokens, a part: some 25 microseconds of a step
  constexpr std::size_t most_parts = 64;
  const std::size_t share = std::max(least_numbers / std::max<std::size_t>(dimension, 1), rows / most_parts);
  parts.assign(1, 0);
  std::size_t first_row = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::size_t end_row = groups[i].first_row + groups[i].tokens;
    if (end_row - first_row < share && i + 1 < groups.size()) continue;
    parts.push_back(i + 1);
    first_row = end_row;
  }
}

void RunGeometry::for_each_part(const std::function<void(std::size_t, std::size_t)>& work) const {
  parallel_for(parts.size() - 1, [&](std::size_t part) { work(parts[part], parts[part + 1]); });
}

}  // namespace attest
