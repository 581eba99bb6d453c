// `attest run INSTANCE`: gradient descent, normalised gradient descent or Polyak steps, with proof.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/multiprecision/mpfr.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <memory>
#include <random>


#include "certify/certificate_writer.hpp"
#include "certify/command.hpp"
#include "certify/command_input.hpp"
#include "certify/file_bytes.hpp"
#include "certify/json_instance.hpp"
#include "certify/npy_format.hpp"
#include "certify/forever_claim.hpp"
#include "certify/run_certificate.hpp"
#include "certify/run_plot.hpp"
#include "certify/run_report.hpp"
#include "certify/run_state.hpp"
#include "certify/zip_archive.hpp"

namespace attest {
namespace {

struct Options {
  std::string instance, certificate, trace, plot, state;
  std::string optimizer, schedule = "constant", step, loss = "logistic", init = "zero", precision = "auto",
                         arithmetic = "validated";
  std::uint64_t steps = 0;
  long bits = 100;
  double time_limit = 0;
  std::size_t memory_limit = 0;
  bool json = false, progress = false, resume = false, until_forever = false;
};

using Clock = std::chrono::steady_clock;
using Mpfr = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>, boost::multiprecision::et_off>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::atomic<bool> interrupted{false};

// While it lives, the first SIGINT or SIGTERM asks the run to stop and write what it has; the second one kills.
class StopOnSignal {
 public:
  StopOnSignal() {
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~StopOnSignal() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction old_interrupt_ {}, old_terminate_ {};
};

// "step 1200 of 20000, 3 s left" on stderr, redrawn at most five times a second, wiped at the end.
class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled), start_(Clock::now()), last_(start_) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void show(std::uint64_t step, std::uint64_t steps) {
    if (!enabled_ || seconds_since(last_) < 0.2) return;
    last_ = Clock::now();
    if (step < first_ || first_ == 0) {  // a new attempt starts over
      first_ = std::max<std::uint64_t>(step, 1);
      start_ = last_;
    }
    const double done = static_cast<double>(step - std::min(first_, step));
    const double left = done > 0 ? seconds_since(start_) / done * static_cast<double>(steps - step) : 0;
    shown_ = true;
    std::fprintf(stderr, "\r\033[Kstep %llu of %llu, %.0f s left", static_cast<unsigned long long>(step),
                 static_cast<unsigned long long>(steps), left);
    std::fflush(stderr);
  }

