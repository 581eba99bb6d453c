#include "certify/audits/sets_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "certify/instance/json.hpp"

namespace attest {
namespace {

// The token that stands for each (T18): per row of the instance.
std::vector<std::size_t> representatives(const TokenData& data) {
  std::vector<std::size_t> token;
  for (std::size_t i = 0; i < data.groups(); ++i)
    for (std::size_t t = 0; t < data.tokens(i); ++t) token.push_back(t);
  for (const TokenClass& merged : equal_tokens(data))
    for (const std::size_t t : merged.tokens) token[data.row(merged.group, t)] = merged.tokens.front();
  return token;
}

Result<SelectedSets> read_lists(const std::string& path, const TokenData& data) {
  const auto error = [&](const std::string& index, const std::string& message) {
    return InputError{InputError::Kind::malformed, path, {}, index, message};
  };
  std::ifstream file(path);
  if (!file) return error({}, "cannot be read");
  const nlohmann::json lists = nlohmann::json::parse(file, nullptr, false);
  if (!lists.is_array()) return error({}, "expected a list of lists of tokens, as [[0,2],[1]]");
  if (lists.size() != data.groups()) {
    return error({}, "has " + std::to_string(lists.size()) + " lists, expected one for each of the " +
                         std::to_string(data.groups()) + " sequences");
  }
  SelectedSets found(data.groups());
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    if (!lists[i].is_array() || lists[i].empty())
      return error(index, "expected a list of one token at least");
    for (const nlohmann::json& token : lists[i]) {
      if (!token.is_number_unsigned() || token.get<std::uint64_t>() >= data.tokens(i))
        return error(index, "the sequence has no token " + token.dump());
      found[i].push_back(token.get<std::size_t>());
    }
  }
  return found;
}

SetsFile sets_of(const SelectedSets& lists, const TokenData& data) {
  const std::vector<std::size_t> stands_for = representatives(data);
  SetsFile found;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<std::size_t>& listed = found.listed.emplace_back();
    for (const std::size_t token : lists[i]) listed.push_back(stands_for[data.row(i, token)]);
    std::vector<std::size_t>& set = found.sets.emplace_back(listed);
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return found;
}

}  // namespace

std::string sets_or_own(const std::string& given, const Instance& instance) {
  return given.empty() && instance.sets ? own_sets : given;
}

Result<SetsFile> read_sets(const std::string& path, const Instance& instance, const TokenData& data) {
  if (path != own_sets) {
    Result<SelectedSets> lists = read_lists(path, data);
    if (auto* error = std::get_if<InputError>(&lists)) return std::move(*error);
    return sets_of(std::get<SelectedSets>(lists), data);
  }
  if (instance.sets) return sets_of(*instance.sets, data);
  return InputError{
      InputError::Kind::malformed, {}, "alpha", {}, "the instance has no lists of tokens there"};
}

Result<std::vector<Rational>> read_ratios(const std::string& path, const TokenData& data,
                                          const SelectedSets& listed, const FiniteEquations& equations) {
  const auto error = [&](const std::string& index, const std::string& message) {
    return InputError{InputError::Kind::malformed, path, {}, index, message};
  };
  if (data.offsets) return error({}, "logits have offsets, which the finite part does not know");
  std::ifstream file(path);
  if (!file) return error({}, "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  RawInstance raw;
  try {
    raw = parse_json_instance("{\"scores\":" + text + "}");  // a ragged list of exact numbers
  } catch (const InputFailure& failure) {
    return error(failure.error.index,
                 "expected a list of numbers for each sequence: " + failure.error.message);
  }
  const RawArray& shares = raw.at("scores");
  std::size_t given = 0;
  for (const std::vector<std::size_t>& set : listed) given += set.size();
  const auto length = [&](std::size_t i) { return shares.lengths ? (*shares.lengths)[i] : shares.shape[1]; };
  if (raw.size() != 1 || shares.shape.size() < 2 || shares.shape[0] != listed.size() ||
      shares.values.size() != given)
    return error({}, "expected a list of numbers for each sequence, one for each token of its set");
  std::map<Constraint, Rational> share;
  for (std::size_t i = 0, flat = 0; i < listed.size(); ++i) {
    const std::string sequence = "[" + std::to_string(i) + "]";
    if (length(i) != listed[i].size()) return error(sequence, "expected a number for each token of the set");
    for (const std::size_t token : listed[i]) {
      Rational value = shares.values.exact(flat++);
      if (value <= 0) return error(sequence, "attention on a selected token is positive");
      const auto [at, is_new] = share.try_emplace({i, token}, value);
      if (!is_new && at->second != value)
        return error(sequence, "equal tokens have the same attention, token " + std::to_string(token) +
                                   " is given two");
    }
  }
  std::vector<Rational> ratios;
  for (std::size_t k = 0; k < equations.size(); ++k) {
    const MarginRow& row = equations.row(k);
    ratios.emplace_back(share.at({row.group, row.winner}) / share.at({row.group, row.loser}));
  }
  return ratios;
}

}  // namespace attest
