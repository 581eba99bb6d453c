// Branch and bound over selections with learnt nogoods, and the local search for spaces too large for it.
#include "numerics/margin/selection_search.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace attest {
namespace {

// The walk is only started when the space is at most this many times the budget: pruning can cut that much.
constexpr std::size_t kPruningHope = 1000;
constexpr std::size_t kOpenListed = 1000;

class Stopwatch {
 public:
  explicit Stopwatch(const MarginOptions& options)
      : options_(options), budget_(options.time_limit_seconds, 0, {}, options.outer) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  bool expired() const { return budget_.reached(); }

  // Why the time is over; empty while it is not.
  std::string stopped_by() const {
    try {
      budget_.poll();
      return {};
    } catch (const BudgetReached& reached) {
      return reached.reason;
    }
  }

  // The options with the time that is left; good while this lives.
  MarginOptions remaining() const {
    MarginOptions options = options_;
    options.time_limit_seconds = 0;
    options.outer = &budget_;
    return options;
  }

 private:
  MarginOptions options_;
  Budget budget_;
};

// The selection problem of some of the groups.
TokenData restricted(const TokenData& data, const std::vector<std::size_t>& groups) {
  TokenData part;
  part.left_dimension = data.left_dimension;
  part.right_dimension = data.right_dimension;
  part.first_row.push_back(0);
  const std::size_t d = data.left_dimension, e = data.right_dimension;
  std::vector<Rational> tokens, queries;
  for (const std::size_t i : groups) {
    for (std::size_t row = data.first_row[i]; row < data.first_row[i + 1]; ++row) {
      for (std::size_t j = 0; j < d; ++j) tokens.push_back(data.token_factor.exact(row * d + j));
      part.scores.push_back(data.scores[row]);
      if (!data.multiplicities.empty()) part.multiplicities.push_back(data.multiplicities[row]);
    }
    for (std::size_t m = 0; m < e; ++m) queries.push_back(data.query_factor.exact(i * e + m));
    part.first_row.push_back(part.first_row.back() + data.tokens(i));
  }
  part.token_factor = ExactArray::from_rationals(std::move(tokens));
  part.query_factor = ExactArray::from_rationals(std::move(queries));
  return part;
}

// Depth-first walk. Level k decides group order_[k]; single-token groups never branch and carry no
// constraints.
class Walk {
 public:
  Walk(const TokenData& data, std::size_t budget, const MarginOptions& options, SearchCounts& counts,
       const std::function<bool(const Selection&, const MarginSolution&)>& visit)
      : data_(data),
        budget_(budget),
        watch_(options),
        counts_(counts),
        visit_(visit),
        selection_(data.groups(), 0) {
    for (std::size_t i = 0; i < data.groups(); ++i) {
      if (data.different(i) > 1) order_.push_back(i);
    }
    nogoods_.resize(order_.size());
    below_.assign(order_.size() + 1, Integer(1));
    for (std::size_t k = order_.size(); k-- > 0;) below_[k] = below_[k + 1] * data.different(order_[k]);
    for (std::size_t k = 0; k + 1 < order_.size(); ++k) {
      prefix_.push_back(
          restricted(data, {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(k) + 1}));
    }
  }

  bool run() { return descend(0); }

 private:
  using Nogood = std::vector<std::pair<std::size_t, std::size_t>>;  // (level, token), increasing

  bool spend() {
    if (spent_ >= budget_ || watch_.expired()) return false;
    ++spent_;
    return true;
  }

  bool excluded(std::size_t level) const {
    return std::any_of(nogoods_[level].begin(), nogoods_[level].end(), [&](const Nogood& nogood) {
      return std::all_of(nogood.begin(), nogood.end(),
                         [&](const auto& part) { return selection_[order_[part.first]] == part.second; });
    });
  }

