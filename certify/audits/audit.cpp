#include "certify/audits/audit.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "certify/audits/audit_paths.hpp"
#include "certify/audits/audit_summary.hpp"
#include "certify/audits/input.hpp"
#include "certify/audits/margin_audit.hpp"
#include "certify/audits/sets_file.hpp"
#include "certify/audits/writing_time.hpp"
#include "certify/catalogue/catalogue.hpp"
#include "certify/certificates/conflicts.hpp"
#include "certify/certificates/robust_radius.hpp"
#include "certify/process/exit_status.hpp"
#include "numerics/margin/robust_radius.hpp"
#include "numerics/margin/selection_search.hpp"
#include "numerics/numbers/clock.hpp"
#include "numerics/numbers/parallel.hpp"
#include "numerics/numbers/signal_stack.hpp"

namespace attest {
namespace {

// The catalogue is given as much time as everything before it took, and at least so many seconds; `verify`
// is not bounded.
constexpr double least_catalogue_seconds = 10;

// A part of the time that is left of `whole`, in tenths of a second; no limit when there is none.
Budget share_of(const Budget& whole, double fraction) {
  const double left = whole.remaining_seconds();
  return {left < 0 ? 0 : std::max(0.1, std::floor(10 * fraction * left) / 10), 0, {}, &whole};
}

// What one instance is given: a part of the time. Nobody watches its steps. Its budget does not lie in the
// whole one, which no two threads may poll at the same time, but ends with it.
class InstanceWatch final : public AuditWatch {
 public:
  InstanceWatch(const Budget& whole, double fraction, std::function<void()> proved)
      : budget_(seconds(whole, fraction), 0), proved_(std::move(proved)) {
    budget_.stop_when([&whole] { return whole.stop_requested(); });
  }
  const Budget& budget() const override { return computing_ ? *computing_ : budget_; }
  void input_is_read() override { computing_ = without_writing(budget_); }
  void something_is_proved() override { proved_(); }

 private:
  static double seconds(const Budget& whole, double fraction) {
    const double left = whole.remaining_seconds();
    return left < 0 ? 0 : std::max(0.1, std::floor(10 * fraction * left) / 10);
  }

  Budget budget_;
  std::optional<Budget> computing_;  // inside it, once the input is read
  std::function<void()> proved_;
};

// One instance from its file to its summary.
class InstanceAudit {
 public:
  InstanceAudit(const AuditRequest& request, const std::string& path, AuditWatch& watch)
      : watch_(watch),
        wants_page_(request.report.wanted()),
        wants_sequences_(request.sequences || request.report.wanted()) {
    asked_.instance = path;
    asked_.held = request.held;
    asked_.precision_bits = request.precision_bits;
    asked_.memory_limit = request.memory_limit;
    asked_.passes = request.passes;
    certified_.instance_path = path;
    certified_.loss = asked_.loss;
    certified_.precision_bits = request.precision_bits;
  }

  // An error when the file is no instance, or one that cannot be held.
  std::optional<InputError> read() try {
    Result<Instance> instance = read_input(asked_.instance, asked_.held, asked_.memory_limit, watch_);
    if (auto* error = std::get_if<InputError>(&instance)) return std::move(*error);
    certified_.instance = std::get<Instance>(std::move(instance));
    certified_.data = token_data(certified_.instance);
    certified_.read_seconds = seconds_since(start_);
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    return InputError{
        InputError::Kind::resource, asked_.instance, {}, {}, "is more than --memory-limit holds"};
  }

  AuditedInstance run() {
    look_at_tokens();
    choose();
    solve();
    tell_what_is_proved();
    decide_sets();
    explain();
    tell_what_is_proved();
    measure();
    ask_catalogue();
    certify();
    if (wants_page_) add_margins(certified_, watch_.budget());
    found_.costs.read_seconds = certified_.read_seconds;
    found_.costs.solve_seconds = certified_.solve_seconds;
    found_.costs.process_bytes = process_memory();
    certified_.total_seconds = found_.costs.total_seconds = seconds_since(start_);
    found_.summary = audit_summary(found_);
    return std::move(found_);
  }

 private:
  void look_at_tokens() {
    const TokenData& data = certified_.data;
    found_.equal_tokens = equal_tokens(data);
    found_.ties = best_score_ties(data);
    const std::size_t e = data.right_dimension;
    PassedGroups passed(data);
    for (std::size_t i = 0; i < data.groups(); ++i) {
      passed.before(i);
      bool zero = data.different(i) > 1;
      for (std::size_t j = 0; j < e && zero; ++j)
        zero = data.query_factor.is_binary64() ? data.query_factor.binary64()[i * e + j] == 0
                                               : data.query_factor.exact(i * e + j) == 0;
      if (zero) found_.zero_queries.push_back(i);
    }
  }

