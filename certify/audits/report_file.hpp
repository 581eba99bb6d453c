// The page about its answer that a use case writes, where one is asked for (reports/html draws it).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "certify/audits/certificate_file.hpp"
#include "certify/process/input_error.hpp"
#include "certify/process/output_files.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {

// An answer as HTML; empty: another process writes the page.
template <typename Answer>
using PageOf = std::function<std::string(const Answer&)>;

template <typename Answer>
struct ReportRequest {
  std::string path;     // empty: none
  PageOf<Answer> page;  // of no use without a path

  bool wanted() const { return !path.empty(); }
};

// Writes the page if it is wanted. `files` has it declared as FileKind::report.
template <typename Answer>
std::optional<InputError> write_report(const ReportRequest<Answer>& report, const Answer& answer,
                                       const OutputFiles& files) {
  if (!report.wanted()) return std::nullopt;
  const std::string page = report.page(answer);
  if (page.empty()) return std::nullopt;
  return files.write(report.path, page);
}

// The end of a use case that has its answer: the certificate is written where one is wanted, the time in all
// is noted, the page is written.
template <typename Answer>
std::optional<InputError> write_answer(const ReportRequest<Answer>& report, Answer& answer,
                                       const OutputFiles& files, Clock::time_point began) {
  if (auto error = write_certificate_file(answer.certificate, files, answer.file)) return error;
  answer.total_seconds = seconds_since(began);
  return write_report(report, answer, files);
}

}  // namespace attest
