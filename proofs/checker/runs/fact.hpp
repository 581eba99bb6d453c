// What a verified run claim leaves for later claims about the same run.
#pragma once

#include <map>

#include "proofs/checker/runs/point.hpp"
#include "proofs/checker/text/context.hpp"

namespace attest_check {

struct RunFact : Fact {
  Specification specification;
  StartPoint start;
  std::map<std::size_t, RunPoint> points;  // the exact trajectory's, at checkpoints that a later claim names
  std::size_t steps = 0;
  std::vector<PathPoint> path;  // at every step, if a later claim has asked for it

  // "optimizer … schedule … step … start …": which run it is.
  static void words(Statement& say, const RunFact& self) { say(self.specification, words_of(self.start)); }
};

}  // namespace attest_check