  void choose() {
    found_.selection_is_choice = !certified_.instance.alpha && !found_.ties.empty();
    certified_.selection =
        std::get<Selection>(choose_selection(certified_.instance, certified_.data, {}, Ties::first));
  }

  void solve() {
    const Budget share = share_of(watch_.budget(), 0.5);
    solve_margin_problem(certified_, asked_, share, watch_);
    add_claims(certified_, share);
  }

  // Of instances whose alpha has lists of tokens.
  void decide_sets() {
    if (!certified_.instance.sets) return;
    SelectedSetsAnswer& answer = found_.sets.emplace();
    answer.instance_path = certified_.instance_path;
    answer.instance = certified_.instance;
    answer.data = certified_.data;
    answer.merged = found_.equal_tokens;
    answer.precision_bits = asked_.precision_bits;
    answer.sets = std::get<SetsFile>(read_sets(own_sets, answer.instance, answer.data)).sets;
    const Budget share = share_of(watch_.budget(), 0.3);
    MarginOptions options = margin_options(asked_, watch_);
    options.precision_bits = asked_.precision_bits;
    options.outer = &share;
    solve_selected_sets(answer, options, share);
  }

  void tell_what_is_proved() {
    if (certified_.solution.feasibility != Feasibility::undecided) watch_.something_is_proved();
  }

  // What stands against a selection that is not known to be feasible, and how much of it must go.
  void explain() {
    MarginSolution& solution = certified_.solution;
    if (solution.feasibility == Feasibility::feasible) {
      found_.drop.at_most = 0;
      return;
    }
    const Clock::time_point start = Clock::now();
    const Budget share = share_of(watch_.budget(), 0.7);
    Explanation why = explain_infeasibility(certified_.data, certified_.selection,
                                            solution.farkas ? &*solution.farkas : nullptr, share);
    found_.costs.conflict_seconds = seconds_since(start);
    found_.conflicts = std::move(why.conflicts);
    found_.conflicts_reason = std::move(why.reason);
    std::stable_sort(
        found_.conflicts.begin(), found_.conflicts.end(), [](const Conflict& a, const Conflict& b) {
          return std::pair(a.groups.size(), a.farkas.size()) < std::pair(b.groups.size(), b.farkas.size());
        });
    for (const Conflict& conflict : found_.conflicts) {
      if (conflict.groups.size() == 1) found_.never_separable.push_back(conflict.groups.front());
    }
    std::sort(found_.never_separable.begin(), found_.never_separable.end());
    drop_ = std::move(why.drop);
    found_.drop.at_least = found_.conflicts.size();
    if (drop_) {
      found_.drop.at_most = drop_->groups.size();
      found_.drop.groups = drop_->groups;
    } else if (found_.drop.at_least == certified_.data.groups()) {  // nothing stays, which is separable
      found_.drop.at_most = certified_.data.groups();
      found_.drop.groups.resize(certified_.data.groups());
      std::iota(found_.drop.groups.begin(), found_.drop.groups.end(), std::size_t{0});
    }
    decide_by_explanation();
  }

  // A conflict proves that the problem is infeasible, and the smallest one shows it best; a W that separates
  // everything proves that it is feasible.
  void decide_by_explanation() {
    MarginSolution& solution = certified_.solution;
    if (!found_.conflicts.empty()) {
      solution.feasibility = Feasibility::infeasible;
      solution.farkas = found_.conflicts.front().farkas;
      solution.spanning_conflict.reset();
      solution.margin_bound.reset();
      solution.locally_optimal = false;
      solution.reason.clear();
    } else if (drop_ && drop_->groups.empty()) {
      solution.feasibility = Feasibility::feasible;
      solution.separator = drop_->separator;
      drop_.reset();
    } else if (solution.feasibility == Feasibility::infeasible) {
      found_.drop.at_least = 1;
    }
  }

