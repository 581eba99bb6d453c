// Reference datasets as the solver's input.
#pragma once

#include "numerics/problem/selection_problem.hpp"
#include "tests/oracle/families.hpp"

namespace attest {

inline Rational to_rational(const mpq_class& value) {
  Rational result;
  mpq_set(result.backend().data(), value.get_mpq_t());
  return result;
}

inline mpq_class from_rational(const Rational& value) {
  return mpq_class(value.backend().data());
}

// Token and query factors by setting, exact scores, equal tokens merged.
inline TokenData to_token_data(const reference::Dataset& data) {
  using reference::Kind;
  std::vector<Rational> tokens, queries;
  std::vector<std::uint64_t> counts;
  TokenData result;
  result.first_row = {0};
  for (std::size_t i = 0; i < data.groups(); ++i) {
    result.first_row.push_back(result.first_row.back() + data.X[i].size());
    for (std::size_t t = 0; t < data.X[i].size(); ++t) {
      for (const auto& x : data.kind == Kind::prompt ? data.K[i][t] : data.X[i][t])
        tokens.push_back(to_rational(x));
      result.scores.push_back(to_rational(reference::score(data, i, t)));
      counts.push_back(static_cast<std::uint64_t>(reference::count(data, i, t)));
    }
    if (data.kind == Kind::prompt) queries.push_back(1);
    if (data.kind == Kind::cross)
      for (const auto& z : data.z[i]) queries.push_back(to_rational(z));
    if (data.kind == Kind::self)
      for (const auto& z : reference::query_row(data, i)) queries.push_back(to_rational(z));
  }
  const auto [rows, columns] = reference::feature_shape(data);
  result.left_dimension = rows;
  result.right_dimension = columns;
  result.token_factor = ExactArray::from_rationals(std::move(tokens));
  result.query_factor = ExactArray::from_rationals(std::move(queries));
  merge_equal_tokens(result, counts);
  return result;
}

}  // namespace attest
