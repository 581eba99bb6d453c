#include "certify/commands/options.hpp"

#include "numerics/runs/update_rule.hpp"

namespace attest {

void add_instance(CLI::App& app, std::string& path) {
  app.add_option("instance", path, instance_files)->required();
}

void add_time_limit(CLI::App& app, CommonOptions& common, const std::string& end) {
  app.add_option("--time-limit", common.time_limit, "Seconds" + end)->check(CLI::NonNegativeNumber);
}

void add_memory_limit(CLI::App& app, CommonOptions& common) {
  app.add_option("--memory-limit", common.memory_limit,
                 "Most bytes to hold (default: half of the memory, at most 4 GiB)");
}

void add_threads(CLI::App& app, CommonOptions& common) {
  app.add_option("--threads", common.threads,
                 "Most threads that share the work (default: one for each core); the answer is the same")
      ->check(CLI::Range(std::size_t{1}, std::size_t{9999}));
}

void add_force(CLI::App& app, CommonOptions& common, const std::string& replaced) {
  app.add_flag("--force", common.force, "Replace " + replaced);
}

void add_json(CLI::App& app, CommonOptions& common) {
  app.add_flag("--json", common.json, "Print one JSON value");
}

void add_progress(CLI::App& app, CommonOptions& common) {
  app.add_flag("--progress", common.progress, "Show progress on stderr even when it is not a terminal");
}

void add_select(CLI::App& app, std::string& selection, const std::string& help) {
  app.add_option("--select", selection, help)->check([](const std::string& given) {
    return given.empty() ? "names no token" : "";
  });
}

void add_report(CLI::App& app, std::string& path) {
  app.add_option("--report", path, "Page to write (HTML, one file): verdict, pictures, tables, hashes");
}

void add_examples(CLI::App& app, std::initializer_list<std::pair<const char*, const char*>> examples) {
  std::string text = "Examples:\n";
  for (const auto& [command, what] : examples) text += std::string("  ") + command + "\n      " + what + "\n";
  app.footer(text);
}

CLI::Option* add_loss(CLI::App& app, std::string& loss, const std::string& help) {
  return app.add_option("--loss", loss, help)
      ->check(CLI::IsMember({"logistic", "exponential", "correlation", "cross-entropy"}));
}

std::vector<std::string> rule_words() {
  std::vector<std::string> words;
  for (const UpdateRule* rule : update_rules()) words.emplace_back(rule->word());
  return words;
}

}  // namespace attest