 private:
  bool enabled_, shown_ = false;
  std::uint64_t first_ = 0;
  Clock::time_point start_, last_;
};

InputError bad_option(const std::string& key, const std::string& message) {
  return {InputError::Kind::malformed, {}, key, {}, message};
}

// The exact optimiser. The step is an exact decimal or fraction.
Result<OptimizerSpec> optimizer_spec(const Options& options) {
  OptimizerSpec spec;
  spec.rule = options.optimizer == "gd" ? UpdateRule::gd : options.optimizer == "ngd" ? UpdateRule::ngd : UpdateRule::polyak;
  spec.schedule = options.schedule == "constant"  ? Schedule::constant
                  : options.schedule == "inverse" ? Schedule::inverse
                                                  : Schedule::inverse_sqrt;
  spec.loss = *parse_loss(options.loss);
  if (options.step.empty()) {
    if (spec.rule != UpdateRule::polyak) return bad_option("--step", "needed for gd and ngd");
    spec.step = Rational(1, 2);
    return spec;
  }
  const ParsedNumber parsed = parse_number(options.step);
  if (const auto* reason = std::get_if<std::string>(&parsed)) return bad_option("--step", *reason);
  spec.step = std::holds_alternative<double>(parsed) ? Rational(std::get<double>(parsed)) : std::get<Rational>(parsed);
  if (spec.step <= 0) return bad_option("--step", "must be positive");
  return spec;
}

// W_0, exactly: zero, an .npy file, a JSON file (a d x e list, or an object with the key W0), or random: entries that
// are multiples of 2^-52 in [-1, 1), from the 64-bit Mersenne twister with that seed.
Result<ExactArray> initial_point(const Options& options, const Instance& instance, const TokenData& data) {
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  if (options.init == "zero") return ExactArray();
  if (options.init == "instance") {
    if (!instance.W0) return bad_option("--init", "the instance has no W0");
    return *instance.W0;
  }
  if (options.init.starts_with("random:")) {
    const std::string digits = options.init.substr(7);
    if (digits.empty() || digits.size() > 19 || digits.find_first_not_of("0123456789") != std::string::npos) {
      return bad_option("--init", "the seed of random:SEED is a non-negative integer");
    }
    std::mt19937_64 random(std::stoull(digits));
    std::vector<double> entries(d * e);
    for (double& entry : entries) {
      entry = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;  // 53 bits: exact
    }
    return ExactArray::from_binary64(std::move(entries));
  }
  if (!options.init.starts_with("@")) return bad_option("--init", "one of zero, instance, @FILE, random:SEED");
  const std::string path = options.init.substr(1);
  try {
    const ReadLimits limits{options.memory_limit};
    const std::string bytes = read_file(path, limits);
    RawArray array;
    if (bytes.starts_with("\x93NUMPY")) {
      array = decode_npy(bytes, "W0");
    } else {
      const std::size_t first = bytes.find_first_not_of(" \t\r\n");
      const bool bare = first != std::string::npos && bytes[first] == '[';
      RawInstance raw = parse_json_instance(bare ? "{\"W0\":" + bytes + "}" : bytes);
      if (!raw.contains("W0")) fail_input("no key W0");
      array = std::move(raw.at("W0"));
    }
    if (array.text || array.lengths || array.shape != std::vector<std::size_t>{d, e}) {
      fail_input("must have shape " + std::to_string(d) + " x " + std::to_string(e), "W0");
    }
    for (std::size_t k = 0; k < array.values.size(); ++k) {
      if (!array.values.finite(k)) fail_input("not a finite number", "W0", array.index(k));
    }
    return std::move(array.values).take();
  } catch (const InputFailure& failure) {
    InputError error = failure.error;
    error.file = path;
    return error;
  }
}

std::string identity_of(const Instance& instance, const OptimizerSpec& spec, const ExactArray& start, const Options& options) {
  std::string line = "run " + canonical_sha256(instance) + ' ' + name(spec.rule) + ' ' + name(spec.schedule) + ' ' +
                     name(spec.loss) + ' ' + certificate_number(spec.step) + " bits " + std::to_string(options.bits) +
                     " precision " + options.precision + " start";
  for (std::size_t k = 0; k < start.size(); ++k) line += ' ' + certificate_number(start.exact(k));
  return line;
}

// The trace as arrays of doubles: for plots only, nothing in it is an enclosure but the band of 1 - corr.
std::string trace_npz(const std::vector<TraceRow>& trace) {
  std::vector<std::int64_t> steps;
  std::vector<std::vector<double>> columns(9);
  for (const TraceRow& row : trace) {
    steps.push_back(static_cast<std::int64_t>(row.step));
    const double values[] = {row.norm,           row.along,         row.across,
                             row.one_minus_corr_lo, row.one_minus_corr_hi, row.loss_gap,
                             row.gradient_norm,  row.max_unselected, row.log2_radius};
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(values[k]);
  }
  const char* const names[] = {"norm",          "along",          "across",
                               "one_minus_corr_lo", "one_minus_corr_hi", "loss_gap",
                               "gradient_norm", "max_one_minus_s", "log2_radius"};
  std::vector<std::pair<std::string, std::string>> members{{"t.npy", encode_npy(steps, {steps.size()})}};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    members.emplace_back(std::string(names[k]) + ".npy", encode_npy(columns[k], {columns[k].size()}));
  }
  return make_zip(members);
}

TraceRow trace_row(const PlainObservation& seen) {
  return {seen.step, seen.norm, seen.along, seen.across, seen.one_minus_corr, seen.one_minus_corr, seen.loss_gap,
          seen.gradient_norm, seen.max_unselected, -std::numeric_limits<double>::infinity()};
}

// 1 - corr of the textbook gradient in doubles, as deep-learning libraries compute it.
PlotLine double_line(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                     const ReferenceDirection* direction, std::uint64_t steps) {
  PlotLine line{"plain double precision, textbook gradient (computed)", "#d62728", false, {}};
  PlainRun<double> run(geometry, spec, start, GradientForm::textbook);
  double next = 1;
  while (run.step() < steps && run.advance()) {
    if (static_cast<double>(run.step()) < next && run.step() != steps) continue;
    next = std::max(next + 1, next * 1.01);
    line.points.emplace_back(static_cast<double>(run.step()), run.observe(direction).one_minus_corr);
  }
  return line;
}

