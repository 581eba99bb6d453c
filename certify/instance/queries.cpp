// Sequence-to-sequence and causal attention; see instance/queries.hpp.
#include "certify/instance/queries.hpp"

#include <algorithm>

#include "certify/process/input_error.hpp"

namespace attest {

void one_group_a_query(Instance& instance, bool causal) {
  const std::vector<std::size_t> sequences = std::move(instance.first_row);
  const std::vector<std::uint64_t> counts = std::move(instance.counts);
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  const std::size_t d = instance.dimension;
  instance.first_row = {0};
  instance.counts.clear();
  std::vector<std::pair<std::size_t, std::size_t>> entries;
  for (std::size_t i = 0; i + 1 < sequences.size(); ++i) {
    for (std::size_t query = sequences[i]; query < sequences[i + 1]; ++query) {
      const std::size_t end = causal ? query + 1 : sequences[i + 1];
      instance.first_row.push_back(instance.first_row.back() + end - sequences[i]);
      if (instance.first_row.back() >= (std::size_t{1} << 31) / d)
        fail_resource("the tokens of all queries are 2^31 numbers or more", "setting");
      rows.emplace_back(sequences[i], end);
      entries.emplace_back(sequences[i] * d, end * d);
      if (counts.empty()) continue;
      const auto from = counts.begin();
      instance.counts.insert(instance.counts.end(), from + static_cast<std::ptrdiff_t>(sequences[i]),
                             from + static_cast<std::ptrdiff_t>(end));
    }
  }
  instance.z = instance.X;
  instance.X = instance.z.ranges(entries);
  if (!instance.offsets.empty()) instance.offsets = instance.offsets.ranges(rows);
  instance.made_of = std::string(causal ? "causal" : "seq2seq") + ", " +
                     std::to_string(sequences.size() - 1) +
                     (sequences.size() == 2 ? " sequence" : " sequences");
  instance.setting = Setting::cross_attention;
  instance.factor_dimension = d;
}

ExactArray scores_by_place(const Instance& instance, const std::vector<std::size_t>& lengths,
                           const ExactArray& decoders) {
  std::vector<Rational> scores;
  std::size_t group = 0;
  for (const std::size_t length : lengths) {
    for (std::size_t place = 0; place < length; ++place, ++group) {
      for (std::size_t row = instance.first_row[group]; row < instance.first_row[group + 1]; ++row)
        scores.push_back(instance.Y[group] * exact_dot(decoders, place, instance.X, row, instance.dimension));
    }
  }
  return ExactArray::from_rationals(std::move(scores));
}

}  // namespace attest
