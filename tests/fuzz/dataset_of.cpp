// The checker's instance as the reference's dataset.
#include "tests/fuzz/dataset_of.hpp"

namespace fuzz {
namespace {

reference::Row row(const attest_check::NumberArray& numbers, std::size_t index, std::size_t width) {
  reference::Row entries;
  for (std::size_t k = index * width; k < (index + 1) * width; ++k) entries.push_back(numbers.exact(k));
  return entries;
}

}  // namespace

reference::Dataset dataset_of(const attest_check::Instance& instance) {
  using attest_check::Setting;
  reference::Dataset data;
  data.kind = instance.setting == Setting::prompt            ? reference::Kind::prompt
              : instance.setting == Setting::cross_attention ? reference::Kind::cross
                                                             : reference::Kind::self;
  data.query = instance.query;
  data.Y = instance.Y;
  data.y = instance.y;
  if (!instance.scores && !instance.cross_entropy() && !instance.outputs)
    data.v = row(instance.v, 0, instance.dimension);
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    data.X.emplace_back();
    if (instance.scores) data.scores.emplace_back();
    if (data.kind == reference::Kind::prompt) data.K.emplace_back();
    if (instance.counts.size() > 0) data.counts.emplace_back();
    if (data.kind == reference::Kind::cross) data.z.push_back(row(instance.z, i, instance.factor_dimension));
    for (std::size_t r = instance.first_row[i]; r < instance.first_row[i + 1]; ++r) {
      data.X[i].push_back(row(instance.X, r, instance.dimension));
      if (instance.scores) data.scores[i].push_back(instance.scores->exact(r));
      if (instance.counts.size() > 0) data.counts[i].push_back(static_cast<long>(instance.count(r)));
      if (data.kind == reference::Kind::prompt)
        data.K[i].push_back(row(instance.K, r, instance.factor_dimension));
    }
  }
  return data;
}

}  // namespace fuzz
