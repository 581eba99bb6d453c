// Names of settings and the selection problem of an instance; see instance.hpp.
#include "certify/instance/instance.hpp"

#include "numerics/problem/row_products.hpp"

namespace attest {

std::string setting_words(const Instance& instance) {
  const std::string made =
      instance.made_of.empty() ? "" : " (" + instance.made_of + ", a problem for each query)";
  return name(instance.setting) + made;
}

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

// Of every token row: Y_i v'x_it, or as given. Of many tokens they are not kept.
Scores token_scores(const Instance& instance) {
  constexpr std::size_t most_kept = std::size_t{1} << 17;
  const std::size_t tokens = instance.first_row.back();
  std::vector<bool> negated(tokens);
  if (tokens > most_kept && instance.scores && instance.scores->is_binary64())
    return {RowProducts(instance.scores->binary64(), 1, BinaryArray::of(std::vector<double>{1})),
            std::move(negated)};
  if (tokens > most_kept && !instance.scores && instance.X.is_binary64() && instance.v.is_binary64()) {
    for (std::size_t i = 0; i < instance.sequences(); ++i) {
      for (std::size_t row = instance.first_row[i]; row < instance.first_row[i + 1]; ++row)
        negated[row] = instance.Y[i] < 0;
    }
    return {RowProducts(instance.X.binary64(), instance.dimension, instance.v.binary64()),
            std::move(negated)};
  }
  Scores scores;
  scores.reserve(tokens);
  if (instance.scores) {
    for (std::size_t row = 0; row < instance.scores->size(); ++row)
      scores.push_back(instance.scores->exact(row));
    return scores;
  }
  std::size_t sequence = 0;
  for_row_products(instance.X, instance.dimension, instance.v, [&](Rational product) {
    while (scores.size() == instance.first_row[sequence + 1]) ++sequence;
    if (instance.Y[sequence] < 0) mpq_neg(product.backend().data(), product.backend().data());
    scores.push_back(product);
  });
  return scores;
}

// Each row of the layer times each token row.
std::vector<std::vector<Rational>> layer_products(const Instance& instance) {
  const OutputLayer& layer = *instance.outputs;
  const std::size_t d = instance.dimension, rows = layer.weights.size() / d;
  std::vector<std::vector<Rational>> products;
  for (std::size_t u = 0; u < rows; ++u) {
    std::vector<Rational> row;
    for (std::size_t j = 0; j < d; ++j) row.push_back(layer.weights.exact(u * d + j));
    products.push_back(row_products(instance.X, d, ExactArray::from_rationals(std::move(row))));
  }
  return products;
}

void set_output_table(TokenData& data, const Instance& instance) {
  const OutputLayer& layer = *instance.outputs;
  const std::vector<std::vector<Rational>> products = layer_products(instance);
  OutputTable table;
  table.head = layer.kind;
  const bool classifier = layer.kind == OutputHead::classifier;
  table.width = classifier ? products.size() - 1 : products.size();
  for (std::size_t i = 0; i < instance.sequences(); ++i) {
    for (std::size_t row = instance.first_row[i]; row < instance.first_row[i + 1]; ++row) {
      for (std::size_t u = 0; u < products.size(); ++u) {
        if (!classifier) {
          table.values.push_back((products[u][row] + layer.bias.exact(u)) * layer.r.exact(u) *
                                 Rational(-instance.Y[i]));
        } else if (u != layer.classes[i]) {
          table.values.push_back(products[u][row] - products[layer.classes[i]][row]);
        }
      }
    }
    for (std::size_t u = 0; !classifier && u < table.width; ++u)
      table.sense.push_back(-instance.Y[i] * layer.r.exact(u).sign());
  }
  set_outputs(data, std::move(table), instance.counts);
}

// What equal tokens are, and the logits: all but the head.
TokenData features_of(const Instance& instance) {
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
  return data;
}

}  // namespace

TokenData token_data(const Instance& instance) {
  TokenData data = features_of(instance);
  if (!instance.offsets.empty())
    data.offsets =
        std::make_shared<const LogitOffsets>(instance.offsets, instance.counts, first_equal_rows(data));
  if (instance.outputs) {
    set_output_table(data, instance);
    return data;
  }
  if (!instance.y.empty()) {
    set_targets(data, instance.y, instance.counts);
    return data;
  }
  data.scores = token_scores(instance);
  merge_equal_tokens(data, instance.counts);
  return data;
}

std::optional<std::size_t> row_without_score(const Instance& instance) {
  // Else scores are functions of the feature rows, or there are none.
  const bool own_scores = instance.scores || (instance.setting == Setting::prompt && !instance.v.empty());
  if (instance.offsets.empty() || !own_scores) return std::nullopt;
  const std::vector<std::uint32_t> first = first_equal_rows(features_of(instance));
  const Scores scores = token_scores(instance);
  std::vector<bool> shifted(first.size()), differ(first.size());  // per row that stands for others
  for (std::size_t row = 0; row < first.size(); ++row) {
    if (instance.offsets.exact(row) != instance.offsets.exact(first[row])) shifted[first[row]] = true;
    if (!scores.equal(row, first[row])) differ[first[row]] = true;
    if (shifted[first[row]] && differ[first[row]]) return row;
  }
  return std::nullopt;
}

}  // namespace attest
