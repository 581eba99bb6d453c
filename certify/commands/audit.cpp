// `attest audit PATH...`: what one asks first of datasets. Started as several processes, each looks at its
// share of the instances, or of a single one's sequences, and the first one prints.
#include "certify/reports/audit.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "certify/audits/audit_paths.hpp"
#include "certify/audits/shared_passes.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/process/ranks.hpp"
#include "certify/reports/html/audit.hpp"

namespace attest {
namespace {

// What one process found, as text for the first one.
std::string message(const std::vector<AuditPart>& parts) {
  Json list = Json::array();
  for (const AuditPart& part : parts) list.push_back(packed(part));
  return written({{"parts", std::move(list)}});
}

std::string message(const InputError& error) {
  return written(
      {{"error", {static_cast<int>(error.kind), error.file, error.key, error.index, error.message}}});
}

// Of all processes; the error of the first that has one.
Result<std::vector<AuditPart>> together(const std::vector<std::string>& by_rank) {
  std::vector<AuditPart> parts;
  for (const std::string& text : by_rank) {
    const Json told = Json::parse(text);
    if (told.contains("error")) {
      const Json& error = told["error"];
      return InputError{static_cast<InputError::Kind>(error[0].get<int>()), error[1], error[2], error[3],
                        error[4]};
    }
    for (const Json& value : told["parts"]) parts.push_back(unpacked(value));
  }
  std::sort(parts.begin(), parts.end(),
            [](const AuditPart& a, const AuditPart& b) { return a.number < b.number; });
  return parts;
}

// One audit by all processes of the job, each its share. What they found comes together once: where the page
// is drawn, or at the end.
class SharedAudit {
 public:
  SharedAudit(AuditRequest request, Ranks& ranks) : request_(std::move(request)), ranks_(ranks) {
    request_.share = {ranks.rank(), ranks.size()};
    request_.report.page = [this](const AuditAnswer& found) {
      collect(found);
      return answer() == nullptr ? std::string() : html(*answer());
    };
  }

  // Prints at the first process; the exit status.
  int run(AuditWatch& watch, bool json_wanted) {
    const Result<AuditAnswer> result = audit(request_, watch);
    const auto* error = std::get_if<InputError>(&result);
    if (!collected_) error == nullptr ? collect(std::get<AuditAnswer>(result)) : collect(*error);
    if (ranks_.rank() > 0) return exit_decided;
    if (error == nullptr) error = std::get_if<InputError>(&*collected_);
    if (error != nullptr) return report_input_error(*error, json_wanted);
    std::fputs((json_wanted ? json(*answer()) : text(*answer())).c_str(), stdout);
    return exit_status(*answer());
  }

 private:
  void collect(const AuditAnswer& found) {
    std::vector<AuditPart> parts = audit_parts(found, request_.sequences);
    if (request_.report.wanted()) draw(parts, found);
    if (ranks_.size() > 1) {
      collect(message(parts));
    } else {
      collected_ = std::move(parts);
    }
  }

  void collect(const InputError& error) { collect(message(error)); }

  void collect(std::string own) {
    collected_ = together(ranks_.gather(std::move(own)));
    ranks_.leave();
  }

  // What the first process has to say, once all is well; null elsewhere.
  const std::vector<AuditPart>* answer() const {
    return ranks_.rank() == 0 ? std::get_if<std::vector<AuditPart>>(&*collected_) : nullptr;
  }

  AuditRequest request_;
  Ranks& ranks_;
  std::optional<Result<std::vector<AuditPart>>> collected_;
};

}  // namespace

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
  add_threads(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  add_json(app, options->common);
  add_examples(app,
               {{"attest audit data.npz --report data.html", "what one asks first, as text and as a page"},
                {"attest audit folder/ --jobs 2 -o certificates --time-limit 600",
                 "every instance of a folder, with certificates"},
                {"mpirun -n 4 attest audit folder/ -o certificates",
                 "the same by four processes, on one machine or on several that share the folder"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    AuditRequest asked = options->request;
    asked.memory_limit = common.memory_limit;
    asked.force = common.force;
    asked.sequences = common.json;
    const Result<std::unique_ptr<Ranks>> ranks = join_ranks();
    if (const auto* error = std::get_if<InputError>(&ranks)) return report_input_error(*error, common.json);
    Ranks& job = *std::get<std::unique_ptr<Ranks>>(ranks);
    Ranks alone;
    std::optional<SharedPasses> passes;
    const Result<std::vector<std::string>> paths = instance_paths(asked.paths);
    const auto* instances = std::get_if<std::vector<std::string>>(&paths);
    const bool one = job.size() > 1 && instances != nullptr && instances->size() == 1;
    if (one) {
      if (job.rank() > 0) return answer_passes(signals, common, instances->front(), job);
      asked.passes = &passes.emplace(job);
    }
    SharedAudit shared(std::move(asked), one ? alone : job);
    Session session(signals, common, common.json ? AnswerShape::object : AnswerShape::text);
    return session.conduct([&] { return shared.run(session, common.json); });
  };
}

}  // namespace attest
