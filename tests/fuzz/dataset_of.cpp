// The checker's instance as the reference's dataset.
#include "tests/fuzz/dataset_of.hpp"

#include "proofs/checker/instance/sentences.hpp"

namespace fuzz {
namespace {

reference::Row row(const attest_check::NumberArray& numbers, std::size_t index, std::size_t width) {
  reference::Row entries;
  for (std::size_t k = index * width; k < (index + 1) * width; ++k) entries.push_back(numbers.exact(k));
  return entries;
}

std::vector<reference::Row> rows(const attest_check::NumberArray& numbers, std::size_t width) {
  std::vector<reference::Row> result;
  for (std::size_t k = 0; k * width < numbers.size(); ++k) result.push_back(row(numbers, k, width));
  return result;
}

reference::Layer layer_of(const attest_check::OutputLayer& outputs, std::size_t dimension) {
  reference::Layer layer{outputs.classifier, rows(outputs.weights, dimension), {}, {}, outputs.classes};
  if (!layer.classifier) {
    layer.bias = row(outputs.bias, 0, outputs.bias.size());
    layer.r = row(outputs.r, 0, outputs.r.size());
  }
  return layer;
}

reference::Text text_of(const attest_check::Sentences& sentences) {
  reference::Text text;
  text.vocabulary = sentences.vocabulary;
  for (std::size_t k = 0; k < sentences.count(); ++k) {
    const auto first = sentences.ids.begin();
    text.sentences.emplace_back(first + static_cast<std::ptrdiff_t>(sentences.first[k]),
                                first + static_cast<std::ptrdiff_t>(sentences.first[k + 1]));
  }
  if (sentences.embeddings.size() > 0) text.embeddings = rows(sentences.embeddings, sentences.dimension);
  return text;
}

}  // namespace

reference::Dataset dataset_of(const attest_check::Instance& instance) {
  using attest_check::Setting;
  if (instance.sentences) return reference::stage_of(text_of(*instance.sentences), name(instance.stage));
  reference::Dataset data;
  data.kind = instance.setting == Setting::prompt            ? reference::Kind::prompt
              : instance.setting == Setting::cross_attention ? reference::Kind::cross
                                                             : reference::Kind::self;
  data.query = instance.query;
  data.Y = instance.Y;
  data.y = instance.y;
  if (instance.outputs) data.layer = layer_of(*instance.outputs, instance.dimension);
  if (!instance.scores && !instance.cross_entropy() && !instance.outputs)
    data.v = row(instance.v, 0, instance.dimension);
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    data.X.emplace_back();
    if (instance.scores) data.scores.emplace_back();
    if (data.kind == reference::Kind::prompt) data.K.emplace_back();
    if (instance.counts.size() > 0) data.counts.emplace_back();
    if (instance.offsets.size() > 0) data.offsets.emplace_back();
    if (data.kind == reference::Kind::cross) data.z.push_back(row(instance.z, i, instance.factor_dimension));
    for (std::size_t r = instance.first_row[i]; r < instance.first_row[i + 1]; ++r) {
      data.X[i].push_back(row(instance.X, r, instance.dimension));
      if (instance.scores) data.scores[i].push_back(instance.scores->exact(r));
      if (instance.counts.size() > 0) data.counts[i].push_back(static_cast<long>(instance.count(r)));
      if (instance.offsets.size() > 0) data.offsets[i].push_back(instance.offset(r));
      if (data.kind == reference::Kind::prompt)
        data.K[i].push_back(row(instance.K, r, instance.factor_dimension));
    }
  }
  return data;
}

}  // namespace fuzz
