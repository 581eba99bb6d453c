// Lines that the texts of runs have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "certify/reports/lines.hpp"
#include "certify/reports/run.hpp"

namespace attest {

// What, how much, and the level of it, if any.
std::string fact(const std::string& what, const std::string& value, const char* level = "");

// A line of a table: the step and columns so wide.
std::string table_row(const std::string& step, std::size_t width_of_step,
                      const std::vector<std::string>& columns, std::size_t width);

// The words, cut where there are many; their number then.
std::string listed(const std::vector<std::string>& words);
// The selected tokens; "?" where none is certain.
std::string listed_tokens(const std::vector<std::optional<std::size_t>>& selection);

// The end of a run of another iteration than that of W: reason, certificate, precision, times, verdict.
template <class Answer>
std::string last_lines(const Answer& answer) {
  const auto& outcome = answer.outcome;
  std::string out;
  if (!outcome.reason.empty()) out += fact("reason", outcome.reason);
  if (!answer.file.path.empty())
    out += fact("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  if (!answer.certificate_note.empty()) out += fact("certificate", answer.certificate_note);
  char line[200];
  std::snprintf(
      line, sizeof line, "c %ld bits, %zu attempts, errors amplified by 2^%.1f, run %.3f s, total %.3f s\n",
      outcome.precision_bits, outcome.attempts, outcome.growth_bits, outcome.seconds, answer.total_seconds);
  std::string verdict = verdict_word(outcome.verdict);
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return static_cast<char>(c - 32); });
  return out + line + "s " + verdict + "\n";
}

}  // namespace attest
