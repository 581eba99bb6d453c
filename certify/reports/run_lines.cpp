#include "certify/reports/run_lines.hpp"

#include "certify/reports/lines.hpp"

namespace attest {

std::string fact(const std::string& what, const std::string& value, const char* level) {
  std::string line = padded(what, 24) + value;
  if (*level != '\0') line = padded(line, 104) + level;
  return line + "\n";
}

std::string table_row(const std::string& step, std::size_t width_of_step,
                      const std::vector<std::string>& columns, std::size_t width) {
  std::string line = padded(step, width_of_step);
  for (const std::string& column : columns) line += padded(column, width);
  return line;
}

std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t most = 40;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : " ") + words[i];
  return words.size() > most ? text + " ... (" + std::to_string(words.size()) + " sequences)" : text;
}

std::string listed_tokens(const std::vector<std::optional<std::size_t>>& selection) {
  std::vector<std::string> words;
  bool known = false;
  for (const auto& token : selection) {
    words.push_back(token ? std::to_string(*token) : "?");
    known |= token.has_value();
  }
  return known ? listed(words) : "none is proved";
}

}  // namespace attest
