// One process that is asked again and again.
#include "tests/mutation/verified_checker.hpp"

#include <doctest/doctest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/mutation/judged.hpp"

namespace mutation {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

VerifiedChecker::VerifiedChecker()
    : program_(variable("ATTEST_CHECK_VERIFIED")), many_(variable("ATTEST_CHECK_MANY_VERIFIED")) {}

void VerifiedChecker::start() {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
    posix_spawn_file_actions_adddup2(&actions, ends[1], stream);
  char* arguments[] = {many_.data(), nullptr};
  const int failed = posix_spawn(&process_, many_.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket_ = ends[0];
  REQUIRE(failed == 0);
}

void VerifiedChecker::stop() {
  if (socket_ < 0) return;
  close(socket_);
  socket_ = -1;
  waitpid(process_, nullptr, 0);
}

std::string VerifiedChecker::answer(const std::string& instance, const std::string& certificate) {
  const std::string question = instance + '\t' + certificate + '\n';
  std::string line;
  if (send(socket_, question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size()))
    return line;
  for (char c = 0; recv(socket_, &c, 1, 0) == 1 && c != '\n';) line += c;
  return line;
}

int VerifiedChecker::status(const std::string& instance, const std::string& certificate) {
  const bool alone = many_.empty();
  std::string said;
  if (!alone) {
    if (socket_ < 0) start();
    said = answer(instance, certificate);
    if (said.empty()) stop();  // what ends the process ends the program with a status of its own
  }
  if (!said.empty() && asked_++ % 50 != 0) return std::stoi(said);
  const int own = run_program(program_, instance, certificate);
  if (!said.empty()) REQUIRE(own == std::stoi(said));
  return own;
}

}  // namespace mutation
