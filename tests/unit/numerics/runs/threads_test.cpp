// Runs on several threads: the same states to the last bit, limits that hold, exceptions that arrive.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <memory>
#include <new>
#include <random>
#include <utility>

#include "numerics/numbers/cores.hpp"
#include "numerics/numbers/parallel.hpp"
#include "numerics/runs/iteration.hpp"
#include "numerics/runs/point.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using attest_test::gaussian_instance;

namespace {

constexpr FixedFormat format{4, 200};

// Groups of 16 tokens: 40 of them in 64 dimensions are three parts, and more groups than queries have
// dimensions.
TokenData several_parts(std::size_t query_dimension = 9) {
  return gaussian_instance(std::vector<std::size_t>(40, 16), 64, query_dimension, 3);
}

struct Followed {
  Iteration::State state;
  RunPoint point;
  double amplification = 0;
};

Followed follow(const RunGeometry& geometry, const OptimizerSpec& spec, std::size_t threads) {
  const ThreadLimit limit(threads);
  const ExactArray start;
  const std::unique_ptr<Iteration> run = make_iteration({geometry, spec, start, format});
  for (std::size_t t = 0; t < 10; ++t) {
    REQUIRE(run->evaluate() == IterationStatus::ok);
    REQUIRE(run->advance() == IterationStatus::ok);
  }
  REQUIRE(run->evaluate() == IterationStatus::ok);
  Followed followed{run->save(), {}, run->amplification_bits()};
  RunObserver(*run, nullptr).observe(followed.point, true);
  return followed;
}

void check_same(const Followed& one, const Followed& other) {
  CHECK(one.state.coordinates == other.state.coordinates);
  REQUIRE(one.state.errors.size() == other.state.errors.size());
  for (std::size_t k = 0; k < one.state.errors.size(); ++k)
    CHECK(arb_equal(one.state.errors[k].raw(), other.state.errors[k].raw()));
  CHECK(one.amplification == other.amplification);
  CHECK(arb_equal(one.point.norm.raw(), other.point.norm.raw()));
  CHECK(arb_equal(one.point.loss_gap.raw(), other.point.loss_gap.raw()));
  CHECK(arb_equal(one.point.gradient_norm.raw(), other.point.gradient_norm.raw()));
  CHECK(arb_equal(one.point.max_unselected.raw(), other.point.max_unselected.raw()));
}

void check_threads(const TokenData& data, const std::string& rule, Loss loss = Loss::logistic) {
  const RunGeometry geometry(data, 4);
  REQUIRE(geometry.parts == std::vector<std::size_t>{0, 8, 16, 24, 32, 40});
  OptimizerSpec spec;
  spec.rule = update_rule(rule);
  spec.loss = loss;
  spec.step = Rational(1, 2);
  const Followed alone = follow(geometry, spec, 1);
  for (const std::size_t threads : {2, 3, 7}) check_same(alone, follow(geometry, spec, threads));
}

}  // namespace

TEST_CASE("a run is the same on one, two, three and seven threads") {
  for (const char* rule : {"gd", "ngd", "polyak"}) check_threads(several_parts(), rule);
  check_threads(several_parts(50), "ngd");  // the Gram matrix of the queries is kept
}

TEST_CASE("a run of a classifier is the same on several threads") {
  TokenData data = several_parts();
  std::mt19937_64 random(4);
  OutputTable table;
  table.width = 2;
  for (std::size_t k = 0; k < 2 * data.first_row.back(); ++k)
    table.values.emplace_back(static_cast<long>(random() % 65) - 32, 64);
  set_outputs(data, std::move(table), {});
  check_threads(data, "gd");
}

TEST_CASE("an interrupted step on several threads ends, asked about by its own thread alone") {
  const TokenData data = several_parts();
  const RunGeometry geometry(data, 4);
  OptimizerSpec spec;
  spec.rule = update_rule("ngd");
  spec.step = Rational(1, 10);
  const ExactArray start;
  for (const std::size_t threads : {1, 3}) {
    const ThreadLimit limit(threads);
    std::size_t polls = 0, most = 1000;
    Budget budget;
    budget.stop_when([&] {
      CHECK_FALSE(on_helper_thread());
      return ++polls > most;
    });
    const std::unique_ptr<Iteration> run = make_iteration({geometry, spec, start, format, &budget});
    REQUIRE(run->evaluate() == IterationStatus::ok);
    most = polls + 2;
    const auto go_on = [&] {
      while (run->evaluate() == IterationStatus::ok) {
      }
    };
    CHECK_THROWS_AS(go_on(), BudgetReached);
    CHECK(run->step() == 0);
  }
}

TEST_CASE("work on threads: as many as are allowed, none inside a piece, the first failure arrives") {
  const ThreadLimit limit(3);
  CHECK(available_threads() == 3);
  {
    const ThreadLimit inner(1);
    CHECK(available_threads() == 1);
  }
  CHECK(available_threads() == 3);
  std::atomic<int> seen = 0;
  parallel_for(20, [&](std::size_t) {
    CHECK(available_threads() == 1);
    parallel_for(5, [&](std::size_t) { ++seen; });
  });
  CHECK(seen == 100);
  CHECK_FALSE(on_helper_thread());
  for (int round = 0; round < 50; ++round) {
    std::size_t first = 0;
    try {
      parallel_for(64, [](std::size_t k) {
        if (k >= 7) throw k;
      });
    } catch (const std::size_t& k) {
      first = k;
    }
    CHECK(first == 7);
  }
  CHECK_THROWS_AS(parallel_for(9, [](std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

int deeper(int level) {
  volatile char room[4096];
  room[0] = static_cast<char>(level);
  return level == INT_MAX ? 0 : deeper(level + 1) + room[0];
}

}  // namespace

TEST_CASE("a helper's stack that is used up is said by the handler of faults") {
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction action {};
    action.sa_handler = [](int) { _exit(7); };
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, nullptr);
    const ThreadLimit two(2);
    std::atomic<bool> never{false};
    parallel_for(2, [&](std::size_t) {
      while (!on_helper_thread() && !never) sleep(1);
      never = deeper(0) == 1;
    });
    _exit(99);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}
#endif

TEST_CASE("work without a limit takes the cores that the process may use") {
  cpu_set_t all, one;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  CHECK(usable_cores() == static_cast<std::size_t>(CPU_COUNT(&all)));
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(available_threads() == 1);
  CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
}