  // Groups are numbered by level in prefix problems and by group in the full one.
  void learn(const ConstraintVector& farkas, bool by_level) {
    Nogood nogood;
    for (const Constraint& c : farkas.constraint) {
      const std::size_t level =
          by_level ? c.group
                   : static_cast<std::size_t>(std::lower_bound(order_.begin(), order_.end(), c.group) -
                                              order_.begin());
      if (nogood.empty() || nogood.back().first != level)
        nogood.emplace_back(level, selection_[order_[level]]);
    }
    if (!nogood.empty()) nogoods_[nogood.back().first].push_back(std::move(nogood));
  }

  // False: budget or time is used up, or the visitor stopped the walk.
  bool descend(std::size_t level) {
    if (level == order_.size()) return order_.empty() ? leaf() : true;
    const std::size_t group = order_[level];
    for (std::size_t token = 0; token < data_.tokens(group); ++token) {
      if (!data_.present(group, token)) continue;
      selection_[group] = token;
      if (excluded(level)) {
        counts_.pruned += below_[level + 1];
        continue;
      }
      if (level + 1 == order_.size()) {
        if (!leaf()) return false;
        continue;
      }
      if (!spend()) return false;
      ++counts_.partial;
      Selection part;
      for (std::size_t k = 0; k <= level; ++k) part.push_back(selection_[order_[k]]);
      const MarginSolution solution = solve_margin_problem(prefix_[level], part, watch_.remaining());
      if (solution.feasibility == Feasibility::infeasible) {
        if (solution.farkas) learn(*solution.farkas, true);
        counts_.pruned += below_[level + 1];
        continue;
      }
      if (!descend(level + 1)) return false;
    }
    return true;
  }

  bool leaf() {
    if (!spend()) return false;
    const MarginSolution solution = solve_margin_problem(data_, selection_, watch_.remaining());
    ++counts_.examined;
    if (solution.feasibility == Feasibility::infeasible) {
      ++counts_.infeasible;
      if (solution.farkas) learn(*solution.farkas, false);
    }
    return visit_(selection_, solution);
  }

  const TokenData& data_;
  std::size_t budget_;
  std::size_t spent_ = 0;
  Stopwatch watch_;
  SearchCounts& counts_;
  const std::function<bool(const Selection&, const MarginSolution&)>& visit_;
  Selection selection_;
  std::vector<std::size_t> order_;            // level -> group
  std::vector<TokenData> prefix_;             // level -> problem of groups order_[0..level]
  std::vector<std::vector<Nogood>> nogoods_;  // by deepest level
  std::vector<Integer> below_;                // selections of the levels from k on
};

// SplitMix64: a fixed, portable sequence (std distributions differ between libraries).
class RandomTokens {
 public:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  Selection selection(const TokenData& data) {
    Selection result;
    for (std::size_t i = 0; i < data.groups(); ++i) result.push_back(token(data, i));
    return result;
  }

  // One of the group's different tokens.
  std::size_t token(const TokenData& data, std::size_t group) {
    std::size_t skip = below(data.different(group)), t = 0;
    while (!data.present(group, t) || skip-- > 0) ++t;
    return t;
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 20231116;
};

// Calls `visit` on `start` and on all selections that differ from it in one group.
void visit_neighbourhood(const TokenData& data, const Selection& start,
                         const std::function<bool(const Selection&)>& visit) {
  if (!visit(start)) return;
  Selection neighbour = start;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      if (t == start[i] || !data.present(i, t)) continue;
      neighbour[i] = t;
      if (!visit(neighbour)) return;
    }
    neighbour[i] = start[i];
  }
}

// The local search's memory and the moves it makes.
class LocalSearch {
 public:
  LocalSearch(const TokenData& data, std::size_t budget, const MarginOptions& options,
              SelectionSearch& result, std::set<Selection>& seen, const std::function<void()>& proved)
      : data_(data), budget_(budget), watch_(options), result_(result), seen_(seen), proved_(proved) {}

