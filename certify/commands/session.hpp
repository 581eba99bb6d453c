// One command from its options to its exit status: what all commands do alike.
#pragma once

#include <atomic>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/writing_time.hpp"
#include "certify/commands/options.hpp"
#include "certify/process/exit_status.hpp"
#include "certify/process/input_error.hpp"
#include "certify/process/memory_limit.hpp"
#include "certify/process/progress.hpp"
#include "certify/process/signals.hpp"
#include "numerics/numbers/parallel.hpp"

namespace attest {

class Ranks;  // process/ranks.hpp

// What a command prints with --json.
enum class AnswerShape {
  text,    // it has no --json
  object,  // {"verdict": "undecided", "reason": ...} when it is stopped before anything is proved
  list,    // an empty one, then
};

// Prints the error as one line on stderr and, with `json`, as the one JSON value {"error": {...}} on stdout.
// Returns the exit status (2 or 5).
int report_input_error(const InputError& error, bool json);

// What the processes of a job do but the first one, when they share the passes over one instance; the exit
// status.
int answer_passes(ProcessSignals& signals, const CommonOptions& options, const std::string& instance,
                  Ranks& ranks);

// The limits of time and memory, signals and progress of one command. Made first thing, so that reading
// counts. SIGINT and SIGTERM end the command as its time limit does; behind both stands a last resort that
// ends the process.
class Session : public AuditWatch {
 public:
  Session(ProcessSignals& signals, const CommonOptions& options, AnswerShape shape);

  // Any thread may ask, also while another one says that the input is read.
  const Budget& budget() const override { return *in_force_; }
  ProcessSignals* signals() override { return &signals_; }
  void input_is_read() override {
    memory_.reading_is_over();
    computing_ = without_writing(budget_);
    if (computing_) in_force_ = &*computing_;
  }
  // The last resort would lose it: it waits ten seconds.
  void something_is_proved() override { last_resort_.extend(10, 10); }
  void computed() override;
  void solving(std::string_view stage, double fraction) override { progress_.stage(stage, fraction); }
  void stepping(std::uint64_t step, std::uint64_t steps) override { progress_.step(step, steps); }

  // Calls `command`, which returns the exit status, and answers for what it throws.
  int conduct(const std::function<int()>& command);

 private:
  ProcessSignals& signals_;
  AnswerShape shape_;
  StopOnSignal guard_;
  Budget budget_;
  std::optional<Budget> computing_;  // inside it, once the input is read
  std::atomic<const Budget*> in_force_{&budget_};
  LastResort last_resort_;
  MemoryLimit memory_;
  ThreadLimit threads_;
  ProgressLine progress_;
};

// The command: a use case, its answer printed by `render`, its exit status.
//   audit: (AuditWatch&) -> Result<Answer>    render: (const Answer&) -> std::string
template <typename Audit, typename Render>
int answer(ProcessSignals& signals, const CommonOptions& options, AnswerShape json_shape, Audit audit,
           Render render) {
  Session session(signals, options, options.json ? json_shape : AnswerShape::text);
  return session.conduct([&] {
    const auto result = audit(session);
    if (const auto* error = std::get_if<InputError>(&result)) return report_input_error(*error, options.json);
    const auto& found = std::get<0>(result);
    std::fputs(std::string(render(found)).c_str(), stdout);
    return static_cast<int>(found.decided() ? exit_decided : exit_undecided);
  });
}
// Printed as most are: json(found) or text(found).
template <typename Audit>
int answer(ProcessSignals& signals, const CommonOptions& options, AnswerShape json_shape, Audit audit) {
  return answer(signals, options, json_shape, std::move(audit),
                [&](const auto& found) { return options.json ? json(found) : text(found); });
}

// What is asked, with what all commands hand over: the memory limit, whether files of another kind may be
// replaced, and how the page is drawn, where there may be one.
template <typename Request>
Request with_common(Request asked, const CommonOptions& common) {
  asked.memory_limit = common.memory_limit;
  if constexpr (requires { asked.force; }) asked.force = common.force;
  if constexpr (requires { asked.report.page; }) {
    asked.report.page = [](const auto& found) { return html(found); };
  }
  return asked;
}

}  // namespace attest
