// Bounds of b_c on {1 - s_alpha <= eps}, against b_c from the definition at attentions of that set, the
// corners and those of units near their kink among them.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "numerics/forever/region_bounds.hpp"
#include "tests/unit/numerics/forever/random_outputs.hpp"
#include "tests/unit/numerics/forever/simulation.hpp"
#include "tests/unit/numerics/runs/gaussian_instances.hpp"

using namespace attest;
using namespace attest_test;

namespace {

// -dl/ds_t of a group at this attention.
std::vector<double> effective_scores(const OutputTable& table, std::size_t group, std::size_t first,
                                     Loss loss, const std::vector<double>& s) {
  std::vector<double> mean(table.width), share(table.width), scores;
  for (std::size_t u = 0; u < table.width; ++u) {
    for (std::size_t t = 0; t < s.size(); ++t) mean[u] += s[t] * double(real(table.value(first + t, u)));
  }
  const double slope = plain_output_slopes(table, group, loss, mean, share);
  for (std::size_t t = 0; t < s.size(); ++t) {
    double score = 0;
    for (std::size_t u = 0; u < table.width; ++u)
      score -= slope * share[u] * double(real(table.value(first + t, u)));
    scores.push_back(score);
  }
  return scores;
}

// A random attention with at most `rest` off the selected token, `corner`: all of it on one token.
std::vector<double> random_attention(std::mt19937_64& random, std::size_t tokens, std::size_t selected,
                                     double rest, bool corner) {
  std::uniform_real_distribution<double> unit;
  std::vector<double> s(tokens, 0);
  double total = 0;
  for (std::size_t t = 0; t < tokens; ++t) {
    if (t != selected) total += s[t] = corner ? 0 : -std::log(unit(random));
  }
  if (corner) total = s[(selected + 1 + random() % (tokens - 1)) % tokens] = 1;
  for (double& share : s) share *= rest / total;
  s[selected] = 1 - rest;
  return s;
}

int check_bounds(Loss loss, unsigned seed) {
  TokenData data = gaussian_instance({3, 4, 2}, 6, 3, seed);
  set_outputs(data, random_outputs(data, seed, loss), {});
  std::mt19937_64 random(seed);
  const Selection selection{random() % 3, random() % 4, random() % 2};
  const RunGeometry geometry(data, 6);
  const MarginSolution solution = solve_margin_problem(data, selection, MarginOptions());
  const auto direction = reference_direction(geometry, selection, solution, 224);
  if (!direction) return 0;
  const EnclosedFacts enclosed = enclose_facts(geometry, *direction, solution, loss);
  if (!enclosed.facts) return 0;
  const SelectionFacts<BallNumber>& facts = *enclosed.facts;
  int found = 0;
  for (const double eps : {1e-6, 0.01, 0.1, 0.3, 0.7}) {
    for (const bool near : {true, false}) {  // P all of the positive gaps, or nothing
      RegionConstants constants;
      constants.attention.assign(facts.groups.size(), eps);
      for (std::size_t c = 0; c < facts.constraints.size(); ++c)
        constants.inside.push_back(near && !facts.better[c]);
      const auto bounds = factor_bounds(facts, constants, false);
      if (!bounds) continue;
      ++found;
      for (int sample = 0; sample < 40; ++sample) {
        for (const SelectionGroup<BallNumber>& group : facts.groups) {
          const std::size_t i = group.original, top = selection[i], first = data.row(i, 0);
          const double rest = sample % 3 == 0 ? eps : eps * std::ldexp(double(random() % 1024), -10);
          const auto s = random_attention(random, data.tokens(i), top, rest, sample % 2 == 0);
          const auto score = effective_scores(*data.outputs, i, first, loss, s);
          double mean = 0;
          for (std::size_t t = 0; t < s.size(); ++t) mean += s[t] * score[t];
          for (std::size_t c = group.first; c < group.last; ++c) {
            const std::size_t t = facts.constraints[c].row - geometry.groups[i].first_row;
            const double factor = s[top] * (mean - score[t]) / 3;
            INFO("loss ", std::string(name(loss)), ", seed ", seed, ", eps ", eps, ", constraint ", c);
            CHECK(std::abs(factor) <= bounds->high[c].ball().approx_mid() + 1e-9);
            if (constants.inside[c]) CHECK(factor >= bounds->low[c].ball().approx_mid() - 1e-9);
          }
        }
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("factor bounds of heads of several outputs contain what they bound") {
  for (const Loss loss :
       {Loss::classifier, Loss::relu_logistic, Loss::relu_exponential, Loss::relu_correlation}) {
    int found = 0;
    for (unsigned seed = 0; seed < 12; ++seed) found += check_bounds(loss, seed);
    INFO("loss ", std::string(name(loss)));
    CHECK(found >= 20);
  }
}
