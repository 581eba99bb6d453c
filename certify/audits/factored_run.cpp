#include "certify/audits/factored_run.hpp"

#include <chrono>
#include <cmath>

#include "certify/audits/input.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/pictures/pictures.hpp"
#include "certify/process/output_files.hpp"

namespace attest {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_rank = 4096;

// What other runs have and this one has not.
std::optional<InputError> not_offered(const RunRequest& request) {
  if (request.arithmetic != "validated")
    return bad_option("--arithmetic", "training of (K,Q) is validated only");
  if (!request.compare.empty() || request.trajectory)
    return bad_option("--compare", "not with training of (K,Q)");
  if (request.resume || !request.state.empty())
    return bad_option("--resume", "the state of training (K,Q) is not kept");
  if (request.until_forever)
    return bad_option("--until-forever", "no theorem proves the limit of training (K,Q)");
  if (!request.potential.empty()) return bad_option("--potential", "is that of mirror descent: md, nmd");
  if (request.report.wanted()) return bad_option("--report", "not with training of (K,Q); --plot draws it");
  return std::nullopt;
}

Result<FactoredSpec> factored_spec(const RunRequest& request, const TokenData& data) {
  FactoredSpec spec;
  if (request.optimizer != "gd" && request.optimizer != "ngd")
    return bad_option("--optimizer", "training of (K,Q) knows gd and ngd");
  spec.normalised = request.optimizer == "ngd";
  Result<OptimizerSpec> steps = optimizer_spec(request, data);
  if (auto* error = std::get_if<InputError>(&steps)) return std::move(*error);
  spec.steps = std::get<OptimizerSpec>(std::move(steps));
  if (spec.steps.momentum != 0) return bad_option("--momentum", "training of (K,Q) takes none");
  if (several_outputs(spec.steps.loss))
    return bad_option("--optimizer", "training of (K,Q) does not follow heads of several outputs");
  if (data.offsets) return bad_option("--optimizer", "training of (K,Q) does not follow logits with offsets");
  spec.rank = data.left_dimension;
  if (request.rank.empty()) return spec;
  const Result<Rational> rank = exact_option("--rank", request.rank);
  const Rational* value = std::get_if<Rational>(&rank);
  if (value == nullptr || denominator(*value) != 1 || *value < 1 || *value > most_rank)
    return bad_option("--rank", "an integer from 1 to " + std::to_string(most_rank));
  spec.rank = static_cast<std::size_t>(numerator(*value).convert_to<unsigned long>());
  return spec;
}

struct Start {
  FactoredStart factors;
  std::string words;
};

Result<Start> given_start(const RunRequest& request, const TokenData& data, FactoredSpec& spec) {
  if (!request.left_start.given() || !request.right_start.given())
    return bad_option(request.left_start.given() ? "--Q0" : "--K0", "K_0 and Q_0 are given together");
  if (!request.init.empty() || !request.init_scale.empty())
    return bad_option("--init", "the start is given by --K0 and --Q0");
  std::optional<std::size_t> columns;
  if (!request.rank.empty()) columns = spec.rank;
  Result<WeightMatrix> left =
      read_weights(request.left_start, "K0", data.left_dimension, columns, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&left)) return std::move(*error);
  const std::size_t rank = std::get<WeightMatrix>(left).columns;
  if (rank < 1 || rank > most_rank) return bad_option("--K0", "1 to 4096 columns");
  Result<WeightMatrix> right =
      read_weights(request.right_start, "Q0", data.right_dimension, rank, request.memory_limit);
  if (auto* error = std::get_if<InputError>(&right)) return std::move(*error);
  spec.rank = rank;
  return Start{
      {std::move(std::get<WeightMatrix>(left).entries), std::move(std::get<WeightMatrix>(right).entries)},
      "given K_0 and Q_0"};
}

// scale I, the first columns of it.
ExactArray identity_like(std::size_t rows, std::size_t columns, const Rational& scale) {
  std::vector<Rational> entries(rows * columns);
  for (std::size_t j = 0; j < std::min(rows, columns); ++j) entries[j * columns + j] = scale;
  return ExactArray::from_rationals(std::move(entries));
}