// The shape a run of this kind settles to, with its constant from the last dyadic block (algorithms: 1/t^2 for
// normalised steps of constant size, 1/log^2 t for gradient descent).
PlotLine shape_line(const RunOutcome& outcome, const OptimizerSpec& spec) {
  const bool logarithmic = spec.rule == UpdateRule::gd;
  PlotLine line{{}, "#2ca02c", true, {}};
  for (const RateShape& shape : outcome.record.shapes) {
    if (shape.name != (logarithmic ? "1/log(t)^2" : "1/t^2") || shape.blocks.empty()) continue;
    const double constant = shape.blocks.back().hi;
    char label[64];
    std::snprintf(label, sizeof label, "%.4g %s", constant, shape.name.c_str());
    line.label = label;
    for (double t = 2; t <= static_cast<double>(outcome.record.step); t *= 1.02) {
      line.points.emplace_back(t, logarithmic ? constant / (std::log(t) * std::log(t)) : constant / (t * t));
    }
  }
  return line;
}

// The explicit bound of 1 - corr at every later step, from the proof with the sharpest last value.
PlotLine bound_line(const std::vector<const ForeverProof*>& proofs, std::uint64_t last) {
  PlotLine line{{}, "#ff7f0e", true, {}};
  double least = std::numeric_limits<double>::infinity();
  const auto value = [](const ForeverProof& proof, std::uint64_t t) {
    const auto ends = interval_of(proof.one_minus_cos_at(t).ball());
    return ends ? mpq_get_d(ends->hi.backend().data()) : std::numeric_limits<double>::infinity();
  };
  for (const ForeverProof* proof : proofs) {
    if (proof->t0 >= last || !(value(*proof, last) < least)) continue;
    least = value(*proof, last);
    line.points.clear();
    line.label = std::string("explicit bound for ever, ") + name(proof->theorem) + " from t = " + std::to_string(proof->t0);
    for (double t = static_cast<double>(std::max<std::uint64_t>(proof->t0, 1)); t <= static_cast<double>(last);
         t = std::max(t + 1, t * 1.02)) {
      const auto step = static_cast<std::uint64_t>(t);
      line.points.emplace_back(static_cast<double>(step), value(*proof, step));
    }
  }
  return line;
}

class Command {
 public:
  Command(const Options& options, const Instance& instance, const TokenData& data, const OptimizerSpec& spec,
          const ExactArray& start)
      : options_(options), instance_(instance), spec_(spec), start_(start), geometry_(data, 6), scan_(geometry_, spec) {
    report_.instance_path = options.instance;
    report_.spec = spec;
    report_.steps_wanted = options.steps;
    report_.arithmetic = options.arithmetic;
    report_.geometry = &geometry_;
  }

  int run() {
    const Clock::time_point began = Clock::now();
    if (options_.arithmetic == "validated") {
      if (const auto error = validated()) return report_input_error(*error, options_.json);
    } else {
      computed();
    }
    if (const auto error = write_pictures()) return report_input_error(*error, options_.json);
    report_.total_seconds = seconds_since(began);
    const std::string text = options_.json ? run_json(report_) : run_text(report_);
    std::fputs(text.c_str(), stdout);
    const bool undecided = report_.outcome != nullptr && report_.outcome->verdict == RunVerdict::undecided;
    return undecided ? exit_undecided : exit_decided;
  }

