#include "certify/audits/mirror_run.hpp"

#include <chrono>
#include <cmath>

#include "certify/audits/input.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/pictures/pictures.hpp"
#include "certify/process/output_files.hpp"

namespace attest {
namespace {

using Clock = std::chrono::steady_clock;

// What other runs have and this one has not.
std::optional<InputError> not_offered(const RunRequest& request) {
  if (request.arithmetic != "validated")
    return bad_option("--arithmetic", "mirror descent is validated only");
  if (!request.compare.empty() || request.trajectory)
    return bad_option("--compare", "not with mirror descent");
  if (request.resume || !request.state.empty())
    return bad_option("--resume", "the state of mirror descent is not kept");
  if (const auto error = of_factors_only(request)) return error;
  if (request.report.wanted()) return bad_option("--report", "not with mirror descent; --plot draws it");
  return std::nullopt;
}

Result<MirrorSpec> mirror_spec(const RunRequest& request, const TokenData& data) {
  MirrorSpec spec;
  spec.normalised = request.optimizer == "nmd";
  if (request.potential.empty())
    return bad_option("--potential", "needed for md and nmd: P > 1, as 7/4 or 3");
  const Result<Rational> exponent = exact_option("--potential", request.potential);
  if (const auto* error = std::get_if<InputError>(&exponent)) return *error;
  spec.exponent = std::get<Rational>(exponent);
  if (spec.exponent <= 1 || numerator(spec.exponent) > 64 || denominator(spec.exponent) > 64)
    return bad_option("--potential", "above 1, numerator and denominator at most 64");
  // The rest is that of gd: a step, a schedule, a loss.
  RunRequest plain = request;
  plain.optimizer = "gd";
  Result<OptimizerSpec> steps = optimizer_spec(plain, data);
  if (auto* error = std::get_if<InputError>(&steps)) return std::move(*error);
  spec.steps = std::get<OptimizerSpec>(std::move(steps));
  if (spec.steps.momentum != 0) return bad_option("--momentum", "mirror descent takes none");
  if (several_outputs(spec.steps.loss))
    return bad_option("--optimizer", "mirror descent does not follow heads of several outputs");
  if (data.offsets) return bad_option("--optimizer", "mirror descent does not follow logits with offsets");
  return spec;
}

OutputFiles declared_files(const RunRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  if (request.init.starts_with("@")) files.input(request.init.substr(1));
  files.output(request.trace, FileKind::trace);
  files.output(request.plot, FileKind::plot);
  return files;
}

std::optional<InputError> write_pictures(const MirrorRunAnswer& answer, const RunRequest& request,
                                         const OutputFiles& files) {
  const std::vector<TraceRow>& trace = answer.outcome.record.trace;
  if (!request.trace.empty()) {
    if (auto error = files.write(request.trace, trace_npz(trace))) return error;
  }
  if (request.plot.empty()) return std::nullopt;
  RunPlot plot;
  plot.title = answer.optimizer + ", P = " + show(answer.spec.exponent) + ", step " +
               show(answer.spec.steps.step) + ", " + name(answer.spec.steps.loss) + " loss";
  if (answer.outcome.limit) plot.certified = trace;
  const bool constant = answer.spec.steps.schedule == Schedule::constant;
  if (const auto& proof = answer.outcome.proof; proof && constant && proof->region.growth > 0) {
    // What is proved beyond the run: the point of it.
    ChartLine line{"proved for all later steps", Hue::vermillion, Dash::dashed, 2, {}};
    const double eta = mpq_get_d(answer.spec.steps.step.backend().data());
    for (double t = static_cast<double>(proof->t0); t < 10.0 * static_cast<double>(request.steps + 1);
         t = t * 1.2 + 1) {
      const MirrorRegion& region = proof->region;
      const double zeta = region.zeta + region.growth * eta * (t - static_cast<double>(proof->t0));
      line.points.emplace_back(t, region.direction / std::pow(zeta, region.power));
    }
    plot.lines.push_back(std::move(line));
  }
  return files.write(request.plot, file_svg(run_chart(plot)));
}

}  // namespace

bool is_mirror_descent(const std::string& optimizer) {
  return optimizer == "md" || optimizer == "nmd";
}

Result<MirrorRunAnswer> mirror_run(const RunRequest& request, AuditWatch& watch) {
  const Clock::time_point began = Clock::now();
  if (const auto error = not_offered(request)) return *error;
  const OutputFiles files = declared_files(request, watch);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const Instance& instance = std::get<Instance>(read);
  const TokenData data = token_data(instance);
  Result<MirrorSpec> spec = mirror_spec(request, data);
  if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
  Result<ExactArray> start = initial_point(request, instance, data);
  if (auto* error = std::get_if<InputError>(&start)) return std::move(*error);
  MirrorRunAnswer answer;
  answer.instance_path = request.instance;
  answer.optimizer = request.optimizer;
  answer.spec = std::get<MirrorSpec>(std::move(spec));
  answer.merged = equal_tokens(data);
  MirrorOptions options;
  options.steps = request.steps;
  options.bits = request.bits;
  Result<long> precision = working_bits(request, 53, 4000);
  if (auto* error = std::get_if<InputError>(&precision)) return std::move(*error);
  options.precision = std::get<long>(precision);
  options.until_forever = request.until_forever;
  options.budget = &watch.budget();
  options.progress = [&](std::uint64_t step, std::uint64_t steps) { watch.stepping(step, steps); };
  answer.outcome = mirror_run(data, answer.spec, std::get<ExactArray>(start), options);
  watch.computed();
  if (!request.certificate.empty())
    answer.certificate_note = "none: certificates do not hold mirror descent yet";
  if (auto error = write_pictures(answer, request, files)) return std::move(*error);
  if (auto error = files.unchanged()) return std::move(*error);
  answer.total_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return answer;
}

}  // namespace attest
