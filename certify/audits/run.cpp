#include "certify/audits/run.hpp"

#include <cstdio>

#include "certify/audits/input.hpp"
#include "certify/audits/run_listener.hpp"
#include "certify/audits/run_state.hpp"
#include "certify/audits/sets_file.hpp"
#include "certify/audits/weights.hpp"
#include "certify/certificates/forever.hpp"
#include "certify/certificates/run.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/pictures/pictures.hpp"
#include "certify/process/file_bytes.hpp"
#include "numerics/forever/later_loss.hpp"
#include "numerics/margin/conflict_rows.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

// The recorded run that the exact one is compared with; null: none.
struct Compared {
  std::shared_ptr<const Trajectory> trajectory;
  Rational share;
};

class RunAudit {
 public:
  RunAudit(const RunRequest& request, const Instance& instance, const TokenData& data, OptimizerSpec spec,
           ExactArray start, const OutputFiles& files, AuditWatch& watch, const Compared& compared)
      : request_(request),
        instance_(instance),
        spec_(std::move(spec)),
        start_(std::move(start)),
        files_(files),
        watch_(watch),
        geometry_(data, 6, watch.budget()),
        listener_(geometry_, spec_, request, files, watch) {
    answer_.instance_path = request.instance;
    answer_.instance_sha256 = canonical_sha256(instance);
    answer_.spec = spec_;
    answer_.arithmetic = request.arithmetic;
    answer_.merged = equal_tokens(*geometry_.data);
    for (const RunGroup& group : geometry_.groups) answer_.groups.push_back(group.original);
    answer_.file.wanted = request.certificate;
    if (compared.trajectory) listener_.compare_with(compared.trajectory, compared.share);
    compares_ = compared.trajectory != nullptr;
  }

  Result<RunAnswer> answer() {
    const Clock::time_point began = Clock::now();
    if (auto error = watch_sets()) return std::move(*error);
    if (request_.arithmetic == "validated") {
      if (auto error = follow()) return std::move(*error);
    } else {
      answer_.computed = computed_run(geometry_, spec_, start_, request_, watch_);
      watch_.computed();
    }
    if (auto error = write_pictures()) return std::move(*error);
    // Without --state the file only serves this run: it goes once everything else is there.
    if (answer_.outcome && answer_.decided() && request_.state.empty() && !request_.certificate.empty())
      files_.remove(request_.state_path());
    answer_.total_seconds = seconds_since(began);
    if (auto error = write_report(request_.report, answer_, files_)) return std::move(*error);
    return std::move(answer_);
  }

 private:
  std::optional<InputError> watch_sets() {
    // The instance's own are seen, unasked, by runs that can see them.
    const bool can = request_.arithmetic == "validated" && !request_.resume && !geometry_.data->offsets;
    const std::string sets = can ? sets_or_own(request_.sets, instance_) : request_.sets;
    if (sets.empty()) {
      if (request_.ratios.empty()) return std::nullopt;
      return bad_option("--ratios", "needs --selected-sets");
    }
    Result<std::unique_ptr<WatchedSets>> read =
        WatchedSets::read(request_, sets, instance_, geometry_, watch_.budget());
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    sets_ = std::get<std::unique_ptr<WatchedSets>>(std::move(read));
    listener_.watch_sets(sets_.get());
    return std::nullopt;
  }

