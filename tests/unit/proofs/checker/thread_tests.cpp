// Several checks in one process: each has its own memory budget and its own end, and none disturbs another.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <optional>
#include <thread>

#include "proofs/checker/base/last_resort.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/parallel.hpp"
#include "proofs/checker/base/progress.hpp"
#include "proofs/checker/base/smallest_eigenvalue.hpp"
#include "proofs/checker/text/context.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace checker_tests;
using namespace attest_check;

namespace {

// Stops a check at a step, as a deadline would.
class StopAt : public Progress {
 public:
  explicit StopAt(std::size_t step) : step_(step) {}
  void step(const std::string&, std::size_t step, std::size_t) override {
    ++seen;
    if (step == step_) too_large("stopped");
  }
  std::size_t seen = 0;

 private:
  std::size_t step_;
};

const std::string at_the_end =
    "at 300 norm 1 100 along 1 100 one-minus-corr -1 1 loss-gap -1 1 gradient -1 1 unselected -1 1";
const std::vector<std::string> many_steps =
    problem("1 0", "logistic") +
    std::vector<std::string>{"claim 1 optimal problem 1 norm-squared 1",
                             "vector multipliers 1 over 1",
                             "0 1 1",
                             "claim 2 run problem 1 from 1 steps 300",
                             "optimizer gd schedule constant step 1 fraction-bits 512",
                             "start zero",
                             "checkpoints 1",
                             at_the_end,
                             "loss-decreases-until 300",
                             "rates 0"};

// What a check ends with in a thread of its own, with this memory and progress.
struct Ended {
  int status = -1;
  std::string message;
};
void check_with(const std::string& text, std::optional<std::size_t> memory, Progress* progress,
                Ended& ended) {
  std::optional<MemoryBudget> budget;
  if (memory) budget.emplace(*memory);
  const Instance instance = read_instance(TemporaryFile(one_constraint).path());
  CertificateText certificate("certificate", text);
  try {
    check(*read_certificate(instance, certificate), {}, progress);
    ended.status = 0;
  } catch (const Failure& failure) {
    ended = {static_cast<int>(failure.status()), failure.what()};
  }
}

}  // namespace

TEST_CASE("two checks run at once, each within its own limits") {
  const std::string text = join(certificate(one_constraint, many_steps));
  Ended roomy, narrow, stopped, late;
  StopAt at_step_7(7), never(1000);
  Deadline passed(std::chrono::milliseconds(0));
  std::thread threads[] = {std::thread([&] { check_with(text, std::size_t{1} << 30, &never, roomy); }),
                           std::thread([&] { check_with(text, std::size_t{1} << 11, nullptr, narrow); }),
                           std::thread([&] { check_with(text, std::nullopt, &at_step_7, stopped); }),
                           std::thread([&] { check_with(text, std::nullopt, &passed, late); })};
  for (std::thread& thread : threads) thread.join();
  CHECK(roomy.message == "");
  CHECK(roomy.status == 0);
  CHECK(never.seen == 300);
  CHECK(narrow.status == 5);
  CHECK(narrow.message.find("memory") != std::string::npos);
  CHECK(narrow.message.find("2048 bytes") != std::string::npos);
  CHECK(stopped.status == 5);
  CHECK(at_step_7.seen == 8);
  CHECK(late.status == 5);
  CHECK(late.message.find("claim 2 (run)") != std::string::npos);
}

// The sizes leave room for what the test itself takes where operator new counts too.
TEST_CASE("budgets nest and count what is held") {
  constexpr std::size_t all = 1 << 24;
  MemoryBudget outer(2 * all);
  {
    MemoryBudget inner(all);
    CHECK(MemoryBudget::current() == &inner);
    CHECK_NOTHROW(inner.require(all / 2, "half"));
    CHECK_THROWS_AS(inner.require(all + 1, "more"), Failure);
    inner.take(all / 2);
    CHECK_THROWS_AS(inner.require(all / 2, "the other half, less what a block costs"), Failure);
    CHECK_NOTHROW(inner.require_kept());
    inner.give_back(all / 2);
    CHECK_NOTHROW(inner.require(all / 2, "half again"));
    inner.take(all);
    CHECK_THROWS_AS(inner.is_for("more"), Failure);
  }
  CHECK(MemoryBudget::current() == &outer);
  CHECK_NOTHROW(outer.require_kept());
}

TEST_CASE("parts are all done once, by threads of the same budget; the first failure arrives") {
  const Threads together(3);
  MemoryBudget budget(std::size_t{1} << 24);
  for (const std::size_t count : {0, 1, 2, 63, 64, 65, 1000}) {
    for (const std::size_t least : {0, 1, 7, 2000}) {
      std::vector<int> seen(count, 0);
      std::atomic<std::size_t> shortest{count};
      in_parts(count, least, [&](std::size_t begin, std::size_t end) {
        shortest = std::min(shortest.load(), end - begin);
        for (std::size_t k = begin; k < end; ++k) ++seen[k];
      });
      CHECK(seen == std::vector<int>(count, 1));
      CHECK(shortest >= std::min(count, least));
    }
  }
  for (int round = 0; round < 50; ++round) {
    std::size_t first = 0;
    try {
      in_parts(64, 1, [](std::size_t begin, std::size_t) {
        if (begin >= 7) throw begin;
      });
    } catch (const std::size_t& begin) {
      first = begin;
    }
    CHECK(first == 7);
  }
  in_parts(64, 1, [&](std::size_t, std::size_t) {
    in_parts(3, 1, [&](std::size_t begin, std::size_t end) { CHECK(end - begin == 3); });
    take_memory(1 << 20);
    give_memory_back(1 << 20);
  });
  CHECK_NOTHROW(budget.require_kept());
  CHECK_NOTHROW(budget.require(15 << 20, "what was given back"));
  in_parts(64, 1, [&](std::size_t, std::size_t) { take_memory(1 << 20); });
  CHECK_THROWS_AS(budget.require_kept(), Failure);
}

TEST_CASE("a factorisation of many rows finds the same on one and on several threads") {
  // k vectors e_i + e_(i+1): the least eigenvalue of their Gram matrix is 2 - 2 cos(pi/(k+1)).
  constexpr std::size_t size = 300;
  GramFactor factor;
  for (std::size_t i = 0; i < size; ++i) {
    factor.rows.emplace_back(size + 1);
    factor.rows.back()[i] = factor.rows.back()[i + 1] = 1;
    factor.index.push_back(i);
  }
  // pi^2/(k+1)^2 is 1.0893e-4, less its fourth power over twelve.
  const Rational below(10892, 100000000), above(10894, 100000000);
  for (const std::size_t count : {1, 2, 3}) {
    const Threads together(count);
    for (const unsigned bits : {29U, 61U, 90U}) {
      CHECK(smallest_eigenvalue_at_least({factor}, below, bits) == (bits > 29));
      CHECK_FALSE(smallest_eigenvalue_at_least({factor}, above, bits));
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

int deeper(int level) {
  volatile char room[4096];
  room[0] = static_cast<char>(level);
  return level == INT_MAX ? 0 : deeper(level + 1) + room[0];
}

}  // namespace

TEST_CASE("a helper's stack that is used up ends the program as an internal error") {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    install_last_resort("attest-check", 6, 5);
    const Threads together(2);
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<bool> never{false};
    in_parts(2, 1, [&](std::size_t, std::size_t) {
      while (std::this_thread::get_id() == here && !never) sleep(1);
      never = deeper(0) == 1;
    });
    _exit(99);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 6);
}
#endif
