// Replays on several threads: the same numbers to the last bit.
#include <doctest/doctest.h>

#include <random>

#include "proofs/checker/base/parallel.hpp"
#include "tests/unit/proofs/checker/files.hpp"
#include "tests/unit/proofs/runs/replay_inspection.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

constexpr std::size_t groups = 40, tokens = 16, left = 64, right = 9;

// Small binary fractions: every group has different tokens and scores. There are several parts, of the
// Jacobian bound two.
std::string some_parts(bool classifier) {
  std::mt19937 random(7);
  const auto number = [&] { return std::to_string(25 * (static_cast<int>(random() % 33) - 16)) + "e-2"; };
  const auto list = [&](std::size_t count, const auto& entry) {
    std::string text = "[";
    for (std::size_t k = 0; k < count; ++k) text += (k > 0 ? "," : "") + entry();
    return text + "]";
  };
  const auto row = [&](std::size_t count) { return list(count, number); };
  std::string text = "{\"X\":" + list(groups, [&] { return list(tokens, [&] { return row(left); }); }) +
                     ",\"z\":" + list(groups, [&] { return row(right); });
  if (classifier) {
    text += ",\"head\":\"classifier\",\"U\":" + list(3, [&] { return row(left); }) +
            ",\"y\":" + list(groups, [&] { return std::to_string(random() % 3); });
  } else {
    text += ",\"Y\":" + list(groups, [&] { return std::string(random() % 2 == 0 ? "1" : "-1"); }) +
            ",\"v\":" + row(left);
  }
  return text + "}";
}

struct Followed {
  std::vector<Integer> position, image, velocity;
  Rational radius, norm, gradient, loss_gap;
  friend bool operator==(const Followed&, const Followed&) = default;
};

Followed follow(const ReferenceDirection& direction, Rule rule, std::size_t count) {
  const Threads together(count);
  Specification specification;
  specification.rule = rule;
  specification.step = Rational(1, 2);
  Replay replay(direction, specification, {}, 256);
  for (std::size_t t = 0; t < 4; ++t) {
    replay.evaluate();
    replay.advance();
  }
  replay.evaluate();
  Followed followed;
  for (const auto& group : ReplayInspection{replay}.groups()) {
    for (std::size_t k = 0; k < left; ++k) {
      followed.position.push_back(group.position[k]);
      followed.image.push_back(group.image[k]);
      followed.velocity.push_back(group.velocity_image[k]);
    }
  }
  const Observation seen = replay.observe();
  followed.radius = replay.radius().upper();
  followed.norm = seen.norm.upper();
  followed.gradient = seen.gradient.lower();
  followed.loss_gap = seen.loss_gap.upper();
  return followed;
}

// The problem of the first tokens, seen from some matrix.
struct SeenByThreads {
  explicit SeenByThreads(const std::string& text) : instance(read_instance(TemporaryFile(text).path())) {
    problem.features = &features;
    problem.loss = features.outputs() != nullptr ? Loss::classifier : Loss::logistic;
    problem.selection.assign(groups, 0);
    listed.denominator = 7;
    listed.at = {{0, 1}, {2, 3}};
    listed.numerator = {3, 5};
    centre.emplace(problem, listed);
    direction.bits = 288;
    direction.centre = &*centre;
    direction.norm = square_root(Interval(centre->norm_squared(), direction.bits));
  }
  const Instance instance;
  const Features features{instance};
  Problem problem;
  ConstraintVector listed;
  std::optional<SpanElement> centre;
  ReferenceDirection direction;
};

}  // namespace

TEST_CASE("a replay is the same on one, two, three and seven threads") {
  const SeenByThreads seen(some_parts(false));
  for (const Rule rule : {Rule::gd, Rule::ngd, Rule::polyak}) {
    const Followed alone = follow(seen.direction, rule, 1);
    CHECK(alone.radius > 0);
    for (const std::size_t count : {2, 3, 7}) CHECK(follow(seen.direction, rule, count) == alone);
  }
}

TEST_CASE("a replay of a classifier is the same on several threads") {
  const SeenByThreads seen(some_parts(true));
  const Followed alone = follow(seen.direction, Rule::gd, 1);
  CHECK(follow(seen.direction, Rule::gd, 3) == alone);
}
