// Several checks in one process: each has its own memory budget and its own end, and none disturbs another.
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/progress.hpp"
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
                           std::thread([&] { check_with(text, std::size_t{1} << 14, nullptr, narrow); }),
                           std::thread([&] { check_with(text, std::nullopt, &at_step_7, stopped); }),
                           std::thread([&] { check_with(text, std::nullopt, &passed, late); })};
  for (std::thread& thread : threads) thread.join();
  CHECK(roomy.message == "");
  CHECK(roomy.status == 0);
  CHECK(never.seen == 300);
  CHECK(narrow.status == 5);
  CHECK(narrow.message.find("memory") != std::string::npos);
  CHECK(narrow.message.find("16384 bytes") != std::string::npos);
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
