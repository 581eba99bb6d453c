// Row B.T9's bound against all W of a grid of the plane, for the correlation loss, whose excess over the
// limit is a sum of attention times gaps.
#include "numerics/forever/local_path.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "certify/catalogue/cone.hpp"
#include "tests/unit/certify/catalogue/bridge.hpp"

using namespace attest;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Plane {
  std::vector<std::vector<std::array<double, 2>>> tokens;
  std::vector<std::vector<double>> scores;

  std::string json() const {
    const auto list = [](const auto& items, const auto& text) {
      std::string out;
      for (const auto& item : items) out += (out.empty() ? "[" : ",") + text(item);
      return out + "]";
    };
    const auto number = [](double x) { return std::to_string(x); };
    const auto point = [&](const auto& x) { return list(x, number); };
    return "{\"X\":" + list(tokens, [&](const auto& group) { return list(group, point); }) +
           ",\"z\":" + list(tokens, [](const auto&) { return std::string("[1]"); }) +
           ",\"scores\":" + list(scores, point) + "}";
  }
};

Plane drawn(std::mt19937_64& random) {
  Plane plane;
  for (int i = 0; i < 2; ++i) {
    auto& group = plane.tokens.emplace_back();
    auto& scores = plane.scores.emplace_back();
    for (int t = 0; t < 4; ++t) {
      group.push_back({static_cast<double>(random() % 17) - 8, static_cast<double>(random() % 17) - 8});
      scores.push_back(static_cast<double>(random() % 9));
    }
  }
  return plane;
}

// n (L(W) - L(limit)), and is W in cone_eps?
struct Seen {
  double excess = 0;
  bool inside = true;
};
Seen look(const Plane& plane, const Selection& alpha, double x, double y, double eps) {
  Seen seen;
  const double norm = std::hypot(x, y);
  for (std::size_t i = 0; i < plane.tokens.size(); ++i) {
    const auto logit = [&](std::size_t t) { return x * plane.tokens[i][t][0] + y * plane.tokens[i][t][1]; };
    const double top = plane.scores[i][alpha[i]];
    double most = -infinity, low = -infinity, high = -infinity, sum = 0, gaps = 0;
    for (std::size_t t = 0; t < plane.tokens[i].size(); ++t) most = std::max(most, logit(t));
    for (std::size_t t = 0; t < plane.tokens[i].size(); ++t) {
      const double weight = std::exp(logit(t) - most), gap = top - plane.scores[i][t];
      sum += weight;
      gaps += weight * gap;
      if (t == alpha[i]) continue;
      double& side = gap > 0 ? low : high;
      side = std::max(side, logit(t));
    }
    seen.excess += gaps / sum;
    seen.inside = seen.inside && (high == -infinity || low - high >= eps * norm);
  }
  return seen;
}

}  // namespace

TEST_CASE("B.T9: every W of the cone that is no worse than the ray's is near the ray") {
  std::mt19937_64 random(5);
  std::size_t decided = 0, with_better = 0, near = 0;
  for (int trial = 0; trial < 400 && with_better < 12; ++trial) {
    const Plane plane = drawn(random);
    const Instance instance = assemble_instance(parse_json_instance(plane.json()));
    const TokenData data = token_data(instance);
    if (!equal_tokens(data).empty()) continue;
    const Selection alpha{random() % 4, random() % 4};
    CatalogueContext context(instance, data, alpha, {});
    attest::Row row;
    const auto cone = cone_at_solution(context, row);
    if (!cone || in_some_cone(*cone) != Verdict::holds) continue;
    const SolvedSelection& solved = context.solved();
    if (!solved.solution.locally_optimal.value_or(false)) continue;
    const double eps =
        cone->unbounded ? 1 : Rational(cone->value.lo / solved.geometry->norm.hi / 2).convert_to<double>();
    const auto bound = bound_local_path(data, alpha, solved.solution, Loss::correlation, Rational(eps));
    REQUIRE(bound);
    ++decided;
    with_better += cone->unbounded ? 0 : 1;
    const Rational denominator(solved.geometry->matrix.denominator);
    const double wx = Rational(solved.geometry->matrix.numerators[0] / denominator).convert_to<double>(),
                 wy = Rational(solved.geometry->matrix.numerators[1] / denominator).convert_to<double>();
    const double norm = std::hypot(wx, wy), least = bound->least_norm.convert_to<double>();
    for (const double factor : {1.0, 1.5}) {
      const double r = factor * std::max(bound->from_radius.convert_to<double>(), 0.1);
      const double ray = look(plane, alpha, r * wx / norm, r * wy / norm, eps).excess;
      for (int step = 0; step <= 40; ++step) {
        const double length = least + (r - least) * step / 40;
        for (int angle = 0; angle < 720; ++angle) {
          const double x = length * std::cos(angle * M_PI / 360), y = length * std::sin(angle * M_PI / 360);
          const Seen seen = look(plane, alpha, x, y, eps);
          if (!seen.inside || seen.excess > ray) continue;
          ++near;
          CHECK(1 - (x * wx + y * wy) / norm / r <= bound->rate_constant.convert_to<double>() / r + 1e-9);
        }
      }
    }
  }
  CHECK(decided > with_better);
  CHECK(with_better == 12);
  CHECK(near > 0);
}
