// `attest run INSTANCE`: gradient descent, normalised gradient descent or Polyak steps, with proof.
#include "certify/certificates/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "certify/audits/computed_run.hpp"
#include "certify/audits/run_request.hpp"
#include "certify/audits/run_state.hpp"
#include "certify/certificates/forever.hpp"
#include "certify/certificates/margin.hpp"
#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/process/file_bytes.hpp"
#include "certify/process/output_files.hpp"
#include "certify/process/progress.hpp"
#include "certify/reports/pictures.hpp"
#include "certify/reports/run.hpp"
#include "numerics/forever/forever_listener.hpp"

namespace attest {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Beside theorems about all later steps: the progress line, the state file, and the end that was asked for.
class CommandListener : public ForeverListener {
 public:
  CommandListener(const RunGeometry& geometry, const OptimizerSpec& spec, const RunRequest& request,
                  const OutputFiles& files, CommandClock& clock)
      : ForeverListener(geometry, spec, &clock.budget()),
        geometry_(geometry),
        request_(request),
        files_(files),
        clock_(clock),
        progress_(request.progress) {}

  // The run's state is kept in its file, under this identity.
  void save_under(std::string identity) { identity_ = std::move(identity); }
  // The run has come to the end that --until-forever asks for.
  bool settled() const { return settled_; }

  void begin(const ReferenceDirection* direction, const MarginSolution* solution) override {
    direction_ = direction;
    settled_ = false;
    ForeverListener::begin(direction, solution);
  }
  void watch(const Trajectory& trajectory, const RunObserver& observer, const RunPoint& point) override {
    if (!std::exchange(stepping_, true)) clock_.something_is_proved();
    ForeverListener::watch(trajectory, observer, point);
    if (!request_.until_forever || direction_ == nullptr || scan().earliest() == nullptr) return;
    // A lock-in may be proved before its tokens dominate: the run goes on until the certified selection is
    // that one.
    settled_ = true;
    for (std::size_t i = 0; i < geometry_.groups.size() && settled_; ++i) {
      settled_ = trajectory.reference()[i] == direction_->selection[geometry_.groups[i].original] &&
                 trajectory.dominates(i);
    }
  }
  bool stops() override { return settled_; }
  void progress(std::uint64_t step, std::uint64_t steps) override { progress_.show(step, steps); }

  bool saves() const override { return identity_.has_value(); }
  // Every few seconds and when the run is stopped; it takes at most a twentieth of the time.
  void save(const FixedFormat& format, const Trajectory::State& state, const RunRecord& record,
            bool stopped) override {
    if (!stopped && seconds_since(saved_) < pause_) return;
    const Clock::time_point began = Clock::now();
    // A state that cannot be written costs only the possibility to resume.
    if (const auto error = files_.write(
            request_.state_path(), write_run_state(*identity_, format, state, record, scan().starts()))) {
      std::fprintf(stderr, "attest: state not saved: %s\n", error->text().c_str());
    }
    saved_ = Clock::now();
    pause_ = std::max(2.0, 20 * seconds_since(began));
  }

 private:
  const RunGeometry& geometry_;
  const RunRequest& request_;
  const OutputFiles& files_;
  CommandClock& clock_;
  RunProgress progress_;
  std::optional<std::string> identity_;
  const ReferenceDirection* direction_ = nullptr;
  bool settled_ = false, stepping_ = false;
  Clock::time_point saved_ = Clock::now();
  double pause_ = 2;
};

class Command {
 public:
  Command(const RunRequest& request, const Instance& instance, const TokenData& data,
          const OptimizerSpec& spec, const ExactArray& start, const OutputFiles& files, CommandClock& clock)
      : request_(request),
        instance_(instance),
        spec_(spec),
        start_(start),
        files_(files),
        clock_(clock),
        geometry_(data, 6, clock.budget()),
        listener_(geometry_, spec, request, files, clock) {
    report_.instance_path = request.instance;
    report_.spec = spec;
    report_.steps_wanted = request.steps;
    report_.arithmetic = request.arithmetic;
    report_.geometry = &geometry_;
    report_.certificate_wanted = request.certificate;
  }

