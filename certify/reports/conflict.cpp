#include "certify/reports/conflict.hpp"

#include <algorithm>

namespace attest {

std::vector<std::size_t> conflict_groups(const std::vector<Constraint>& rows) {
  std::vector<std::size_t> groups;
  for (const Constraint& row : rows) groups.push_back(row.group);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

std::string conflict_text(const std::vector<Constraint>& rows) {
  constexpr std::size_t most_shown = 8;
  std::string text = rows.size() == 1 ? "token" : "tokens";
  for (std::size_t k = 0; k < std::min(rows.size(), most_shown); ++k) text += " " + short_place(rows[k]);
  if (rows.size() > most_shown) text += " ... (" + std::to_string(rows.size()) + " in all)";
  const std::size_t groups = conflict_groups(rows).size();
  return text + " of " + std::to_string(groups) + (groups == 1 ? " sequence" : " sequences") +
         ": no W puts the selected tokens before " + (rows.size() == 1 ? "it" : "all of these");
}

std::string place(const Constraint& c) {
  return "token " + std::to_string(c.token) + " of sequence " + std::to_string(c.group);
}

std::string short_place(const Constraint& c) {
  return "(" + std::to_string(c.group) + "," + std::to_string(c.token) + ")";
}

Json json_place(const Constraint& c) {
  return Json::array({c.group, c.token});
}

Json json_places(const std::vector<Constraint>& constraints) {
  Json list = Json::array();
  for (const Constraint& c : constraints) list.push_back(json_place(c));
  return list;
}

Json json_conflict(const std::vector<Constraint>& rows) {
  return {{"rows", json_places(rows)}, {"groups", conflict_groups(rows)}};
}

}  // namespace attest