  void run() {
    visit_neighbourhood(data_, best_selection(data_), [&](const Selection& s) {
      if (seen_.count(s) == 0) examine(s);
      return !exhausted();
    });
    // Every restart costs at least one step of this loop, so it ends even when nothing new is left to
    // examine.
    for (std::size_t attempt = 0; attempt < 4 * budget_ && !exhausted(); ++attempt)
      follow(random_.selection(data_));
  }

 private:
  bool exhausted() const {
    return spent_ >= budget_ || watch_.expired() || Integer(seen_.size()) >= result_.total;
  }

  // Follows training's moves from `selection` until a locally optimal, a known or an unrepairable selection.
  void follow(Selection selection) {
    std::size_t repairs = 0;
    while (!exhausted() && seen_.count(selection) == 0) {
      const MarginSolution solution = examine(selection);
      if (solution.feasibility == Feasibility::infeasible) {
        // Change one of the selected tokens that the Farkas vector blames.
        if (!solution.farkas || solution.farkas->constraint.empty() || repairs++ > 4 * data_.groups()) return;
        const std::size_t group =
            solution.farkas->constraint[random_.below(solution.farkas->constraint.size())].group;
        selection[group] = random_.token(data_, group);
      } else if (solution.feasibility == Feasibility::feasible && solution.locally_optimal == false &&
                 solution.local_witness) {
        const std::size_t group = solution.local_witness->group;
        std::size_t target = solution.local_witness->token;
        if (solution.support) {
          for (const Constraint& c : *solution.support) {
            if (c.group == group && data_.score(group, c.token) > data_.score(group, target))
              target = c.token;
          }
        }
        selection[group] = target;
      } else {
        return;
      }
    }
  }

  MarginSolution examine(const Selection& selection) {
    seen_.insert(selection);
    ++spent_;
    MarginSolution solution = solve_margin_problem(data_, selection, watch_.remaining());
    ++result_.counts.examined;
    if (proved_ && result_.counts.examined == 1) proved_();
    if (solution.feasibility == Feasibility::infeasible) ++result_.counts.infeasible;
    record(data_, selection, solution, result_);
    return solution;
  }

 public:
  static void record(const TokenData& data, const Selection& selection, const MarginSolution& solution,
                     SelectionSearch& result) {
    if (solution.feasibility == Feasibility::infeasible) return;
    if (solution.feasibility == Feasibility::undecided || !solution.locally_optimal) {
      ++result.counts.undecided;
      if (result.open.size() < kOpenListed) result.open.push_back(selection);
    } else if (*solution.locally_optimal) {
      result.found.push_back({selection, solution, !global_optimality_witness(data, selection).has_value()});
    }
  }

 private:
  const TokenData& data_;
  std::size_t budget_;
  std::size_t spent_ = 0;
  Stopwatch watch_;
  SelectionSearch& result_;
  std::set<Selection>& seen_;
  const std::function<void()>& proved_;  // may be empty
  RandomTokens random_;
};

// Does alpha refute B.D? Nothing when its support set is not decided.
std::optional<bool> refutes_support_condition(const Selection& alpha, const Selection& best,
                                              const MarginSolution& solution) {
  if (solution.feasibility == Feasibility::infeasible || alpha == best) return false;
  if (solution.feasibility == Feasibility::undecided || !solution.support) return std::nullopt;
  for (std::size_t i = 0; i < alpha.size(); ++i) {
    if (alpha[i] != best[i] &&
        std::binary_search(solution.support->begin(), solution.support->end(), Constraint{i, best[i]})) {
      return false;
    }
  }
  return true;
}

}  // namespace

Integer selection_count(const TokenData& data) {
  Integer count = 1;
  for (std::size_t i = 0; i < data.groups(); ++i) count *= data.different(i);
  return count;
}

std::size_t default_search_budget(const TokenData& data) {
  const std::size_t k = std::max<std::size_t>(constraint_count(data), 1);
  if (k > 20000) return 0;
  return std::clamp<std::size_t>(5000000 / (k * k), 4, 20000);
}

