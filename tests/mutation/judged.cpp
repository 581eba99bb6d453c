// The checker's answer and the reference's.
#include "tests/mutation/judged.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "proofs/checker/checker.hpp"

namespace mutation {

Folder::Folder() {
  const std::filesystem::path memory = "/dev/shm";
  path_ = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  path_ /= "attest-mutation-" + std::to_string(getpid());
  std::filesystem::create_directories(path_);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

Outcome check(const std::string& instance, const std::string& certificate) {
  Outcome outcome;
  try {
    const auto verdict = attest_check::check(instance, certificate, {});
    for (const auto& claim : verdict.claims) outcome.lines.push_back(claim.line);
    outcome.code =
        static_cast<int>(verdict.vacuous ? attest_check::Exit::vacuous : attest_check::Exit::verified);
  } catch (const attest_check::Failure& failure) {
    outcome.code = static_cast<int>(failure.status());
  }
  return outcome;
}

int run_program(const std::string& program, const std::string& instance, const std::string& certificate) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
  std::string words[] = {program, instance, certificate};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = 0;
  const int failed = posix_spawn(&process, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed != 0 || waitpid(process, &status, 0) != process) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string objection(reference::Judge& judge, const std::string& text) {
  try {
    return judge.first_false(reference::parse_certificate(text));
  } catch (const reference::Malformed& error) {
    return std::string("malformed: ") + error.what();
  }
}

std::vector<std::string> lines_of_kinds(const std::string& text, const std::set<std::string>& kinds) {
  std::vector<std::string> lines;
  bool inside = false;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    std::string first, number, kind;
    words >> first >> number >> kind;
    if (first == "claim") inside = kinds.count(kind) != 0;
    if (first == "problem" || first == "end") inside = false;
    lines.push_back(inside ? line : "");
  }
  return lines;
}

}  // namespace mutation
