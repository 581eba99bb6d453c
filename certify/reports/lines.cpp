#include "certify/reports/lines.hpp"

#include <algorithm>
#include <cctype>

#include "certify/audits/audit_summary.hpp"

namespace attest {
namespace {

std::string quoted(const std::string& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-' || c == '+' || c == ',';
  });
  if (plain && !path.empty()) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

std::string wrapped(const std::string& text, std::size_t column, std::size_t width) {
  std::string out;
  const std::size_t room = width - column;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t length = text.size() - start;
    if (length > room) {
      const std::size_t space = text.rfind(' ', start + room);
      length = space == std::string::npos || space <= start ? room : space - start;
    }
    out += (start == 0 ? "" : std::string(column, ' ')) + text.substr(start, length) + "\n";
    start += length;
    while (start < text.size() && text[start] == ' ') ++start;
  }
  return text.empty() ? "\n" : out;
}

std::string fact_line(const std::string& what, const std::string& value, bool checked) {
  const std::string line = padded(what, std::max<std::size_t>(24, what.size() + 2)) + value;
  return (checked ? padded(line, std::max<std::size_t>(92, line.size() + 2)) + "checked" : line) + "\n";
}

std::string several(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string certificate_words(const CertificateFile& file, std::size_t claims) {
  return file.path + ", " + with_commas(claims) + (claims == 1 ? " claim, " : " claims, ") +
         with_commas(file.bytes) + " bytes";
}

std::string check_command(const std::string& instance, const CertificateFile& file) {
  return "attest-check " + quoted(instance) + " " + quoted(file.path);
}

std::string verdict_line(std::string verdict, bool vacuous) {
  for (char& c : verdict) c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return "s " + verdict + (vacuous ? " VACUOUS\n" : "\n");
}

}  // namespace attest
