// Enumeration of selections: all locally optimal ones, and the condition B.D over all selections other than
// opt.
//
// Complete search is a depth-first walk over the groups with more than one token. A partial selection whose
// margin problem is infeasible cannot be completed to a feasible one (constraints only grow), so its subtree
// is cut; every Farkas vector also yields a nogood, the tokens selected in the groups it uses, which cuts
// every later selection that contains them. Where the walk would exceed the budget, a documented local search
// takes over: the argmax selection, its single-token changes, then random restarts with a fixed seed, each
// followed along the moves that training makes (from a selection with a better or equal support token to that
// token).
//
// Budgets count margin problems solved, so results are deterministic; only a time limit makes them depend on
// speed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// Product of the groups' token counts.
Integer selection_count(const TokenData& data);

// A number of margin problems that takes seconds: fewer when the problems are larger. At most 20000, 0 beyond
// 20000 constraints.
std::size_t default_search_budget(const TokenData& data);

struct SearchCounts {
  std::size_t examined = 0;    // selections whose margin problem was solved
  std::size_t infeasible = 0;  // of these
  std::size_t undecided = 0;   // of these: the solver or the property asked for stayed undecided
  std::size_t partial = 0;     // partial selections solved on the way
  Integer pruned = 0;          // selections excluded without solving them: they contain an infeasible part
};

// Walks all selections. `visit` gets each one that is not excluded, with its solution (feasibility may be
// any); returning false stops the walk. Returns true when every selection was visited or excluded with proof.
// `counts.undecided` is left to the caller.
bool walk_selections(const TokenData& data, std::size_t budget, const MarginOptions& options,
                     SearchCounts& counts,
                     const std::function<bool(const Selection&, const MarginSolution&)>& visit);

struct FoundSelection {
  Selection selection;
  MarginSolution solution;
  bool globally_optimal = false;
};

struct SelectionSearch {
  Integer total = 0;      // number of selections of the instance
  bool complete = false;  // proved: `found` are all locally optimal selections
  std::string method;     // "branch-and-bound", "local-search" or both joined by "+"
  bool time_limit_reached = false;
  std::string stopped_by;  // "time: ..." or "interrupted: ..." when the search was ended from outside
  SearchCounts counts;
  std::vector<FoundSelection>
      found;                    // locally optimal, by increasing ||W*||^2 (decreasing margin), then selection
  std::vector<Selection> open;  // undecided selections, the first 1000
};

// All locally optimal selections when the budget allows (`complete`), else those the local search finds.
// `proved` (may be empty) is called once something is proved that ending the process would lose.
SelectionSearch find_locally_optimal(const TokenData& data, std::size_t budget, const MarginOptions& options,
                                     const std::function<void()>& proved = {});

struct SupportSweep : SearchCounts {
  Integer total = 0;  // selections other than opt
  bool complete = false;
  std::optional<Selection>
      counterexample;  // feasible, and opt_i is no support token wherever alpha_i != opt_i
};

// B.D: looks for a selection alpha != best such that no i with alpha_i != best_i has best_i among the support
// tokens of alpha. Complete when every selection was covered.
SupportSweep sweep_support_condition(const TokenData& data, const Selection& best, std::size_t budget,
                                     const MarginOptions& options);

}  // namespace attest