  std::optional<InputError> follow() {
    const std::string identity = run_identity(instance_, spec_, start_, request_);
    RunOptions options;
    options.steps = request_.steps;
    options.bits = request_.bits;
    options.precision = request_.precision == "auto" ? 0 : std::stol(request_.precision);
    options.budget = &watch_.budget();
    if (request_.until_forever) options.longest_exact_seconds = MarginOptions().longest_exact_seconds;
    RunStateFile saved;
    if (request_.resume) {
      Result<RunStateFile> loaded = load_run_state(request_, identity);
      if (auto* error = std::get_if<InputError>(&loaded)) return std::move(*error);
      saved = std::get<RunStateFile>(std::move(loaded));
      options.resume = &saved.run;
      listener_.resume(std::move(saved.starts));
    }
    if (!request_.state_path().empty()) listener_.save_under(identity);
    RunOutcome& outcome =
        answer_.outcome.emplace(validated_run(geometry_, spec_, start_, options, &listener_));
    watch_.computed();
    if (compares_) answer_.comparison = listener_.comparison();
    if (sets_) answer_.sets = sets_->seen();
    if (listener_.settled() && outcome.verdict == RunVerdict::undecided) {  // it was asked to end here
      outcome.verdict = RunVerdict::complete;
      outcome.reason.clear();
    }
    // The proofs stand for the selection whose direction the run was measured against.
    if (outcome.direction) proofs_ = listener_.scan().proofs();
    conclude();
    return certify_run();
  }

  // What is known about all later steps.
  void conclude() {
    const RunOutcome& outcome = *answer_.outcome;
    ForeverAnswer& forever = answer_.forever;
    if (outcome.direction) forever.residual = listener_.residual();
    for (const ForeverProof* proof : proofs_) {
      conclusions_.push_back(state_conclusion(geometry_, listener_.scan().prover()->facts(), *proof));
      const auto dominates = conclusions_.back() ? conclusions_.back()->dominates_from : std::nullopt;
      forever.proofs.push_back({proof->name(), proof->rate(), proof->t0, dominates});
      if (dominates && (!forever.dominates_from || *dominates < *forever.dominates_from))
        forever.dominates_from = dominates;
      if (forever.t0 && *forever.t0 <= proof->t0) continue;
      forever.verdict = "holds";
      forever.t0 = proof->t0;
      forever.theorem = proof->name();
      forever.rate = proof->rate();
      forever.kind = proof->t0 == 0 ? "from-point" : "from-run";
      forever.selection = outcome.record.seen_from;
    }
    if (!forever.proofs.empty()) {
      answer_.later = bound_line(proofs_, 10 * outcome.record.step);  // beyond the run: the point of it
      return bound_later_steps();
    }
    forever.reason =
        outcome.verdict == RunVerdict::stationary ? "the start is stationary" : listener_.scan().reason();
    if (outcome.direction && outcome.verdict != RunVerdict::stationary) forever.reason += shortfall();
    if (!outcome.direction && outcome.verdict != RunVerdict::stationary && outcome.solution)
      forever.reason = without_direction(*outcome.solution, forever.reason);
    if (forever.reason.empty()) forever.reason = "the last step's selection is undecided";
    const bool by_gap = outcome.direction && outcome.solution->gap;
    if (by_gap && !request_.until_forever)
      forever.reason += " (--until-forever takes the time to solve it exactly)";
  }

  // Which margins keep the theorems from applying at the last step that they were tried at, in words.
  std::string shortfall() const {
    const std::optional<MarginShortfall> found = listener_.scan().shortfall();
    if (!found) return {};
    char numbers[2][32];
    std::snprintf(numbers[0], sizeof numbers[0], "%.3g", found->least);
    std::snprintf(numbers[1], sizeof numbers[1], "%.3g", found->level);
    const Constraint& c = found->below.front();
    return ": at step " + std::to_string(found->step) + " margins are too small, " +
           std::to_string(found->below.size()) + " of them, the least " + numbers[0] + ", of token " +
           std::to_string(c.token) + " of sequence " + std::to_string(c.group) + "; one would apply " +
           (found->on_ray ? "along the max-margin direction from margins" : "if all were") + " about " +
           numbers[1] + (found->on_ray ? " on" : "") + " (measured), which more --steps may bring";
  }

