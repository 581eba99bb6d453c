#include "certify/audits/followed_run.hpp"

#include "certify/audits/input.hpp"
#include "certify/process/output_files.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

// What runs of W with gradient steps have and no other one has.
std::optional<InputError> not_offered(const std::string& words, const RunRequest& request) {
  if (request.arithmetic != "validated") return bad_option("--arithmetic", words + " is validated only");
  if (!request.compare.empty() || request.trajectory) return bad_option("--compare", "not with " + words);
  if (!request.sets.empty() || !request.ratios.empty())
    return bad_option("--selected-sets", "not with " + words);
  if (request.resume || !request.state.empty())
    return bad_option("--resume", "the state of " + words + " is not kept");
  const Result<Rational> momentum = exact_option("--momentum", request.momentum);
  if (const auto* error = std::get_if<InputError>(&momentum)) return *error;
  if (std::get<Rational>(momentum) != 0) return bad_option("--momentum", words + " takes none");
  return std::nullopt;
}

OutputFiles declared_files(const FollowedRunCase& run, const RunRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  for (const std::string& path : run.inputs()) files.input(path);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.trace, FileKind::trace);
  files.output(request.plot, FileKind::plot);
  files.output(request.report.path, FileKind::report);
  return files;
}

std::optional<InputError> write_pictures(const FollowedPictures& pictures, const RunRequest& request,
                                         const OutputFiles& files) {
  if (!request.trace.empty()) {
    if (auto error = files.write(request.trace, trace_npz(pictures.trace, pictures.columns))) return error;
  }
  if (request.plot.empty()) return std::nullopt;
  return files.write(request.plot, file_svg(run_chart(pictures.plot)));
}

// For what was proved when a signal or a limit ended the run: its certificate is written within the second
// that both have.
class LastSecond : public AuditWatch {
 public:
  const Budget& budget() const override { return budget_; }

 private:
  Budget budget_{0.5, 0};
};

Certificate certificate_in_time(const FollowedRunCase& run, const AuditWatch& watch) {
  return watch.budget().reached() ? run.certificate(LastSecond()) : run.certificate(watch);
}

}  // namespace

std::optional<InputError> follow_run(FollowedRunCase& run, FollowedRunAnswer& answer,
                                     const RunRequest& request, AuditWatch& watch,
                                     const std::function<std::string()>& page) {
  const Clock::time_point began = Clock::now();
  if (auto error = not_offered(run.words(), request)) return error;
  if (auto error = run.not_offered()) return error;
  const OutputFiles files = declared_files(run, request, watch);
  if (auto error = files.check()) return error;
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const Instance& instance = std::get<Instance>(read);
  const TokenData data = token_data(instance);
  if (auto error = run.prepare(instance, data)) return error;
  Result<long> precision = working_bits(request, run.precisions().least, run.precisions().most);
  if (auto* error = std::get_if<InputError>(&precision)) return std::move(*error);
  answer.instance_path = request.instance;
  answer.instance_sha256 = canonical_sha256(instance);
  answer.optimizer = request.optimizer;
  answer.merged = equal_tokens(data);
  for (std::size_t i = 0; i < data.groups(); ++i) {
    if (data.different(i) > 1) answer.groups.push_back(i);
  }
  BallRunOptions options;
  options.steps = request.steps;
  options.bits = request.bits;
  options.precision = std::get<long>(precision);
  options.budget = &watch.budget();
  options.progress = [&](std::uint64_t step, std::uint64_t steps) { watch.stepping(step, steps); };
  run.follow(data, options);
  watch.computed();
  // Whoever holds the instance in memory takes the text.
  if (!request.certificate.empty() || (request.held && request.certified))
    answer.certificate = certificate_in_time(run, watch);
  if (!request.certificate.empty() && answer.certificate.text.empty())
    answer.certificate_note = "none: " + run.without_certificate();
  answer.pictures = run.pictures();
  if (auto error = write_pictures(answer.pictures, request, files)) return error;
  if (auto error = files.unchanged()) return error;
  answer.file.wanted = request.certificate;
  if (auto error = write_certificate_file(answer.certificate, files, answer.file)) return error;
  answer.total_seconds = seconds_since(began);
  if (!request.report.wanted()) return std::nullopt;
  return files.write(request.report.path, page());
}

}  // namespace attest
