// Names of settings and the selection problem of an instance; see instance.hpp.
#include "certify/instance/instance.hpp"

#include "numerics/problem/row_products.hpp"

namespace attest {

const char* name(Setting setting) {
  switch (setting) {
    case Setting::prompt:
      return "prompt";
    case Setting::cross_attention:
      return "cross-attention";
    default:
      return "self-attention";
  }
}

std::string query_name(long query) {
  return query == -1 ? "last" : std::to_string(query);
}

namespace {

// The query tokens' rows of X, one per sequence.
ExactArray query_rows(const Instance& instance) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    const std::size_t begin = instance.query_row(i) * instance.dimension;
    ranges.emplace_back(begin, begin + instance.dimension);
  }
  return instance.X.ranges(ranges);
}

// Of every token row: Y_i v'x_it, or as given.
std::vector<Rational> token_scores(const Instance& instance) {
  std::vector<Rational> scores;
  if (instance.scores) {
    for (std::size_t row = 0; row < instance.scores->size(); ++row)
      scores.push_back(instance.scores->exact(row));
    return scores;
  }
  scores = row_products(instance.X, instance.dimension, instance.v);
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    if (instance.Y[i] > 0) continue;
    for (std::size_t row = instance.first_row[i]; row < instance.first_row[i + 1]; ++row)
      mpq_neg(scores[row].backend().data(), scores[row].backend().data());
  }
  return scores;
}

}  // namespace

TokenData token_data(const Instance& instance) {
  TokenData data;
  data.first_row = instance.first_row;
  switch (instance.setting) {
    case Setting::prompt:
      data.left_dimension = instance.factor_dimension;
      data.right_dimension = 1;
      data.token_factor = instance.K;
      data.query_factor = ExactArray::from_binary64(std::vector<double>(instance.sequences(), 1.0));
      break;
    case Setting::cross_attention:
      data.left_dimension = instance.dimension;
      data.right_dimension = instance.factor_dimension;
      data.token_factor = instance.X;
      data.query_factor = instance.z;
      break;
    case Setting::self_attention:
      data.left_dimension = instance.dimension;
      data.right_dimension = instance.dimension;
      data.token_factor = instance.X;
      data.query_factor = query_rows(instance);
      break;
  }
  if (!instance.y.empty()) {
    set_targets(data, instance.y, instance.counts);
    return data;
  }
  data.scores = token_scores(instance);
  merge_equal_tokens(data, instance.counts);
  return data;
}

}  // namespace attest
