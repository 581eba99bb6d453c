#include "certify/reports/merged.hpp"

#include <set>

namespace attest {

Json json_merged(const std::vector<TokenClass>& merged) {
  Json list = Json::array();
  for (const TokenClass& equal : merged) list.push_back({equal.group, equal.tokens});
  return list;
}

std::string merged_text(const std::vector<TokenClass>& merged) {
  if (merged.empty()) return {};
  constexpr std::size_t most_shown = 3, most_tokens = 6;
  std::size_t left_out = 0;
  std::set<std::size_t> groups;
  for (const TokenClass& equal : merged) {
    left_out += equal.tokens.size() - 1;
    groups.insert(equal.group);
  }
  std::string text = std::to_string(left_out) + (left_out == 1 ? " token" : " tokens") +
                     " merged into equal ones, in " + std::to_string(groups.size()) +
                     (groups.size() == 1 ? " sequence:" : " sequences:");
  for (std::size_t k = 0; k < std::min(merged.size(), most_shown); ++k) {
    const TokenClass& equal = merged[k];
    text += (k == 0 ? " sequence " : ", sequence ") + std::to_string(equal.group) + " (";
    for (std::size_t t = 0; t < std::min(equal.tokens.size(), most_tokens); ++t)
      text += (t == 0 ? "" : " ") + std::to_string(equal.tokens[t]);
    text += equal.tokens.size() > most_tokens ? " ...)" : ")";
  }
  return merged.size() > most_shown ? text + ", ..." : text;
}

}  // namespace attest