bool walk_selections(const TokenData& data, std::size_t budget, const MarginOptions& options,
                     SearchCounts& counts,
                     const std::function<bool(const Selection&, const MarginSolution&)>& visit) {
  return Walk(data, budget, options, counts, visit).run();
}

SelectionSearch find_locally_optimal(const TokenData& data, std::size_t budget, const MarginOptions& options,
                                     const std::function<void()>& proved) {
  SelectionSearch result;
  result.total = selection_count(data);
  const Stopwatch watch(options);
  std::set<Selection> seen;
  if (result.total <= Integer(budget) * kPruningHope) {
    result.method = "branch-and-bound";
    const std::size_t share =
        result.total <= budget ? 2 * budget : budget / 2;  // partial problems count as well
    result.complete = walk_selections(data, share, options, result.counts,
                                      [&](const Selection& selection, const MarginSolution& solution) {
                                        seen.insert(selection);
                                        if (proved && seen.size() == 1) proved();
                                        LocalSearch::record(data, selection, solution, result);
                                        return true;
                                      });
  }
  if (!result.complete) {
    const std::size_t spent = result.counts.examined + result.counts.partial;
    if (spent < budget && !watch.expired()) {
      result.method += result.method.empty() ? "local-search" : "+local-search";
      LocalSearch(data, budget - spent, watch.remaining(), result, seen, proved).run();
    }
    result.stopped_by = watch.stopped_by();
    result.time_limit_reached = result.stopped_by.starts_with("time");
    result.complete = Integer(seen.size()) == result.total;
    if (result.method.empty()) result.method = "none";
  }
  result.complete = result.complete && result.counts.undecided == 0;
  std::sort(result.found.begin(), result.found.end(), [](const FoundSelection& a, const FoundSelection& b) {
    if (a.solution.norm_squared.lo != b.solution.norm_squared.lo) {
      return a.solution.norm_squared.lo < b.solution.norm_squared.lo;
    }
    return a.selection < b.selection;
  });
  return result;
}

SupportSweep sweep_support_condition(const TokenData& data, const Selection& best, std::size_t budget,
                                     const MarginOptions& options) {
  SupportSweep sweep;
  sweep.total = selection_count(data) - 1;
  const Stopwatch watch(options);
  const auto consider = [&](const Selection& alpha, const MarginSolution& solution) {
    const std::optional<bool> refutes = refutes_support_condition(alpha, best, solution);
    if (!refutes) ++sweep.undecided;
    if (refutes == true) sweep.counterexample = alpha;
    return refutes != true;
  };
  std::set<Selection> seen{best};
  const auto examine = [&](const Selection& alpha) {
    if (sweep.examined + sweep.partial >= budget || watch.expired()) return false;
    if (!seen.insert(alpha).second) return true;
    const MarginSolution solution = solve_margin_problem(data, alpha, watch.remaining());
    ++sweep.examined;
    if (solution.feasibility == Feasibility::infeasible) ++sweep.infeasible;
    return consider(alpha, solution);
  };
  const bool walkable = sweep.total <= Integer(budget) * kPruningHope;
  bool going = true;
  if (!(sweep.total < budget)) {
    visit_neighbourhood(data, best, [&](const Selection& alpha) { return going = examine(alpha); });
  }
  if (going && walkable) {
    // The walk starts afresh and decides on its own; half the budget is kept for random selections where it
    // may not end.
    SearchCounts& counts = sweep;
    const SearchCounts before = std::exchange(counts, {});
    const std::size_t share = sweep.total < budget ? 2 * budget : budget / 2;
    sweep.complete = walk_selections(data, share, watch.remaining(), sweep, consider);
    if (sweep.complete || sweep.counterexample) return sweep;
    sweep.examined += before.examined;
    sweep.infeasible += before.infeasible;
    sweep.undecided += before.undecided;
  }
  RandomTokens random;
  for (std::size_t attempt = 0; going && attempt < 4 * budget; ++attempt)
    going = examine(random.selection(data));
  return sweep;
}

}  // namespace attest