Result<Start> start_of(const RunRequest& request, const TokenData& data, FactoredSpec& spec) {
  if (request.left_start.given() || request.right_start.given()) return given_start(request, data, spec);
  const std::size_t d = data.left_dimension, e = data.right_dimension, m = spec.rank;
  std::optional<Rational> scale;
  if (!request.init_scale.empty()) {
    Result<Rational> read = exact_option("--init-scale", request.init_scale);
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    scale = std::get<Rational>(std::move(read));
    if (*scale <= 0) return bad_option("--init-scale", "must be positive");
  }
  if (request.init.empty() || request.init == "identity") {
    const Rational factor = scale.value_or(Rational(1));
    return Start{{identity_like(d, m, factor), identity_like(e, m, factor)},
                 "K_0 = Q_0 = " + show(factor) + " times the identity's first columns"};
  }
  if (!request.init.starts_with("random:"))
    return bad_option("--init", "with --parameterization kq one of identity, random:SEED; or --K0 and --Q0");
  Result<std::vector<double>> read = random_entries(request.init, (d + e) * m);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const std::vector<double>& units = std::get<std::vector<double>>(read);
  const auto scaled = [&](std::size_t first, std::size_t rows) {
    const Rational factor = scale.value_or(Rational(1 / std::sqrt(static_cast<double>(rows))));
    std::vector<Rational> entries;
    for (std::size_t k = 0; k < rows * m; ++k) entries.push_back(factor * Rational(units[first + k]));
    return ExactArray::from_rationals(std::move(entries));
  };
  return Start{
      {scaled(0, d), scaled(d * m, e)},
      request.init + " times " + (scale ? show(*scale) : std::string("the inverse root of the rows"))};
}

OutputFiles declared_files(const RunRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  for (const WeightSource* source : {&request.left_start, &request.right_start}) {
    if (!source->path.empty()) files.input(weight_file(source->path));
  }
  files.output(request.trace, FileKind::trace);
  files.output(request.plot, FileKind::plot);
  return files;
}

std::optional<InputError> write_pictures(const FactoredRunAnswer& answer, const RunRequest& request,
                                         const OutputFiles& files) {
  const FactoredRecord& record = answer.outcome.record;
  if (!request.trace.empty()) {
    NamedColumns nuclear{{"one_minus_corr_nuclear_lo", {}}, {"one_minus_corr_nuclear_hi", {}}};
    for (const FactoredTraceRow& traced : record.trace) {
      nuclear[0].second.push_back(traced.nuclear_lo);
      nuclear[1].second.push_back(traced.nuclear_hi);
    }
    if (auto error = files.write(request.trace, trace_npz(trace_rows(record), nuclear))) return error;
  }
  if (request.plot.empty()) return std::nullopt;
  RunPlot plot;
  plot.title = "(K,Q), " + answer.optimizer + ", step " + show(answer.spec.steps.step) + ", " +
               name(answer.spec.steps.loss) + " loss";
  if (answer.outcome.limits.euclidean) plot.certified = trace_rows(record);
  if (answer.outcome.limits.nuclear) {
    ChartLine line{"1 - corr with the nuclear norm's matrix", Hue::vermillion, Dash::dashed, 2, {}};
    for (const FactoredTraceRow& traced : record.trace)
      line.points.emplace_back(static_cast<double>(traced.row.step), traced.nuclear_hi);
    plot.lines.push_back(std::move(line));
  }
  return files.write(request.plot, file_svg(run_chart(plot)));
}

}  // namespace

bool trains_factors(const RunRequest& request) {
  return request.parameterization == "kq";
}

std::vector<TraceRow> trace_rows(const FactoredRecord& record) {
  std::vector<TraceRow> rows;
  for (const FactoredTraceRow& traced : record.trace) rows.push_back(traced.row);
  return rows;
}

Result<FactoredRunAnswer> factored_run(const RunRequest& request, AuditWatch& watch) {
  const Clock::time_point began = Clock::now();
  if (const auto error = not_offered(request)) return *error;
  const OutputFiles files = declared_files(request, watch);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const TokenData data = token_data(std::get<Instance>(read));
  Result<FactoredSpec> spec = factored_spec(request, data);
  if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
  FactoredRunAnswer answer;
  answer.instance_path = request.instance;
  answer.optimizer = request.optimizer;
  answer.spec = std::get<FactoredSpec>(std::move(spec));
  Result<Start> start = start_of(request, data, answer.spec);
  if (auto* error = std::get_if<InputError>(&start)) return std::move(*error);
  answer.start = std::get<Start>(start).words;
  answer.merged = equal_tokens(data);
  FactoredOptions options;
  options.steps = request.steps;
  options.bits = request.bits;
  Result<long> precision = working_bits(request, 100, 60000);
  if (auto* error = std::get_if<InputError>(&precision)) return std::move(*error);
  options.precision = std::get<long>(precision);
  options.budget = &watch.budget();
  options.progress = [&](std::uint64_t step, std::uint64_t steps) { watch.stepping(step, steps); };
  answer.outcome = factored_run(data, answer.spec, std::get<Start>(start).factors, options);
  watch.computed();
  if (!request.certificate.empty())
    answer.certificate_note = "none: certificates do not hold training of (K,Q) yet";
  if (auto error = write_pictures(answer, request, files)) return std::move(*error);
  if (auto error = files.unchanged()) return std::move(*error);
  answer.total_seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return answer;
}

}  // namespace attest
