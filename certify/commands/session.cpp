#include "certify/commands/session.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "certify/audits/shared_passes.hpp"
#include "certify/process/ranks.hpp"
#include "numerics/numbers/cores.hpp"

namespace attest {
namespace {

// How long a command may take to end by itself: inside the promised second or tenth of the limit.
double after_limit(double time_limit_seconds) {
  return std::max(0.8, 0.08 * time_limit_seconds);
}
// Proving what was seen and writing it take a second or two of large data.
constexpr double after_signal = 3;

// What a command prints when it is stopped before anything is proved.
std::string undecided_answer(AnswerShape shape, const std::string& reason) {
  if (shape == AnswerShape::list) return "[]\n";
  if (shape == AnswerShape::text) return "c " + reason + "\ns UNDECIDED\n";
  const nlohmann::ordered_json value{{"verdict", "undecided"}, {"reason", reason}};
  return value.dump(2) + "\n";
}

// Without --threads one for each core, of a job the process's share of the machine's; and no more than the
// memory limit has 64 MiB for: their stacks count.
std::size_t most_threads(const CommonOptions& options) {
  if (options.threads > 0) return options.threads;
  const std::size_t limit = options.memory_limit != 0 ? options.memory_limit : default_memory_limit();
  return std::clamp<std::size_t>(limit >> 26, 1,
                                 cores_of_rank(usable_cores(), std::thread::hardware_concurrency()));
}

}  // namespace

int report_input_error(const InputError& error, bool json) {
  std::fprintf(stderr, "attest: %s\n", error.text().c_str());
  const bool resource = error.kind == InputError::Kind::resource;
  if (json) {
    nlohmann::ordered_json value;
    value["error"] = {{"kind", resource ? "resource" : "malformed"},
                      {"file", error.file},
                      {"key", error.key},
                      {"index", error.index},
                      {"message", error.message}};
    std::printf("%s\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  }
  return resource ? exit_cannot_hold : exit_bad_input;
}

int answer_passes(ProcessSignals& signals, const CommonOptions& options, const std::string& instance,
                  Ranks& ranks) {
  const MemoryLimit memory(signals, options.memory_limit, false);
  const ThreadLimit threads(most_threads(options));
  serve_passes(instance, options.memory_limit, ranks);
  ranks.leave();
  return exit_decided;
}

Session::Session(ProcessSignals& signals, const CommonOptions& options, AnswerShape shape)
    : signals_(signals),
      shape_(shape),
      guard_(signals),
      budget_(options.time_limit, 0),
      last_resort_(signals, options.time_limit, after_limit(options.time_limit), after_signal,
                   undecided_answer(shape, "time: the limit was reached in the middle of a computation"),
                   undecided_answer(shape, "interrupted: stopped in the middle of a computation")),
      memory_(signals, options.memory_limit, options.json),
      threads_(most_threads(options)),
      progress_(options.progress) {
  budget_.stop_when([this] { return guard_.requested(); });
}

void Session::computed() {
  progress_.wipe();
  last_resort_.disarm();
}

int Session::conduct(const std::function<int()>& command) {
  try {
    return command();
  } catch (const BudgetReached& reached) {  // with nothing proved
    computed();
    std::fprintf(stderr, "attest: %s\n", reached.reason.c_str());
    std::fputs(undecided_answer(shape_, reached.reason).c_str(), stdout);
    return exit_undecided;
  } catch (const std::bad_alloc&) {
    progress_.wipe();
    memory_.exceeded();
  }
}

}  // namespace attest
