// What every theorem about all later steps is to the rest of the program: a type with
//
//   static constexpr TheoremFamily family;      static constexpr const char* name;         "T10"
//   static constexpr bool sharp;                does its bound of the residual stay bounded?
//   static std::optional<ForeverProof> prove(const TheoremPoint& point);
//
// whose members are the constants that make up its evidence. To add one: its type in a file of its own, an
// entry of ForeverTheorem (proof.hpp), and its words in certify/certificates/forever_evidence.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/forever/start_point.hpp"
#include "numerics/forever/support_facts.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct ForeverProof;

// Theorems of one family do the same for a run, so one of them is enough. From the cheapest to the dearest:
enum class TheoremFamily {
  lock_in,       // the loss alone keeps every later step at the best tokens
  region,        // an absorbing region around the ray
  inner_region,  // the sharp rate, in the region of a proof of that family from the same point
  sharp          // the sharp rate in a region of its own
};

// The steps still to come from t0 on: their rule, schedule and sup_{t >= t0} eta_t = eta_t0 (schedules do not
// grow).
struct LaterSteps {
  OptimizerSpec spec;
  std::uint64_t start = 0;
  BallNumber largest{0.0};
  LaterSteps(const OptimizerSpec& optimizer, std::uint64_t t0);
  // A lower bound of sum_{t0 <= s < t} eta_s.
  BallNumber total_until(std::uint64_t t) const;
};

// One point of an iteration with everything that a theorem may use there: enclosures to prove with, midpoints
// to choose constants by.
struct TheoremPoint {
  const SelectionFacts<BallNumber>& facts;
  const SelectionFacts<double>& guess;
  const SupportFacts<BallNumber>* support;        // null when there are none
  const SupportFacts<double>& support_guess;      // only if there are
  const std::vector<std::vector<bool>>& regions;  // P's to try (region_sets)
  const StartPoint<BallNumber>& start;
  StartPoint<double> start_guess;
  LaterSteps steps;
  // Of a lock-in: only if every selected token keeps more than half of its group's attention.
  bool dominating = false;
  // Of an inner region: the proof of the region around it.
  const ForeverProof* region = nullptr;
};

}  // namespace attest