 private:
  std::optional<InputError> validated() {
    const std::string identity = identity_of(instance_, spec_, start_, options_);
    RunOptions run;
    run.steps = options_.steps;
    run.bits = options_.bits;
    run.precision = options_.precision == "auto" ? 0 : std::stol(options_.precision);
    run.time_limit_seconds = options_.time_limit;
    Progress progress(options_.progress || isatty(STDERR_FILENO) != 0);
    run.progress = [&](std::uint64_t step, std::uint64_t steps) { progress.show(step, steps); };
    // A lock-in may be proved before its tokens dominate: the run goes on until the certified selection is that one.
    const ReferenceDirection* watched = nullptr;
    bool settled = false;
    run.stop = [&] { return interrupted.load() || settled; };
    run.begin = [&](const ReferenceDirection* direction, const MarginSolution* solution) {
      watched = direction;
      settled = false;
      scan_.begin(direction, solution);
    };
    run.watch = [&](const Trajectory& trajectory, const RunObserver& observer, const RunPoint& point) {
      scan_.watch(observer, point);
      if (!options_.until_forever || watched == nullptr || scan_.earliest() == nullptr) return;
      settled = true;
      for (std::size_t i = 0; i < geometry_.groups.size() && settled; ++i) {
        settled = trajectory.reference()[i] == watched->selection[geometry_.groups[i].original] && trajectory.dominates(i);
      }
    };
    run.keep = [&](const RunPoint& point) {  // the points that claims about all later steps start from
      const auto starts = [&](const std::optional<ForeverProof>& proof) { return proof && proof->t0 == point.step; };
      return starts(scan_.lock_in()) || starts(scan_.region()) || starts(scan_.residual());
    };
    SavedRun saved;
    if (options_.resume) {
      std::string text;
      try {
        text = read_file(options_.state, ReadLimits{options_.memory_limit});
      } catch (const InputFailure& failure) {
        InputError error = failure.error;
        error.file = options_.state;
        return error;
      }
      auto read = read_run_state(text, identity);
      if (const auto* reason = std::get_if<std::string>(&read)) {
        return InputError{InputError::Kind::malformed, options_.state, {}, {}, *reason};
      }
      saved = std::get<SavedRun>(std::move(read));
      if (saved.state.step > options_.steps) {
        return InputError{InputError::Kind::malformed, options_.state, {}, {}, "the state is past the last step asked for"};
      }
      run.resume_state = &saved.state;
      run.resume_record = &saved.record;
      run.resume_format = saved.format;
    }
    Clock::time_point last_saved = Clock::now();
    if (!options_.state.empty()) {
      run.save = [&](const Trajectory& trajectory, const RunRecord& record) {
        if (seconds_since(last_saved) < 5) return;
        last_saved = Clock::now();
        // A state that cannot be written costs only the possibility to resume.
        if (const auto failure = write_file_atomically(options_.state, write_run_state(identity, trajectory, record))) {
          std::fprintf(stderr, "attest: state not saved: %s\n", failure->c_str());
        }
      };
    }
    {
      const StopOnSignal guard;
      outcome_ = validated_run(geometry_, spec_, start_, run);
    }
    report_.outcome = &outcome_;
    report_forever();
    if (options_.until_forever && !interrupted && outcome_.verdict == RunVerdict::undecided &&
        report_.forever.verdict == "holds") {
      outcome_.verdict = RunVerdict::complete;  // it was asked to end here
      outcome_.reason.clear();
    }
    return write_claims();
  }

  // The proofs stand only for the selection whose direction the run was measured against.
  std::vector<const ForeverProof*> proofs() const {
    std::vector<const ForeverProof*> all;
    if (!outcome_.direction) return all;
    for (const std::optional<ForeverProof>* proof : {&scan_.lock_in(), &scan_.region(), &scan_.residual()}) {
      if (*proof) all.push_back(&**proof);
    }
    return all;
  }

  void report_forever() {
    ForeverReport& forever = report_.forever;
    for (const ForeverProof* proof : proofs()) {
      forever.proofs.push_back({name(proof->theorem), proof->rate, proof->t0});
      if (forever.t0 && *forever.t0 <= proof->t0) continue;
      forever.verdict = "holds";
      forever.t0 = proof->t0;
      forever.theorem = name(proof->theorem);
      forever.rate = proof->rate;
      forever.kind = "from-run";
    }
    if (forever.proofs.empty()) {
      forever.reason = outcome_.verdict == RunVerdict::stationary ? "the start is stationary" : scan_.reason();
      if (forever.reason.empty()) forever.reason = "the last step's selection is undecided";
    }
  }