  void measure() {
    std::optional<Interval> radius;
    const Budget share = share_of(watch_.budget(), 0.5);
    try {
      if (constraint_count(certified_.data) > 0) found_.shares = group_shares(certified_.solution);
      if (wants_sequences_)
        found_.margins = group_margins(certified_.data, certified_.selection, certified_.solution, share);
      radius = robust_radius(certified_.data, certified_.selection, certified_.solution,
                             certified_.instance.setting == Setting::self_attention, share);
    } catch (const BudgetReached&) {  // what is not measured is not said
    }
    for (const GroupShare& one : found_.shares) {
      if (!found_.holds_down || one.share.lo > found_.holds_down->share.lo) found_.holds_down = one;
    }
    found_.resolution = resolve(certified_.data, radius);
  }

  void ask_catalogue() {
    const TokenData& data = certified_.data;
    if (data.offsets) {
      found_.theorems_reason = "offsets: the catalogue's theorems speak of logits without them";
      return;
    }
    const Clock::time_point start = Clock::now();
    const double left = watch_.budget().remaining_seconds();
    const double most = std::max(least_catalogue_seconds, seconds_since(start_));
    const Budget share(left < 0 ? most : std::min(most, std::max(0.1, 0.9 * left)), 0, {}, &watch_.budget());
    try {
      share.poll();
      CatalogueOptions options;
      options.loss = std::get<Loss>(training_loss(data, {}));
      if (found_.sets) options.sets = found_.sets->sets;
      options.margin.precision_bits = asked_.precision_bits;
      options.margin.memory_limit_bytes = asked_.memory_limit;
      options.margin.outer = &share;
      options.enumeration_budget = default_search_budget(data);
      options.run_steps = default_run_steps(data);
      CatalogueContext context(certified_.instance, data, certified_.selection, std::move(options));
      if (certified_.solution.feasibility != Feasibility::undecided) context.adopt(certified_.solution);
      found_.theorems = check_catalogue(context);
    } catch (const BudgetReached& reached) {
      found_.theorems_reason = reached.reason;
    }
    found_.costs.catalogue_seconds = seconds_since(start);
  }

  void certify() {
    CertifiedFacts facts = certified_facts(certified_);
    facts.more = [&](CertificateText& text, std::size_t problem, std::size_t optimum) {
      if (!found_.conflicts.empty()) write_conflicts(text, problem, found_.conflicts);
      if (drop_) write_separable_without(text, problem, *drop_);
      if (!found_.resolution.robust_radius) return;
      for (const WrittenClaim& claim : text.claims()) {
        if (optimum == 0 && claim.kind == "feasible") optimum = claim.number;
      }
      write_robust_radius(text, problem, optimum, found_.resolution.robust_radius->lo);
    };
    std::vector<CertifiedFacts> all{std::move(facts)};
    if (found_.sets) all.push_back(certified_facts(*found_.sets));
    certified_.certificate = write_certificate(all);
  }

  AuditWatch& watch_;
  bool wants_page_, wants_sequences_;
  const Clock::time_point start_ = Clock::now();
  CertifyRequest asked_;
  AuditedInstance found_;
  CertifyAnswer& certified_ = found_.certified;
  std::optional<DropSet> drop_;
};

// All instances, several at a time.
class Audit {
 public:
  Audit(const AuditRequest& request, std::vector<std::string> paths, AuditWatch& watch)
      : request_(request), watch_(watch), files_(request.force, watch.signals()) {
    names_ = certificate_names(paths);
    paths_ = std::move(paths);
    answer_.asked = paths_.size();
    const std::vector<std::vector<std::size_t>> shares = shared_out(paths_, request.share.of);
    for (const std::size_t number : shares[request.share.process])
      answer_.instances.push_back({number, paths_[number], NotAudited{}});
  }

  std::optional<InputError> prepare_outputs() {
    for (const std::string& path : paths_) {
      if (!request_.held) files_.input(path);
    }
    files_.output(request_.report.path, FileKind::report);
    if (request_.folder.empty()) return files_.check();
    std::error_code error;
    std::filesystem::create_directory(request_.folder, error);
    if (!std::filesystem::is_directory(request_.folder))
      return InputError{
          InputError::Kind::malformed, request_.folder, {}, {}, "is no folder and cannot be made one"};
    for (std::size_t k = 0; k < names_.size(); ++k) files_.output(certificate_path(k), FileKind::certificate);
    return files_.check();
  }

  AuditAnswer run() {
    const std::size_t jobs =
        std::clamp<std::size_t>(request_.jobs, 1, std::max<std::size_t>(answer_.instances.size(), 1));
    const std::size_t each = std::max<std::size_t>(1, available_threads() / jobs);
    std::vector<std::thread> others;
    const auto help = [&] {
      const SignalStack stack;
      const ThreadCaches caches;
      const ThreadLimit share(each);
      work(jobs);
    };
    try {
      for (std::size_t k = 1; k < jobs; ++k) others.emplace_back(help);
    } catch (const std::system_error&) {  // the system has no more threads: those there are do the work
    }
    {
      const ThreadLimit share(each);
      work(jobs);
    }
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(answer_);
  }

