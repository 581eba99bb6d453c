// `attest certify INSTANCE -o CERT`: decides the margin problem with proof and writes the certificate.
#include "certify/reports/certify.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

#include "certify/catalogue/smoothness.hpp"
#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/process/file_bytes.hpp"
#include "certify/process/output_files.hpp"
#include "numerics/numbers/dyadic.hpp"

namespace attest {
namespace {

struct Options {
  std::string instance, certificate, select, form = "auto", loss = "none";
  long precision = 128;
  double time_limit = 0;
  std::size_t memory_limit = 0;
  bool json = false, progress = false, force = false;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A line on stderr that is redrawn at most ten times a second and wiped at the end.
class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void show(std::string_view stage, double fraction) {
    if (!enabled_ || (shown_ && seconds_since(last_) < 0.1)) return;
    last_ = Clock::now();
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%.*s %3.0f%%", static_cast<int>(stage.size()), stage.data(),
                 100 * fraction);
    std::fflush(stderr);
  }

 private:
  bool enabled_, shown_ = false;
  Clock::time_point last_;
};

MarginSolution solve(const Options& options, const TokenData& data, const Selection& selection,
                     const Budget& budget) {
  Progress progress(options.progress || isatty(STDERR_FILENO));
  MarginOptions margin;
  margin.form = options.form == "exact"       ? Form::exact
                : options.form == "enclosure" ? Form::enclosure
                                              : Form::automatic;
  margin.precision_bits = options.precision;
  margin.outer = &budget;
  margin.memory_limit_bytes = options.memory_limit;
  margin.progress = [&](std::string_view stage, double fraction) { progress.show(stage, fraction); };
  return solve_margin_problem(data, selection, margin);
}

// Decimal digits that show the requested precision, at least 40.
std::size_t significant_digits(long precision_bits) {
  return std::max<std::size_t>(
      40, static_cast<std::size_t>(std::ceil(static_cast<double>(precision_bits) * 0.30103)) + 4);
}

// A dyadic constant above T6's, with relative slack 2^-30 so that a checker's own rounding stays below it.
// Nothing without a loss, or when it would leave the exponents a certificate can hold.
std::optional<Rational> smoothness_constant(const TokenData& data, const std::string& loss_word,
                                            const Budget& budget) {
  const std::optional<Loss> loss = parse_loss(loss_word);
  if (!loss) return std::nullopt;
  const std::optional<Interval> enclosure = sharp_smoothness(data, *loss, budget);
  if (!enclosure || (enclosure->hi != 0 && std::labs(approx_log2(enclosure->hi)) > 60000))
    return std::nullopt;
  return dyadic_above(enclosure->hi * (1 + power_of_two(-30)), 64);
}

// What goes with the solution if the time allows: a claim that is not made costs nothing but itself.
void add_claims(CertifiedFacts& facts, const Options& options, const Budget& budget) {
  try {
    if (facts.solution->feasibility == Feasibility::feasible) {
      facts.rank = rank_of_optimum(*facts.data, *facts.selection, *facts.solution, budget);
    }
    facts.smoothness = smoothness_constant(*facts.data, options.loss, budget);
  } catch (const BudgetReached&) {
  }
}

int run(const Options& options) {
  const Clock::time_point start = Clock::now();
  CommandClock clock(options.time_limit, options.json ? AnswerShape::object : AnswerShape::text);
  OutputFiles files(options.force);
  files.input(options.instance);
  files.output(options.certificate, FileKind::certificate);
  if (const auto error = files.check()) return report_input_error(*error, options.json);
  int exit_code = exit_decided;
  const auto instance = read_or_report(options.instance, options.memory_limit, options.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  const Result<Selection> chosen = choose_selection(*instance, data, options.select);
  if (const auto* error = std::get_if<InputError>(&chosen)) {
    InputError located = *error;
    located.file = options.instance;
    return report_input_error(located, options.json);
  }
  const Selection& selection = std::get<Selection>(chosen);

  CertifyReport report;
  report.instance_path = options.instance;
  report.read_seconds = seconds_since(start);
  const Clock::time_point solving = Clock::now();
  const MarginSolution solution = solve(options, data, selection, clock.budget());
  clock.answering();
  CertifiedFacts facts;
  facts.instance = &*instance;
  facts.data = &data;
  facts.selection = &selection;
  facts.solution = &solution;
  facts.loss = options.loss;
  add_claims(facts, options, clock.budget());
  report.solve_seconds = seconds_since(solving);

  const Clock::time_point writing = Clock::now();
  const Certificate certificate = write_certificate(facts);
  if (!options.certificate.empty() && !certificate.claims.empty()) {
    const bool compressed = options.certificate.ends_with(".gz");
    const std::string bytes = compressed ? gzip(certificate.text) : certificate.text;
    if (const auto error = files.write(options.certificate, bytes))
      return report_input_error(*error, options.json);
    report.certificate_path = options.certificate;
    report.certificate_bytes = bytes.size();
  }
  report.facts = &facts;
  report.certificate = &certificate;
  report.vacuous = constraint_count(data) == 0;
  report.significant_digits = significant_digits(options.precision);
  report.write_seconds = seconds_since(writing);
  report.total_seconds = seconds_since(start);
  const std::string text = options.json ? certify_json(report) : certify_text(report);
  std::fputs(text.c_str(), stdout);
  return solution.feasibility == Feasibility::undecided ? exit_undecided : exit_decided;
}

}  // namespace

std::function<int()> configure_certify(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("-o,--output", options->certificate, "Certificate to write; .gz compresses it");
  app.add_option("--select", options->select,
                 "Selected tokens, one index a sequence: 0,2,1,... (before alpha, argmax)")
      ->check([](const std::string& given) { return given.empty() ? "names no token" : ""; });
  app.add_option("--form", options->form, "Evidence: auto, exact (rational), enclosure")
      ->check(CLI::IsMember({"auto", "exact", "enclosure"}));
  app.add_option("--precision", options->precision, "Bits of enclosures (default 128)")
      ->check(CLI::Range(16L, 65536L));
  app.add_option("--time-limit", options->time_limit,
                 "Seconds for all of it, reading included, then undecided")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_flag("--force", options->force, "Replace an existing file that is not a certificate");
  app.add_option("--loss", options->loss, "Loss of the smoothness claim (default none)")
      ->check(CLI::IsMember({"none", "logistic", "exponential", "correlation"}));
  app.add_flag("--json", options->json, "Print one JSON value");
  app.add_flag("--progress", options->progress, "Show progress on stderr even when it is not a terminal");
  return [options] { return run(*options); };
}

}  // namespace attest
