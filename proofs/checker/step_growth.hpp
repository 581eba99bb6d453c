// How much one step of an optimiser can stretch distances: an upper bound of the 2-norm of its Jacobian, in word-size
// fixed point (RUNS.md section 4).
#pragma once

#include <cstdint>
#include <vector>

#include "proofs/checker/run_point.hpp"

namespace attest_check {

// Enclosures valid for every matrix of a convex set, per group with more than one token.
struct GrowthPoint {
  const std::vector<std::vector<Interval>>* omega = nullptr;  // T1's weights, the reference's minus the others' sum
  const std::vector<GroupAttention>* attention = nullptr;
  std::vector<Interval> curvature;  // (l''/|l'|) / ((1/n)|l'|)
  Interval velocity_norm;           // ||V||
  Interval step_length;             // tau ||V||
  Interval step_size;               // eta
};

class StepGrowth {
 public:
  // `active`: the groups with more than one token.
  StepGrowth(const Features& features, const std::vector<std::size_t>& active);

  // An upper bound of the Jacobian's 2-norm on the set. Throws Imprecise when the enclosures are too wide.
  Interval operator()(Rule rule, const GrowthPoint& point) const;

 private:
  using Word = std::int64_t;
  struct Group {
    std::size_t tokens = 0;
    std::vector<Word> rows;   // tokens x left: differences to the first token over token_scale
    std::vector<Word> query;  // right: z_i over query_scale
    std::vector<Word> gram;   // z_i.z_j over query_scale^2, for every group j
    Word query_square = 0;    // upper bound of ||z_i||^2 over query_scale^2
  };

  std::size_t left_, right_;
  long token_exponent_ = 0, query_exponent_ = 0;  // token_scale = 2^token_exponent_ etc.
  std::vector<Group> groups_;
};

}  // namespace attest_check
