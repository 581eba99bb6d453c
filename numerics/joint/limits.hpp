// What a joint run is measured against: the decoder's direction, and the attention's in each problem that may
// be its limit (theory.md section 13).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/joint/direction.hpp"

namespace attest {

struct JointLimit {
  std::string problem;  // "plain", "shifted", "relaxed"
  Feasibility feasibility = Feasibility::undecided;
  std::optional<Direction> direction;     // once it is solved
  std::string reason;                     // while it is not
  std::vector<Constraint> conflict = {};  // where it is infeasible: rows that no W satisfies together
  // Whether every selected token wins along the direction, without which W cannot tend to it: asked of the
  // shifted problem alone, which may leave a margin negative; nothing while it is open.
  std::optional<bool> selects = std::nullopt;
};

struct JointLimits {
  Selection selection;
  std::optional<Direction> decoder;  // of decoder_dimension x 1 entries; multipliers by sequence
  std::string decoder_reason;        // where there is none
  std::optional<std::vector<std::size_t>> supporting;  // sequences with margin 1 at the decoder's solution
  std::vector<JointLimit> attention;                   // the problems that apply, the plain one first
};

// Solves them for the selection that a run leads to.
using JointLimitsOf = std::function<JointLimits(const Selection&)>;

}  // namespace attest