  std::optional<InputError> report(const AuditAnswer& answer) const {
    return write_report(request_.report, answer, files_);
  }

 private:
  std::string certificate_path(std::size_t k) const {
    return (std::filesystem::path(request_.folder) / names_[k]).string();
  }

  // Takes one instance after the other; what it finds goes to the instance's own place.
  void work(std::size_t jobs) {
    for (std::size_t k = next_++; k < answer_.instances.size(); k = next_++) {
      try {
        answer_.instances[k].found = look_at(k, jobs);
      } catch (const BudgetReached& reached) {
        answer_.instances[k].found = NotAudited{reached.reason};
      } catch (const std::bad_alloc&) {
        answer_.instances[k].found = NotAudited{"memory: more is needed than --memory-limit allows"};
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex_);
        failure_ = std::current_exception();
        next_ = answer_.instances.size();
      }
      something_is_proved();
    }
  }

  void something_is_proved() {
    const std::lock_guard<std::mutex> lock(mutex_);
    watch_.something_is_proved();
  }

  decltype(AuditEntry::found) look_at(std::size_t k, std::size_t jobs) {
    if (watch_.budget().reached()) {
      throw BudgetReached{watch_.budget().stop_requested() ? "interrupted: stopped by a signal"
                                                           : "time: the limit was reached before"};
    }
    const auto left = static_cast<double>(answer_.instances.size() - k);
    InstanceWatch watch(watch_.budget(), std::min(1.0, static_cast<double>(jobs) / left),
                        [this] { something_is_proved(); });
    InstanceAudit audit(request_, answer_.instances[k].path, watch);
    if (auto error = audit.read()) return std::move(*error);
    std::call_once(first_is_read_, [&] { watch_.input_is_read(); });
    AuditedInstance audited = audit.run();
    if (auto error = files_.unchanged()) return std::move(*error);
    if (!request_.folder.empty()) {
      const std::lock_guard<std::mutex> lock(mutex_);
      audited.certified.file.wanted = certificate_path(answer_.instances[k].number);
      if (auto error = write_certificate_file(audited.certified.certificate, files_, audited.certified.file))
        return std::move(*error);
    }
    return audited;
  }

  const AuditRequest& request_;
  AuditWatch& watch_;
  OutputFiles files_;
  std::vector<std::string> paths_, names_;  // of all instances
  AuditAnswer answer_;
  std::atomic<std::size_t> next_ = 0;
  std::once_flag first_is_read_;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::optional<Interval> AuditedInstance::share(std::size_t sequence) const {
  if (shares.empty()) return std::nullopt;
  const auto at =
      std::lower_bound(shares.begin(), shares.end(), sequence,
                       [](const GroupShare& one, std::size_t group) { return one.group < group; });
  return at != shares.end() && at->group == sequence ? at->share : point(0);
}

bool AuditedInstance::decided() const {
  return certified.decided() && (conflicts_reason.empty() || conflicts_reason.starts_with("size"));
}

int AuditEntry::exit_status() const {
  if (const auto* error = std::get_if<InputError>(&found))
    return error->kind == InputError::Kind::resource ? exit_cannot_hold : exit_bad_input;
  const auto* audited = std::get_if<AuditedInstance>(&found);
  return audited != nullptr && audited->decided() ? exit_decided : exit_undecided;
}

int worst_exit_status(const std::vector<int>& of_instances) {
  for (const int status : {exit_bad_input, exit_cannot_hold, exit_undecided}) {
    if (std::find(of_instances.begin(), of_instances.end(), status) != of_instances.end()) return status;
  }
  return exit_decided;
}

Result<AuditAnswer> audit(const AuditRequest& request, AuditWatch& watch) {
  Result<std::vector<std::string>> paths =
      request.held ? std::vector<std::string>{"instance"} : instance_paths(request.paths);
  if (auto* error = std::get_if<InputError>(&paths)) return std::move(*error);
  Audit all(request, std::get<std::vector<std::string>>(std::move(paths)), watch);
  if (auto error = all.prepare_outputs()) return std::move(*error);
  AuditAnswer answer = all.run();
  watch.computed();
  if (auto error = all.report(answer)) return std::move(*error);
  return answer;
}

}  // namespace attest
