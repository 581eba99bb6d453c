// Leaving out groups and moving rows, literally.
#include "tests/oracle/separability.hpp"

#include <algorithm>
#include <cmath>

namespace reference {

namespace {

// The rows that features are made of.
std::vector<std::vector<Row>>& feature_rows(Dataset& data) {
  return data.kind == Kind::prompt ? data.K : data.X;
}

// The query of a group; one coordinate 1 for prompts.
Row query_of(const Dataset& data, std::size_t group) {
  if (data.kind == Kind::prompt) return {1};
  if (data.kind == Kind::cross) return data.z[group];
  return query_row(data, group);
}

Row difference(const Row& a, const Row& b) {
  Row result = a;
  for (std::size_t j = 0; j < b.size(); ++j) result[j] -= b[j];
  return result;
}

mpf_class precise(const Number& value) {
  return {value, 1024};
}

// Tokens of a group go along W z (a vector of the token space) by almost the radius: those of `back`, the
// selected one and its equals, back, the others forward.
void move_group(std::vector<Row>& rows, const std::vector<bool>& back, const Row& direction,
                const Number& radius) {
  double length = 0;
  for (const Number& x : direction) length += x.get_d() * x.get_d();
  if (length == 0) return;
  const Number step = radius * Number((1 - 1e-9) / std::sqrt(length));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t j = 0; j < direction.size(); ++j) {
      rows[t][j] += (back[t] ? Number(-step) : step) * direction[j];
    }
  }
}

}  // namespace

bool separable_without(const Dataset& data, const Choice& choice, const std::vector<std::size_t>& left_out) {
  Dataset rest = data;
  Choice kept;
  rest.X.clear();
  rest.Y.clear();  // nothing of the scores: margins know none
  rest.v.clear();
  rest.scores.clear();
  rest.y.clear();
  rest.layer.reset();
  rest.z.clear();
  rest.K.clear();
  rest.counts.clear();
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (std::find(left_out.begin(), left_out.end(), i) != left_out.end()) continue;
    kept.push_back(choice[i]);
    rest.X.push_back(data.X[i]);
    rest.Y.push_back(1);
    if (data.kind == Kind::cross) rest.z.push_back(data.z[i]);
    if (data.kind == Kind::prompt) rest.K.push_back(data.K[i]);
    if (!data.counts.empty()) rest.counts.push_back(data.counts[i]);
  }
  return kept.empty() || solve_margin(rest, kept).feasible;
}

std::string conflicts_objection(const Dataset& data, const Choice& choice, std::size_t count) {
  const std::size_t n = data.groups();
  if (count == 0) return "says nothing";
  if (count > n) return "more groups than there are";
  std::vector<bool> out(n, false);  // all sets of count - 1 groups, as permutations of their marks
  std::fill(out.end() - static_cast<std::ptrdiff_t>(count - 1), out.end(), true);
  do {
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < n; ++i) {
      if (out[i]) left_out.push_back(i);
    }
    if (separable_without(data, choice, left_out)) return "fewer groups are enough";
  } while (std::next_permutation(out.begin(), out.end()));
  return "";
}

std::string robust_objection(const Dataset& data, const Choice& choice, const MarginAnswer& answer,
                             const Number& radius) {
  if (radius <= 0) return "a radius that is not positive";
  Number largest_query, largest_difference;
  Dataset moved = data;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const Row query = query_of(data, i);
    std::vector<Row>& rows = feature_rows(moved)[i];
    largest_query = std::max(largest_query, dot(query, query));
    for (const Row& row : rows) {
      const Row apart = difference(rows[choice[i]], row);
      largest_difference = std::max(largest_difference, dot(apart, apart));
    }
    const std::size_t width = rows.front().size();
    Row direction(width);
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t k = 0; k < query.size(); ++k) {
        direction[j] += answer.solution[j * query.size() + k] * query[k];
      }
    }
    std::vector<bool> back;
    for (std::size_t t = 0; t < rows.size(); ++t) back.push_back(first_equal(data, i, t) == choice[i]);
    move_group(rows, back, direction, radius);
  }
  const mpf_class norm = sqrt(precise(answer.norm_squared)), query = sqrt(precise(largest_query)),
                  apart = sqrt(precise(largest_difference)), r = precise(radius);
  const bool itself = data.kind == Kind::self;
  const mpf_class loss =
      norm * (itself ? mpf_class(2 * r * (query + r) + apart * r) : mpf_class(2 * r * query));
  if (loss >= 1) return "a radius beyond the bound";
  if (!solve_margin(moved, choice).feasible) return "moves within the radius that make it infeasible";
  return "";
}

}  // namespace reference