  int run() {
    const Clock::time_point began = Clock::now();
    if (request_.arithmetic == "validated") {
      if (const auto error = validated()) return report_input_error(*error, request_.json);
    } else {
      computed_ = computed_run(geometry_, spec_, start_, request_, clock_.budget());
      clock_.answering();
      report_.computed = &computed_;
    }
    if (const auto error = write_pictures()) return report_input_error(*error, request_.json);
    // Without --state the file only serves this run: it goes once everything else is there.
    if (report_.outcome != nullptr && outcome_.verdict != RunVerdict::undecided && request_.state.empty() &&
        !request_.certificate.empty()) {
      files_.remove(request_.state_path());
    }
    report_.total_seconds = seconds_since(began);
    const std::string text = request_.json ? run_json(report_) : run_text(report_);
    std::fputs(text.c_str(), stdout);
    const bool undecided = report_.outcome != nullptr ? report_.outcome->verdict == RunVerdict::undecided
                                                      : !computed_.stopped_by.empty();
    return undecided ? exit_undecided : exit_decided;
  }

 private:
  std::optional<InputError> validated() {
    const std::string identity = run_identity(instance_, spec_, start_, request_);
    RunOptions run;
    run.steps = request_.steps;
    run.bits = request_.bits;
    run.precision = request_.precision == "auto" ? 0 : std::stol(request_.precision);
    run.budget = &clock_.budget();
    if (request_.resume) {
      if (const auto error = load_state(identity, saved_)) return error;
      run.resume = &saved_.run;
      listener_.resume(saved_.starts);
    }
    if (!request_.state_path().empty()) listener_.save_under(identity);
    outcome_ = validated_run(geometry_, spec_, start_, run, &listener_);
    clock_.answering();
    if (listener_.settled() && outcome_.verdict == RunVerdict::undecided) {  // it was asked to end here
      outcome_.verdict = RunVerdict::complete;
      outcome_.reason.clear();
    }
    report_.outcome = &outcome_;
    report_.forever.residual = listener_.residual();
    report_forever();
    return write_claims();
  }

  std::optional<InputError> load_state(const std::string& identity, RunStateFile& saved) const {
    const std::string path = request_.state_path();
    const auto error = [&](const std::string& message) {
      return InputError{InputError::Kind::malformed, path, {}, {}, message};
    };
    std::string text;
    try {
      text = read_file(path, ReadLimits{request_.memory_limit});
    } catch (const InputFailure& failure) {
      InputError unread = failure.error;
      unread.file = path;
      return unread;
    }
    auto read = read_run_state(text, identity);
    if (const auto* reason = std::get_if<std::string>(&read)) return error(*reason);
    saved = std::get<RunStateFile>(std::move(read));
    if (saved.run.record.step > request_.steps) {
      return error("the state is of step " + std::to_string(saved.run.record.step) +
                   ", past the last step asked for");
    }
    return std::nullopt;
  }

  // The proofs stand for the selection whose direction the run was measured against.
  std::vector<const ForeverProof*> proofs() const {
    return outcome_.direction ? listener_.scan().proofs() : std::vector<const ForeverProof*>{};
  }

  void report_forever() {
    ForeverReport& forever = report_.forever;
    if (!outcome_.direction) forever.residual.reset();
    for (const ForeverProof* proof : proofs()) {
      conclusions_.push_back(state_conclusion(geometry_, listener_.scan().prover()->facts(), *proof));
      const auto dominates = conclusions_.back() ? conclusions_.back()->dominates_from : std::nullopt;
      forever.proofs.push_back({name(proof->theorem), proof->rate, proof->t0, dominates});
      if (dominates && (!forever.dominates_from || *dominates < *forever.dominates_from))
        forever.dominates_from = dominates;
      if (forever.t0 && *forever.t0 <= proof->t0) continue;
      forever.verdict = "holds";
      forever.t0 = proof->t0;
      forever.theorem = name(proof->theorem);
      forever.rate = proof->rate;
      forever.kind = proof->t0 == 0 ? "from-point" : "from-run";
      forever.selection = outcome_.record.seen_from;
    }
    if (forever.proofs.empty()) {
      forever.reason =
          outcome_.verdict == RunVerdict::stationary ? "the start is stationary" : listener_.scan().reason();
      if (forever.reason.empty()) forever.reason = "the last step's selection is undecided";
    }
  }