  std::optional<InputError> write_claims() {
    const bool stationary = outcome_.verdict == RunVerdict::stationary;
    Selection selection;
    for (const std::optional<std::size_t>& token : outcome_.selection) selection.push_back(token.value_or(0));
    const bool proved_run = outcome_.direction && !outcome_.record.checkpoints.empty();
    if (!proved_run && !stationary) return std::nullopt;
    CertifiedFacts facts;
    facts.instance = &instance_;
    facts.data = geometry_.data;
    facts.selection = &selection;
    MarginSolution unsolved;
    facts.solution = outcome_.solution ? &*outcome_.solution : &unsolved;
    facts.loss = name(spec_.loss);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      if (stationary) {
        write_stationary_claim(text, problem, start_);
      } else if (optimum != 0) {
        const std::size_t claim = write_run_claim(text, problem, optimum, spec_, start_, outcome_);
        for (const ForeverProof* proof : proofs()) {
          write_forever_claim(text, problem, optimum, claim, geometry_, selection, *proof);
        }
      }
    };
    const Certificate certificate = write_certificate(facts);
    report_.claims = certificate.claims;
    if (options_.certificate.empty() || certificate.claims.empty()) return std::nullopt;
    const std::string bytes = options_.certificate.ends_with(".gz") ? gzip(certificate.text) : certificate.text;
    if (const auto failure = write_file_atomically(options_.certificate, bytes)) {
      return InputError{InputError::Kind::malformed, {}, {}, {}, *failure};
    }
    report_.certificate_path = options_.certificate;
    report_.certificate_bytes = bytes.size();
    return std::nullopt;
  }

  template <typename Real>
  void follow(PlainRun<Real>& run, const ReferenceDirection* direction) {
    const StopOnSignal guard;
    Progress progress(options_.progress || isatty(STDERR_FILENO) != 0);
    std::uint64_t stride = 1;
    while (options_.steps / stride > 20000) stride *= 2;
    for (;;) {
      const std::uint64_t t = run.step();
      const bool checkpoint = is_checkpoint(t, options_.steps) || interrupted;
      if (checkpoint || t % stride == 0) {
        const PlainObservation seen = run.observe(direction);
        if (checkpoint) observations_.push_back(seen);
        computed_trace_.push_back(trace_row(seen));
      }
      progress.show(t, options_.steps);
      if (t >= options_.steps || interrupted) break;
      if (!run.advance()) {
        if (!checkpoint) observations_.push_back(run.observe(direction));
        break;
      }
    }
    const std::vector<std::size_t> dominating = run.dominating();
    report_.computed_selection.assign(geometry_.data->groups(), 0);
    for (std::size_t i = 0; i < geometry_.groups.size(); ++i) {
      report_.computed_selection[geometry_.groups[i].original] = dominating[i];
    }
  }

  void computed() {
    const Clock::time_point began = Clock::now();
    const Selection selection = guess_selection(geometry_, spec_, start_, options_.steps);
    std::optional<ReferenceDirection> direction;
    if (!geometry_.groups.empty()) {
      MarginOptions margin;
      margin.precision_bits = 192;
      direction = reference_direction(geometry_, selection, solve_margin_problem(*geometry_.data, selection, margin), 256);
    }
    const ReferenceDirection* u = direction ? &*direction : nullptr;
    if (options_.arithmetic == "double") {
      report_.computed_bits = 53;
      PlainRun<double> run(geometry_, spec_, start_, GradientForm::cancellation_free);
      follow(run, u);
    } else {
      report_.computed_bits = options_.precision == "auto" ? 256 : std::stol(options_.precision);
      Mpfr::default_precision(static_cast<unsigned>(std::ceil(static_cast<double>(report_.computed_bits) * 0.30103)));
      PlainRun<Mpfr> run(geometry_, spec_, start_, GradientForm::cancellation_free);
      follow(run, u);
    }
    report_.computed = &observations_;
    report_.computed_seconds = seconds_since(began);
  }

  std::optional<InputError> write_pictures() {
    const bool validated = report_.outcome != nullptr;
    const std::vector<TraceRow>& trace = validated ? outcome_.record.trace : computed_trace_;
    const auto write = [](const std::string& path, const std::string& bytes) -> std::optional<InputError> {
      if (const auto failure = write_file_atomically(path, bytes)) {
        return InputError{InputError::Kind::malformed, {}, {}, {}, *failure};
      }
      return std::nullopt;
    };
    if (!options_.trace.empty()) {
      if (auto error = write(options_.trace, trace_npz(trace))) return error;
    }
    if (options_.plot.empty()) return std::nullopt;
    RunPlot plot;
    plot.title = std::string(name(spec_.rule)) + ", step " + options_.step + ", " + name(spec_.loss) + " loss";
    if (validated && outcome_.direction) {
      plot.certified = trace;
      plot.lines.push_back(shape_line(outcome_, spec_));
      PlotLine bound = bound_line(proofs(), outcome_.record.step);
      if (!bound.points.empty()) plot.lines.push_back(std::move(bound));
      plot.lines.push_back(double_line(geometry_, spec_, start_, &*outcome_.direction, outcome_.record.step));
    } else if (!validated) {
      PlotLine line{options_.arithmetic + " arithmetic (computed)", "#1f77b4", false, {}};
      for (const TraceRow& row : trace) line.points.emplace_back(static_cast<double>(row.step), row.one_minus_corr_hi);
      plot.lines.push_back(line);
    }
    return write(options_.plot, run_svg(plot));
  }

  const Options& options_;
  const Instance& instance_;
  OptimizerSpec spec_;
  ExactArray start_;
  RunGeometry geometry_;
  ForeverScan scan_;
  RunOutcome outcome_;
  RunReport report_;
  std::vector<PlainObservation> observations_;
  std::vector<TraceRow> computed_trace_;
};

