#include "certify/audits/input.hpp"

#include <algorithm>
#include <charconv>

#include "certify/instance/read.hpp"

namespace attest {
namespace {

InputError selection_error(const std::string& message) {
  return {InputError::Kind::malformed, {}, "--select", {}, message};
}

Result<Selection> parse_selection(const TokenData& data, const std::string& text) {
  Selection selection;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::size_t token = 0;
    const auto [next, error] = std::from_chars(at, end, token);
    const std::size_t group = selection.size();
    if (error != std::errc{}) return selection_error("expected token indices separated by commas");
    if (group < data.groups() && token >= data.tokens(group)) {
      return selection_error("sequence " + std::to_string(group) + " has no token " + std::to_string(token));
    }
    selection.push_back(token);
    if (next == end) break;
    if (*next != ',') return selection_error("expected token indices separated by commas");
    at = next + 1;
  }
  if (selection.size() != data.groups()) {
    return selection_error("has " + std::to_string(selection.size()) +
                           " tokens, expected one for each of the " + std::to_string(data.groups()) +
                           " sequences");
  }
  return selection;
}

// Every token of the selection, or the one that stands for it.
Selection representatives(const TokenData& data, Selection selection) {
  const auto absent = [&](std::size_t i) { return !data.present(i, selection[i]); };
  std::size_t first = 0;
  while (first < selection.size() && !absent(first)) ++first;
  if (first == selection.size()) return selection;
  for (const TokenClass& merged : equal_tokens(data)) {
    std::size_t& token = selection[merged.group];
    if (std::find(merged.tokens.begin(), merged.tokens.end(), token) != merged.tokens.end())
      token = merged.tokens.front();
  }
  return selection;
}

}  // namespace

Result<Instance> read_input(const std::string& path, const std::shared_ptr<const Instance>& held,
                            std::size_t memory_limit, AuditWatch& watch) {
  if (held) {
    if (auto error = undecided_scores(*held, path)) return std::move(*error);
    watch.input_is_read();
    return *held;
  }
  ReadLimits limits;
  limits.memory_bytes = memory_limit;
  Result<Instance> result = read_instance(path, limits);
  if (const auto* instance = std::get_if<Instance>(&result)) {
    if (auto error = undecided_scores(*instance, path)) return std::move(*error);
    watch.input_is_read();
  }
  return result;
}

std::optional<InputError> undecided_scores(const Instance& instance, const std::string& path) {
  if (instance.outputs && instance.setting == Setting::prompt && !instance.offsets.empty())
    return InputError{InputError::Kind::resource,
                      path,
                      "offsets",
                      {},
                      "a head of several outputs in the prompt setting is not known with offsets"};
  const std::optional<std::size_t> row = row_without_score(instance);
  if (!row) return std::nullopt;
  const auto after = std::upper_bound(instance.first_row.begin(), instance.first_row.end(), *row);
  const auto sequence = static_cast<std::size_t>(after - instance.first_row.begin()) - 1;
  const std::size_t token = *row - instance.first_row[sequence];
  return InputError{InputError::Kind::resource, path, "offsets",
                    "[" + std::to_string(sequence) + "," + std::to_string(token) + "]",
                    "this token equals an earlier one, and they have different offsets and different scores: "
                    "their mean score is not rational, which nothing here decides"};
}

Result<Selection> choose_selection(const Instance& instance, const TokenData& data, const std::string& given,
                                   Ties ties) {
  if (!given.empty()) {
    Result<Selection> selection = parse_selection(data, given);
    if (auto* tokens = std::get_if<Selection>(&selection)) return representatives(data, std::move(*tokens));
    return selection;
  }
  if (instance.alpha) return representatives(data, *instance.alpha);
  if (instance.sets && ties == Ties::error) {
    return InputError{InputError::Kind::malformed,
                      {},
                      "alpha",
                      {},
                      "selects several tokens of a sequence: certify, run and verify take these as "
                      "--selected-sets alpha; choose single ones with --select"};
  }
  if (const auto tie = first_tie(data); tie && ties == Ties::error) {
    return InputError{InputError::Kind::malformed,
                      {},
                      {},
                      {},
                      "sequence " + std::to_string(tie->group) + ": tokens " +
                          std::to_string(tie->first_token) + " and " + std::to_string(tie->second_token) +
                          " tie for the best score; choose with --select or the key alpha (attest "
                          "selections finds what training can select)"};
  }
  return best_selection(data);
}

namespace {

// Of a head of several outputs: a classifier has its own, that of ReLU units is named like one of a score.
template <class Error>
Result<Loss> output_loss(const OutputTable& table, std::optional<Loss> named, const Error& error) {
  if (table.classifier()) {
    if (named.value_or(Loss::classifier) != Loss::classifier)
      return error("the instance's head, a classifier, is its own loss");
    return Loss::classifier;
  }
  for (const Loss loss : {Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}) {
    if (named.value_or(Loss::logistic) == loss || named.value_or(Loss::logistic) == scalar_loss(loss))
      return loss;
  }
  return error("of ReLU units: logistic, exponential or correlation");
}

}  // namespace

Result<Loss> training_loss(const TokenData& data, const std::string& name) {
  const auto error = [](const std::string& message) {
    return InputError{InputError::Kind::malformed, {}, "--loss", {}, message};
  };
  const std::optional<Loss> named = parse_loss(name);
  if (data.outputs) return output_loss(*data.outputs, named, error);
  if (!data.targets) {
    if (named == Loss::cross_entropy)
      return error("cross-entropy is the head of instances that have the key y");
    if (named && several_outputs(*named)) return error("the instance's head has one output");
    return named.value_or(Loss::logistic);
  }
  if (named.value_or(Loss::cross_entropy) != Loss::cross_entropy)
    return error("the instance's head, cross-entropy, is its own loss");
  return Loss::cross_entropy;
}

}  // namespace attest
