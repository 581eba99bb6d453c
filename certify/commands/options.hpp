// The options that commands share, declared once.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attest {

struct CommonOptions {
  double time_limit = 0;         // seconds, 0: none
  std::size_t memory_limit = 0;  // bytes, 0: the default
  std::size_t threads = 0;       // 0: one for each core
  bool json = false, progress = false, force = false;
};

// What an instance may be, as help texts say it.
inline constexpr const char* instance_files =
    "Instance: .npz, folder of .npy files, .safetensors, .json or .json.gz";

void add_instance(CLI::App& app, std::string& path);
// `end`: what happens then, in words after "Seconds".
void add_time_limit(CLI::App& app, CommonOptions& common, const std::string& end);
void add_memory_limit(CLI::App& app, CommonOptions& common);
void add_threads(CLI::App& app, CommonOptions& common);
// `replaced`: what it replaces, in words.
void add_force(CLI::App& app, CommonOptions& common, const std::string& replaced);
void add_json(CLI::App& app, CommonOptions& common);
void add_progress(CLI::App& app, CommonOptions& common);
void add_select(CLI::App& app, std::string& selection, const std::string& help);
// A page for people: --report.
void add_report(CLI::App& app, std::string& path);
CLI::Option* add_loss(CLI::App& app, std::string& loss, const std::string& help);
// "gd", "ngd", ...: the words of the update rules.
std::vector<std::string> rule_words();

// Commands with what they do, shown below the options and in the manual.
void add_examples(CLI::App& app, std::initializer_list<std::pair<const char*, const char*>> examples);

}  // namespace attest