int run(Options options) {
  int exit_code = exit_decided;
  const auto instance = read_or_report(options.instance, options.memory_limit, options.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  if (options.precision != "auto") {
    const bool digits = options.precision.find_first_not_of("0123456789") == std::string::npos;
    const long bits = digits && options.precision.size() <= 5 ? std::stol(options.precision) : 0;
    if (bits < 24 || bits > 4000) return report_input_error(bad_option("--precision", "auto or 24 to 4000 bits"), options.json);
  }
  const Result<OptimizerSpec> spec = optimizer_spec(options);
  if (const auto* error = std::get_if<InputError>(&spec)) return report_input_error(*error, options.json);
  const Result<ExactArray> start = initial_point(options, *instance, data);
  if (const auto* error = std::get_if<InputError>(&start)) return report_input_error(*error, options.json);
  if (options.state.empty() && !options.certificate.empty()) options.state = options.certificate + ".state";
  if (options.resume && options.state.empty()) {
    return report_input_error(bad_option("--resume", "needs --state or --output"), options.json);
  }
  return Command(options, *instance, data, std::get<OptimizerSpec>(spec), std::get<ExactArray>(start)).run();
}

}  // namespace

std::function<int()> configure_run(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")->required();
  app.add_option("--optimizer", options->optimizer, "gd, ngd (normalised) or polyak")
      ->required()->check(CLI::IsMember({"gd", "ngd", "polyak"}));
  app.add_option("--step", options->step, "Exact step S: 0.1, 1/3, 3*2^-5 (polyak: factor S, default 1/2)");
  app.add_option("--schedule", options->schedule, "constant, inverse (S/(t+1)) or invsqrt (S/sqrt(t+1))")
      ->check(CLI::IsMember({"constant", "inverse", "invsqrt"}));
  app.add_option("--steps", options->steps, "Number of steps")->required();
  app.add_option("--loss", options->loss, "logistic (default), exponential or correlation")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}));
  app.add_option("--init", options->init, "zero (default), instance (its W0), @FILE (.npy or JSON), random:SEED");
  app.add_option("--bits", options->bits, "Correct bits wanted at every step (default 100)")->check(CLI::Range(1L, 3000L));
  app.add_option("--precision", options->precision, "Working precision: auto, or fraction bits (mpfr: bits)");
  app.add_option("--arithmetic", options->arithmetic, "validated (default); mpfr or double: computed, without proof")
      ->check(CLI::IsMember({"validated", "mpfr", "double"}));
  app.add_option("-o,--output", options->certificate, "Certificate to write; .gz compresses it");
  app.add_option("--trace", options->trace, "Trace of doubles (.npz), for plots only");
  app.add_option("--plot", options->plot, "Plot of 1 - corr (.svg)");
  app.add_option("--state", options->state, "State file for --resume (default: OUTPUT.state)");
  app.add_flag("--resume", options->resume, "Continue from the state file");
  app.add_option("--time-limit", options->time_limit, "Seconds, then stop with what is proved")->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, "Largest size in bytes the input may expand to");
  app.add_flag("--until-forever", options->until_forever, "Stop as soon as a theorem about all later steps is proved");
  app.add_flag("--json", options->json, "Print one JSON value");
  app.add_flag("--progress", options->progress, "Show progress on stderr even when it is not a terminal");
  return [options] { return run(*options); };
}

}  // namespace attest