  // What keeps every theorem from applying where the selection that the run heads for has no max-margin
  // direction, and the way on.
  static std::string without_direction(const MarginSolution& solution, const std::string& otherwise) {
    if (solution.feasibility == Feasibility::undecided && !solution.reason.empty())
      return "the margin problem of the selection it heads for is undecided (" + solution.reason + ")";
    const std::vector<Constraint> rows = conflict_rows(solution);
    if (rows.empty()) return otherwise;
    constexpr std::size_t most = 4;
    std::string text = "no W separates the selection it heads for, which cannot beat";
    for (std::size_t k = 0; k < std::min(most, rows.size()); ++k)
      text += " (" + std::to_string(rows[k].group) + "," + std::to_string(rows[k].token) + ")";
    if (rows.size() > most) text += " and " + std::to_string(rows.size() - most) + " other rows";
    return text + (rows.size() == 1 ? "" : " at once") + "; attest audit names sequences to leave out";
  }

  // At the first step of a proof and at the last step, ten and a hundred times as far, by the best proof.
  void bound_later_steps() {
    ForeverAnswer& forever = answer_.forever;
    const SelectionFacts<BallNumber>& facts = listener_.scan().prover()->facts();
    const std::uint64_t last = std::max<std::uint64_t>(answer_.outcome->record.step, 10);
    std::vector<std::uint64_t> steps{*forever.t0};
    for (const std::uint64_t t : {last, 10 * last, 100 * last}) {
      if (t > steps.back()) steps.push_back(t);
    }
    for (const std::uint64_t t : steps) {
      if (const auto least = later_loss(t)) forever.loss_bounds.push_back({t, *least});
      if (!forever.loss_rate && t >= last) forever.loss_rate = loss_rate(t);
      forever.attention.push_back(later_attention(proofs_, facts, geometry_, forever.selection, t));
      if (!sets_) continue;
      forever.sets.push_back(later_sets(proofs_, facts, geometry_, forever.selection, sets_->seen().sets, t));
    }
  }

  std::optional<Rational> later_loss(std::uint64_t t) const {
    std::optional<Rational> least;
    for (const ForeverProof* proof : proofs_) {
      if (proof->t0 > t) continue;
      const auto bound = interval_of(later_loss_gap(*proof, listener_.scan().prover()->facts(), t).ball());
      if (bound && (!least || bound->hi < *least)) least = bound->hi;
    }
    return least;
  }

  // That of the proof with the least ratio.
  std::optional<ForeverAnswer::LossRate> loss_rate(std::uint64_t t) const {
    std::optional<ForeverAnswer::LossRate> best;
    for (const ForeverProof* proof : proofs_) {
      if (proof->t0 > t) continue;
      const auto found = geometric_loss(*proof, listener_.scan().prover()->facts(), t);
      if (!found) continue;
      const auto gap = interval_of(found->gap.ball()), ratio = interval_of(found->ratio.ball());
      if (gap && ratio && ratio->hi < 1 && (!best || ratio->hi < best->ratio)) best = {t, gap->hi, ratio->hi};
    }
    return best;
  }

