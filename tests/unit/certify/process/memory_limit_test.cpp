// Several threads that run out of memory at once are one answer.
#include "certify/process/memory_limit.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "certify/process/exit_status.hpp"

using namespace attest;

TEST_CASE("the end of memory is said once, whichever threads see it") {
  for (int round = 0; round < 20; ++round) {
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      dup2(pipe_ends[1], STDOUT_FILENO);
      dup2(pipe_ends[1], STDERR_FILENO);
      ProcessSignals signals;
      MemoryLimit limit(signals, std::size_t{1} << 40, true);
      limit.reading_is_over();
      std::vector<std::jthread> threads;
      for (int k = 0; k < 4; ++k) threads.emplace_back([&] { limit.exceeded(); });
      threads.clear();
      _exit(99);
    }
    close(pipe_ends[1]);
    std::string said;
    char part[256];
    for (ssize_t got = 0; (got = read(pipe_ends[0], part, sizeof part)) > 0;)
      said.append(part, static_cast<std::size_t>(got));
    close(pipe_ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == exit_undecided);
    CHECK(said ==
          "attest: memory: more memory is needed than --memory-limit allows (1099511627776 bytes)\n"
          "{\"verdict\":\"undecided\",\"reason\":\"memory: more memory is needed than --memory-limit "
          "allows\"}\n");
  }
}