  std::optional<InputError> write_claims() {
    const bool stationary = outcome_.verdict == RunVerdict::stationary;
    const bool proved_run = outcome_.direction && !outcome_.record.checkpoints.empty();
    if (!proved_run && !stationary) return std::nullopt;
    Selection selection = outcome_.record.seen_from;
    selection.resize(geometry_.data->groups());  // no constraints: only single tokens
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
        if (claim == 0) {
          report_.certificate_note = "without the run: numbers beyond 2^60000";
          return;
        }
        write_path_claim(text, problem, claim, outcome_.record.path);
        const std::vector<const ForeverProof*> proved = proofs();
        for (std::size_t k = 0; k < proved.size(); ++k) {
          if (!conclusions_[k]) continue;
          write_forever_claim(text, problem, optimum, claim, start_, geometry_,
                              listener_.scan().prover()->facts(), *proved[k], *conclusions_[k]);
        }
      }
    };
    const Certificate certificate = write_certificate(facts);
    report_.claims = certificate.claims;
    if (request_.certificate.empty() || certificate.claims.empty()) return std::nullopt;
    const std::string bytes =
        request_.certificate.ends_with(".gz") ? gzip(certificate.text) : certificate.text;
    if (auto error = files_.write(request_.certificate, bytes)) return error;
    report_.certificate_path = request_.certificate;
    report_.certificate_bytes = bytes.size();
    return std::nullopt;
  }

  std::optional<InputError> write_pictures() {
    const bool validated = report_.outcome != nullptr;
    const std::vector<TraceRow>& trace = validated ? outcome_.record.trace : computed_.trace;
    if (!request_.trace.empty()) {
      if (auto error = files_.write(request_.trace, trace_npz(trace))) return error;
    }
    if (request_.plot.empty()) return std::nullopt;
    RunPlot plot;
    plot.title = std::string(name(spec_.rule)) + ", step " + certificate_number(spec_.step) + ", " +
                 name(spec_.loss) + " loss";
    if (validated && outcome_.direction) {
      plot.certified = trace;
      plot.lines.push_back(shape_line(outcome_, spec_));
      PlotLine bound =
          bound_line(proofs(), 10 * outcome_.record.step);  // beyond the run: that is the point of it
      if (!bound.points.empty()) plot.lines.push_back(std::move(bound));
      plot.lines.push_back(
          double_line(geometry_, spec_, start_, &*outcome_.direction, outcome_.record.step, clock_.budget()));
    } else if (!validated) {
      PlotLine line{request_.arithmetic + " arithmetic (computed)", "#1f77b4", false, {}};
      for (const TraceRow& row : trace)
        line.points.emplace_back(static_cast<double>(row.step), row.one_minus_corr_hi);
      plot.lines.push_back(line);
    }
    return files_.write(request_.plot, run_svg(plot));
  }

  const RunRequest& request_;
  const Instance& instance_;
  OptimizerSpec spec_;
  ExactArray start_;
  const OutputFiles& files_;
  CommandClock& clock_;
  RunGeometry geometry_;
  CommandListener listener_;
  RunStateFile saved_;
  RunOutcome outcome_;
  std::vector<std::optional<ForeverConclusion>> conclusions_;  // of proofs(), in their order
  RunReport report_;
  ComputedRun computed_;
};

// What is read and what is written. The state is both; nothing else may be.
OutputFiles declared_files(const RunRequest& request) {
  OutputFiles files(request.force);
  files.input(request.instance);
  if (request.init.starts_with("@")) files.input(request.init.substr(1));
  files.output(request.certificate, FileKind::certificate);
  files.output(request.trace, FileKind::trace);
  files.output(request.plot, FileKind::plot);
  files.output(request.state_path(), FileKind::run_state);
  return files;
}

