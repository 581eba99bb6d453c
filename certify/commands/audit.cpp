// `attest audit PATH...`: what one asks first of datasets.
#include "certify/reports/audit.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/audit.hpp"

namespace attest {

RunCommand configure_audit(CLI::App& app) {
  struct Options {
    CommonOptions common;
    AuditRequest request;
  };
  const auto options = std::make_shared<Options>();
  AuditRequest& request = options->request;
  app.add_option("paths", request.paths, "Instances, and folders of instances")->required();
  app.add_option("-o,--output", request.folder, "Folder for the certificates, made if it is not there");
  add_report(app, request.report.path);
  app.add_option("--jobs", request.jobs, "Instances to look at at the same time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--precision", request.precision_bits, "Bits of enclosures")
      ->check(CLI::Range(16L, 65536L))
      ->capture_default_str();
  add_time_limit(app, options->common, " for all of it, reading included");
  add_memory_limit(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  add_json(app, options->common);
  add_examples(app,
               {{"attest audit data.npz --report data.html", "what one asks first, as text and as a page"},
                {"attest audit folder/ --jobs 2 -o certificates --time-limit 600",
                 "every instance of a folder, with certificates"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    AuditRequest asked = options->request;
    asked.memory_limit = common.memory_limit;
    asked.force = common.force;
    asked.report.page = [](const AuditAnswer& found) { return html(found); };
    Session session(signals, common, common.json ? AnswerShape::object : AnswerShape::text);
    return session.conduct([&] {
      const Result<AuditAnswer> result = audit(asked, session);
      if (const auto* error = std::get_if<InputError>(&result))
        return report_input_error(*error, common.json);
      const AuditAnswer& found = std::get<AuditAnswer>(result);
      std::fputs((common.json ? json(found) : text(found)).c_str(), stdout);
      return found.exit_status();
    });
  };
}

}  // namespace attest
