#include "certify/reports/info.hpp"

#include <cstdio>

#include "certify/audits/resolution.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/merged.hpp"

namespace attest {
namespace {

std::string quantity(double bytes) {
  const char* const units[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

std::string exactness(const ExactArray& array) {
  const auto [top, bottom] = array.bits();
  // Numbers of 16 bits are held as binary32: they are known by what they are.
  const bool narrow = array.is_binary64() && array.binary64().precision() == BinaryArray::Precision::binary32;
  const std::string format = narrow ? number_format(array) : array.is_binary64() ? "binary64" : "rational";
  return format + ", numerators up to " + std::to_string(top) + " bits, denominators up to " +
         std::to_string(bottom) + " bits";
}

// Classes, or units.
std::size_t output_count(const Instance& instance) {
  return instance.outputs->weights.size() / instance.dimension;
}

std::string head_of(const Instance& instance) {
  const bool classifier = instance.outputs->kind == OutputHead::classifier;
  return classifier ? "classifier of " + std::to_string(output_count(instance)) + " classes"
                    : std::to_string(output_count(instance)) + " ReLU units";
}

std::string shape_of(const InfoAnswer& facts) {
  const Instance& instance = facts.instance;
  std::string shape =
      std::to_string(instance.sequences()) + " sequences of " + std::to_string(facts.fewest_tokens);
  if (facts.most_tokens != facts.fewest_tokens) shape += " to " + std::to_string(facts.most_tokens);
  shape += " tokens in dimension " + std::to_string(instance.dimension);
  if (instance.setting == Setting::cross_attention)
    shape += ", z in dimension " + std::to_string(instance.factor_dimension);
  if (instance.setting == Setting::prompt)
    shape += ", keys in dimension " + std::to_string(instance.factor_dimension);
  return shape;
}

}  // namespace

std::string text(const InfoAnswer& facts) {
  const Instance& instance = facts.instance;
  std::string out;
  const auto line = [&](std::string what, const std::string& value) {
    what.resize(14, ' ');
    out += what + value + "\n";
  };
  line("instance", facts.instance_path);
  line("sha256", facts.sha256);
  if (facts.sentences) {
    const SentenceData& data = *facts.sentences;
    line("setting", "next-token");
    line("shape",
         std::to_string(data.sentences.sentence.size()) + " sentences, vocabulary of " +
             std::to_string(data.sentences.vocabulary) +
             (data.embeddings.empty() ? std::string(", one-hot")
                                      : ", embeddings in dimension " + std::to_string(data.dimension())));
    return out;
  }
  std::string setting = setting_words(instance);
  if (instance.setting == Setting::self_attention) {
    setting += std::string(", query ") + (instance.query == -1 ? "" : "token ") + query_name(instance.query);
  }
  line("setting", setting);
  line("shape", shape_of(facts));
  line("constraints", std::to_string(facts.constraints));
  if (!instance.y.empty()) line("head", "cross-entropy");
  if (instance.outputs) line("head", head_of(instance));
  if (!instance.Y.empty())
    line("labels", std::to_string(facts.positive) + " of +1, " + std::to_string(facts.negative) + " of -1");
  line("X", exactness(instance.X));
  if (instance.scores) line("scores", exactness(*instance.scores));
  if (!instance.v.empty()) line("v", exactness(instance.v));
  if (!instance.offsets.empty()) line("offsets", exactness(instance.offsets));
  if (!instance.z.empty()) line("z", exactness(instance.z));
  if (!instance.K.empty()) line("K", exactness(instance.K));
  line("equal tokens", facts.merged.empty() ? "none" : merged_text(facts.merged));
  if (facts.tie) {
    line("score ties", std::to_string(facts.tied_groups) + " sequences; first: sequence " +
                           std::to_string(facts.tie->group) + ", tokens " +
                           std::to_string(facts.tie->first_token) + " and " +
                           std::to_string(facts.tie->second_token));
  } else {
    line("score ties", "none");
  }
  line("alpha", instance.alpha  ? "given"
                : instance.sets ? "given, several tokens of a sequence: selected sets"
                                : "not given: argmax of the scores");
  if (instance.W0) line("W0", "given");
  line("memory", quantity(static_cast<double>(facts.instance_bytes)) + " held, certify at most about " +
                     quantity(static_cast<double>(facts.certify_bytes)) + ", " +
                     quantity(static_cast<double>(facts.exact_bytes)) + " with an exact solution");
  return out;
}

std::string json(const InfoAnswer& facts) {
  const Instance& instance = facts.instance;
  const auto exact = [](const ExactArray& array) {
    const auto [top, bottom] = array.bits();
    return Json{{"binary64", array.is_binary64()}, {"numerator_bits", top}, {"denominator_bits", bottom}};
  };
  Json value;
  value["instance"] = facts.instance_path;
  value["sha256"] = facts.sha256;
  if (facts.sentences) {
    value["setting"] = "next-token";
    value["sentences"] = facts.sentences->sentences.sentence.size();
    value["vocabulary"] = facts.sentences->sentences.vocabulary;
    value["dimension"] = facts.sentences->dimension();
    value["one_hot"] = facts.sentences->embeddings.empty();
    return written(value);
  }
  value["setting"] = name(instance.setting);
  if (instance.setting == Setting::self_attention) {
    if (instance.query == -1) {
      value["query"] = "last";
    } else {
      value["query"] = instance.query;
    }
  }
  value["sequences"] = instance.sequences();
  value["tokens"] = {
      {"min", facts.fewest_tokens}, {"max", facts.most_tokens}, {"total", instance.first_row.back()}};
  value["dimension"] = instance.dimension;
  if (instance.setting != Setting::self_attention) value["factor_dimension"] = instance.factor_dimension;
  value["constraints"] = facts.constraints;
  value["exactness"] = {{"X", exact(instance.X)}};
  if (!instance.y.empty()) {
    value["head"] = "cross-entropy";
  } else if (instance.outputs) {
    value["head"] = name(instance.outputs->kind);
    value["outputs"] = output_count(instance);
    const bool classifier = instance.outputs->kind == OutputHead::classifier;
    value["exactness"][classifier ? "U" : "A"] = exact(instance.outputs->weights);
  } else if (instance.scores) {
    value["exactness"]["scores"] = exact(*instance.scores);
  } else {
    value["labels"] = {{"positive", facts.positive}, {"negative", facts.negative}};
    value["exactness"]["v"] = exact(instance.v);
  }
  if (!instance.z.empty()) value["exactness"]["z"] = exact(instance.z);
  if (!instance.K.empty()) value["exactness"]["K"] = exact(instance.K);
  if (!instance.offsets.empty()) value["exactness"]["offsets"] = exact(instance.offsets);
  value["merged"] = json_merged(facts.merged);
  value["score_ties"] = {{"groups", facts.tied_groups}};
  if (facts.tie) {
    value["score_ties"]["first"] = {{"group", facts.tie->group},
                                    {"tokens", {facts.tie->first_token, facts.tie->second_token}}};
  }
  value["alpha"] = instance.alpha || instance.sets;
  value["W0"] = instance.W0.has_value();
  value["memory_bytes"] = {
      {"held", facts.instance_bytes}, {"certify", facts.certify_bytes}, {"exact", facts.exact_bytes}};
  return written(value);
}

}  // namespace attest
