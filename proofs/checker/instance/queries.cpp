// Sequence-to-sequence and causal attention: see instance/queries.hpp.
#include "proofs/checker/instance/queries.hpp"

#include <algorithm>

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

bool read_causal(const NamedArrays& arrays) {
  const std::string word = arrays.text("setting");
  if (word != "seq2seq" && word != "causal") arrays.bad("setting", "\"seq2seq\" or \"causal\" expected");
  for (const char* key : {"K", "z", "query", "scores"}) {
    if (arrays.has(key)) arrays.bad(key, "given although the setting is " + word);
  }
  return word == "causal";
}

void one_group_a_query(Instance& instance, bool causal, const std::string& path) {
  const std::vector<std::size_t> sequences = std::move(instance.first_row);
  const std::size_t d = instance.dimension;
  instance.z = std::move(instance.X);
  instance.first_row = {0};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i + 1 < sequences.size(); ++i) {
    for (std::size_t query = sequences[i]; query < sequences[i + 1]; ++query) {
      const std::size_t end = causal ? query + 1 : sequences[i + 1];
      instance.first_row.push_back(instance.first_row.back() + end - sequences[i]);
      if (instance.first_row.back() >= static_cast<std::size_t>(max_entries) / std::max<std::size_t>(d, 1))
        too_large(path + ": key setting: the tokens of all queries are 2^31 or more numbers");
      for (std::size_t row = sequences[i]; row < end; ++row) rows.push_back(row);
    }
  }
  if (instance.counts.size() > 0) instance.counts = instance.counts.rows(rows, 1);
  if (instance.offsets.size() > 0) instance.offsets = instance.offsets.rows(rows, 1);
  instance.X = instance.z.rows(std::move(rows), d);
  instance.setting = Setting::cross_attention;
  instance.factor_dimension = d;
}

std::optional<NumberArray> read_decoders(NamedArrays& arrays, std::size_t dimension,
                                         const std::vector<std::size_t>& lengths) {
  const bool linear = !arrays.has("y") && (!arrays.has("head") || arrays.text("head") == "linear");
  if (!linear || !arrays.has("v")) return {};
  const std::vector<std::size_t>& shape = arrays.at("v").shape;
  if (shape.size() != 2 || shape[1] != dimension) return {};
  if (shape[0] != *std::max_element(lengths.begin(), lengths.end()))
    arrays.bad("v", "a row for each place of a query expected");
  return arrays.finite("v", arrays.required("v"));
}

NumberArray scores_by_place(const Instance& instance, const std::vector<std::size_t>& lengths,
                            const NumberArray& decoders) {
  const std::size_t d = instance.dimension;
  NumberWriter scores;
  std::size_t group = 0;
  for (const std::size_t length : lengths) {
    for (std::size_t place = 0; place < length; ++place, ++group) {
      for (std::size_t row = instance.first_row[group]; row < instance.first_row[group + 1]; ++row) {
        Rational sum;
        for (std::size_t k = 0; k < d; ++k)
          sum += decoders.exact(place * d + k) * instance.X.exact(row * d + k);
        scores.push(instance.Y[group] * sum);
      }
    }
  }
  return scores.numbers();
}

}  // namespace attest_check