int run(RunRequest request) {
  CommandClock clock(request.time_limit, request.json ? AnswerShape::object : AnswerShape::text);
  const OutputFiles files = declared_files(request);
  if (const auto error = files.check()) return report_input_error(*error, request.json);
  int exit_code = exit_decided;
  const auto instance = read_or_report(request.instance, request.memory_limit, request.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  if (request.precision != "auto") {
    const bool digits = request.precision.find_first_not_of("0123456789") == std::string::npos;
    const long bits = digits && request.precision.size() <= 5 ? std::stol(request.precision) : 0;
    if (bits < 53 || bits > 4000)
      return report_input_error(bad_option("--precision", "auto or 53 to 4000 bits"), request.json);
  }
  const Result<OptimizerSpec> spec = optimizer_spec(request);
  if (const auto* error = std::get_if<InputError>(&spec)) return report_input_error(*error, request.json);
  const Result<ExactArray> start = initial_point(request, *instance, data);
  if (const auto* error = std::get_if<InputError>(&start)) return report_input_error(*error, request.json);
  if (request.resume && request.state_path().empty()) {
    return report_input_error(bad_option("--resume", "needs --state or --output"), request.json);
  }
  try {
    return Command(request, *instance, data, std::get<OptimizerSpec>(spec), std::get<ExactArray>(start),
                   files, clock)
        .run();
  } catch (const BudgetReached& reached) {
    return clock.unfinished(reached);
  }
}

}  // namespace

std::function<int()> configure_run(CLI::App& app) {
  const auto request = std::make_shared<RunRequest>();
  app.add_option("instance", request->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("--optimizer", request->optimizer, "gd, ngd (normalised) or polyak")
      ->required()
      ->check(CLI::IsMember({"gd", "ngd", "polyak"}));
  app.add_option("--step", request->step, "Exact step S: 0.1, 1/3, 3*2^-5 (polyak: factor S, default 1/2)");
  app.add_option("--schedule", request->schedule, "constant, inverse (S/(t+1)) or invsqrt (S/sqrt(t+1))")
      ->check(CLI::IsMember({"constant", "inverse", "invsqrt"}));
  app.add_option("--steps", request->steps, "Number of steps")->required()->check(CLI::NonNegativeNumber);
  app.add_option("--loss", request->loss, "logistic (default), exponential or correlation")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}));
  app.add_option("--init", request->init,
                 "zero (default), instance (its W0), @FILE (.npy or JSON), random:SEED");
  app.add_option("--bits", request->bits, "Correct bits wanted at every step (default 100)")
      ->check(CLI::Range(1L, 3000L));
  app.add_option("--precision", request->precision, "Working precision: auto, or fraction bits (mpfr: bits)");
  app.add_option("--arithmetic", request->arithmetic,
                 "validated (default); mpfr or double: computed, without proof")
      ->check(CLI::IsMember({"validated", "mpfr", "double"}));
  app.add_option("-o,--output", request->certificate, "Certificate to write; .gz compresses it");
  app.add_option("--trace", request->trace, "Trace of doubles (.npz), for plots only");
  app.add_option("--plot", request->plot, "Plot of 1 - corr (.svg)");
  app.add_option("--state", request->state, "State file for --resume (default: OUTPUT.state)");
  app.add_flag("--resume", request->resume, "Continue from the state file");
  app.add_option("--time-limit", request->time_limit,
                 "Seconds for all of it, reading included, then stop with what is proved")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", request->memory_limit, memory_limit_help);
  app.add_flag("--force", request->force,
               "Replace existing files that are of another kind than what is written");
  app.add_flag("--until-forever", request->until_forever,
               "Stop as soon as a theorem about all later steps is proved");
  app.add_flag("--json", request->json, "Print one JSON value");
  app.add_flag("--progress", request->progress, "Show progress on stderr even when it is not a terminal");
  return [request] { return run(*request); };
}

}  // namespace attest