  std::optional<InputError> certify_run() {
    const RunOutcome& outcome = *answer_.outcome;
    const bool stationary = outcome.verdict == RunVerdict::stationary;
    const bool proved_run = outcome.direction && !outcome.record.checkpoints.empty();
    if (!proved_run && !stationary) return std::nullopt;
    if (request_.held && !request_.certified) return std::nullopt;
    Selection selection = outcome.record.seen_from;
    selection.resize(geometry_.data->groups());  // no constraints: only single tokens
    const MarginSolution unsolved;
    CertifiedFacts facts;
    facts.instance = &instance_;
    facts.data = geometry_.data;
    facts.selection = &selection;
    facts.solution = outcome.solution ? &*outcome.solution : &unsolved;
    facts.loss = several_outputs(spec_.loss) && stationary ? "none" : name(spec_.loss);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      if (stationary && several_outputs(spec_.loss)) {
        answer_.certificate_note = "without the run: no checker decides the gradient of several outputs";
      } else if (stationary) {
        write_stationary_claim(text, problem, start_);
      } else if (optimum != 0) {
        write_run_claims(text, problem, optimum);
      }
    };
    Certificate certificate = write_certificate(with_sets(facts));
    answer_.claims = certificate.claims;
    if (auto error = write_certificate_file(certificate, files_, answer_.file)) return error;
    answer_.certificate = std::move(certificate.text);
    return std::nullopt;
  }

  // And what the run's points are to the selected sets.
  std::vector<CertifiedFacts> with_sets(const CertifiedFacts& run) {
    std::vector<CertifiedFacts> facts{run};
    if (!answer_.sets || (answer_.sets->stated.points.empty() && !answer_.sets->proof)) return facts;
    for (const std::vector<std::size_t>& set : answer_.sets->sets) first_.push_back(set.front());
    CertifiedFacts& sets = facts.emplace_back();
    sets.instance = &instance_;
    sets.data = geometry_.data;
    sets.selection = &first_;
    sets.solution = &answer_.sets->solution;
    sets.rows.sets = answer_.sets->sets;
    sets.of_run = &answer_.sets->stated;
    if (answer_.sets->proof) sets.finite = &*answer_.sets->proof;
    return facts;
  }

  void write_run_claims(CertificateText& text, std::size_t problem, std::size_t optimum) {
    if (const std::string why = not_followed(spec_); !why.empty()) {
      answer_.certificate_note = "without the run: " + why;
      return;
    }
    const RunOutcome& outcome = *answer_.outcome;
    const std::size_t claim = write_run_claim(text, problem, optimum, spec_, start_, outcome);
    if (claim == 0) {
      answer_.certificate_note = "without the run: numbers beyond 2^60000";
      return;
    }
    if (answer_.sets) answer_.sets->stated.run = claim;
    write_path_claim(text, problem, claim, outcome.record.path);
    for (std::size_t k = 0; k < proofs_.size(); ++k) {
      if (!conclusions_[k]) continue;
      write_forever_claim(text, problem, optimum, claim, start_, *proofs_[k], *conclusions_[k]);
    }
  }

  std::optional<InputError> write_pictures() {
    const std::vector<TraceRow>& trace =
        answer_.outcome ? answer_.outcome->record.trace : answer_.computed->trace;
    if (!request_.trace.empty()) {
      if (auto error = files_.write(request_.trace, trace_npz(trace))) return error;
    }
    if (request_.plot.empty() && !request_.report.wanted()) return std::nullopt;
    answer_.plot = plot_of(trace);
    if (request_.plot.empty()) return std::nullopt;
    return files_.write(request_.plot, file_svg(run_chart(*answer_.plot)));
  }

  RunPlot plot_of(const std::vector<TraceRow>& trace) const {
    RunPlot plot;
    plot.title = std::string(spec_.rule->word()) + ", step " + certificate_number(spec_.step) +
                 state_words(spec_) + ", " + name(spec_.loss) + " loss";
    if (answer_.outcome && answer_.outcome->direction) {
      const RunOutcome& outcome = *answer_.outcome;
      plot.bands.push_back(certified_band(trace));
      plot.lines.push_back(shape_line(outcome, spec_));
      if (!answer_.later.points.empty()) plot.lines.push_back(answer_.later);
      plot.lines.push_back(
          double_line(geometry_, spec_, start_, &*outcome.direction, outcome.record.step, watch_.budget()));
    } else if (!answer_.outcome) {
      ChartLine line{request_.arithmetic + " arithmetic (computed)", Hue::blue, Dash::solid, 2, {}};
      for (const TraceRow& row : trace)
        line.points.emplace_back(static_cast<double>(row.step), row.one_minus_corr_hi);
      plot.lines.push_back(line);
    }
    return plot;
  }

  const RunRequest& request_;
  const Instance& instance_;
  OptimizerSpec spec_;
  ExactArray start_;
  const OutputFiles& files_;
  AuditWatch& watch_;
  RunGeometry geometry_;
  AuditedRun listener_;
  bool compares_ = false;
  std::unique_ptr<WatchedSets> sets_;  // may be null
  Selection first_;                    // of each of these sets
  std::vector<const ForeverProof*> proofs_;
  std::vector<std::optional<ForeverConclusion>> conclusions_;  // of proofs_, in their order
  RunAnswer answer_;
};

