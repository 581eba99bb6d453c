// What a claim about a run says of the iteration, and the losses it trains (RUNS.md section 1).
#pragma once

#include <vector>

#include "proofs/checker/base/interval.hpp"
#include "proofs/checker/runs/rule.hpp"
#include "proofs/checker/runs/schedule.hpp"
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

// The steps of an iteration whose rules have these names.
template <class Rules, const auto& names>
struct Steps {
  Rules rule{};
  Schedule schedule = Schedule::constant;
  Rational step;

  // eta_t; decreasing in t.
  Interval step_size(std::size_t t, unsigned bits) const {
    return schedule_law(schedule).size(Interval(step, bits), Interval(static_cast<long>(t + 1)), bits);
  }

  // "optimizer … schedule … step …".
  static void words(auto& say, auto& self) {
    say("optimizer");
    say.one_of(names, self.rule);
    say("schedule");
    say.one_of(schedule_names, self.schedule);
    say("step");
    say.positive(self.step);
  }
};

// W_{t+1} = W_t + tau_t V(W_t).
using Specification = Steps<Rule, rule_names>;

// W_0, left x right entries in rows; empty: zero.
using StartPoint = std::vector<Rational>;

// "start zero" or "start sha256 HEX", as statements have it.
std::string words_of(const StartPoint& start);
// The line "start …".
StartPoint read_start(Reader& in);

// Squared length of <Delta, Delta> for two tokens of a group, exactly.
Rational token_distance_squared(const Features& features, std::size_t group, std::size_t a, std::size_t b);

}  // namespace attest_check