// What is read and what is written. The state is both; nothing else may be.
OutputFiles declared_files(const RunRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  if (request.init.starts_with("@")) files.input(weight_file(request.init.substr(1)));
  for (const std::string& path : {request.compare, request.sets, request.ratios}) {
    if (!path.empty() && path != own_sets) files.input(path);
  }
  files.output(request.certificate, FileKind::certificate);
  files.output(request.trace, FileKind::trace);
  files.output(request.plot, FileKind::plot);
  files.output(request.report.path, FileKind::report);
  files.output(request.state_path(), FileKind::run_state);
  return files;
}

bool is_precision(const std::string& word) {
  if (word == "auto") return true;
  const bool digits = word.find_first_not_of("0123456789") == std::string::npos;
  const long bits = digits && word.size() <= 5 ? std::stol(word) : 0;
  return bits >= 53 && bits <= 4000;
}

// The trajectory of the request, read and of the right shape.
Result<Compared> compared_run(const RunRequest& request, const TokenData& data) {
  Compared compared;
  if (request.compare.empty() && request.trajectory == nullptr) return compared;
  if (request.arithmetic != "validated")
    return bad_option("--compare", "needs validated arithmetic: only that is the exact iteration");
  if (request.resume) return bad_option("--compare", "needs the whole run: leave --resume out");
  Result<Rational> share = exact_option("--share", request.share);
  if (auto* error = std::get_if<InputError>(&share)) return std::move(*error);
  compared.share = std::get<Rational>(std::move(share));
  if (compared.share <= 0) return bad_option("--share", "must be positive");
  compared.trajectory = request.trajectory;
  if (compared.trajectory == nullptr) {
    Result<Trajectory> read = read_trajectory(request.compare, request.memory_limit);
    if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
    compared.trajectory = std::make_shared<Trajectory>(std::get<Trajectory>(std::move(read)));
  }
  if (auto error = wrong_shape(*compared.trajectory, data.left_dimension, data.right_dimension))
    return std::move(*error);
  return compared;
}

}  // namespace

std::string words(const ForeverAnswer::LossRate& rate) {
  const std::string from = std::to_string(rate.from);
  return "at most " + decimal_up(rate.loss_gap, 4) + " q^(t - " + from +
         ") above its limit at every t >= " + from + ", q = " + decimal_up(rate.ratio, 8);
}

Result<RunAnswer> run(const RunRequest& request, AuditWatch& watch) {
  const OutputFiles files = declared_files(request, watch);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const Instance& instance = std::get<Instance>(read);
  const TokenData data = token_data(instance);
  if (!is_precision(request.precision)) return bad_option("--precision", "auto or 53 to 4000 bits");
  if (!request.potential.empty()) return bad_option("--potential", "is that of mirror descent: md, nmd");
  if (const auto error = of_factors_only(request)) return *error;
  if (const auto error = of_mirror_descent_only(request)) return *error;
  Result<OptimizerSpec> spec = optimizer_spec(request, data);
  if (auto* error = std::get_if<InputError>(&spec)) return std::move(*error);
  Result<Compared> compared = compared_run(request, data);
  if (auto* error = std::get_if<InputError>(&compared)) return std::move(*error);
  const std::shared_ptr<const Trajectory> trajectory = std::get<Compared>(compared).trajectory;
  Result<ExactArray> start = initial_point(request, instance, data, trajectory.get());
  if (auto* error = std::get_if<InputError>(&start)) return std::move(*error);
  if (trajectory) {
    const auto& same = std::get<OptimizerSpec>(spec);
    if (auto error = contradiction(*trajectory, same, std::get<ExactArray>(start))) return std::move(*error);
  }
  if (request.resume && request.state_path().empty())
    return bad_option("--resume", "needs --state or --output");
  Result<RunAnswer> answer =
      RunAudit(request, instance, data, std::get<OptimizerSpec>(std::move(spec)),
               std::get<ExactArray>(std::move(start)), files, watch, std::get<Compared>(compared))
          .answer();
  if (auto error = files.unchanged()) return std::move(*error);
  return answer;
}

}  // namespace attest
