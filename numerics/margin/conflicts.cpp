#include "numerics/margin/conflicts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "numerics/margin/primal_dual.hpp"
#include "numerics/margin/shared_query.hpp"
#include "numerics/margin/soft_margin.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/problem/group_subset.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// What the search may cost, in seconds as they are predicted: the same everywhere. A conflict that takes
// longer than the second one to prove has too many rows to explain anything; the third is for making one
// conflict smaller.
constexpr double most_seconds = 20, most_seconds_once = 0.4, most_seconds_reducing = 3;

// Some W = sum value_k D_at[k], a guess.
struct Combination {
  std::vector<std::size_t> at;  // constraint numbers, increasing
  VectorXd value;
};

class Explainer {
 public:
  Explainer(const TokenData& data, const Selection& selection, const Budget& budget)
      : data_(data),
        selection_(selection),
        budget_(budget),
        rows_(data, selection),
        scaled_(scale_constraints(rows_, budget)),
        used_(data.groups(), false) {}

  Explanation run(const ConstraintVector* farkas) {
    try {
      const std::vector<Conflict> seen = prescan_margin_problem(data_, selection_, budget_).conflicts;
      find_conflicts_alone(seen);
      const std::vector<bool> alone = used_;
      SeparableGuess guess = guess_separable_groups(scaled_, alone, budget_);
      Combination best{std::move(guess.at), std::move(guess.value)};
      keep_if_better(best);
      complete_ = guess.violated.empty();
      if (!complete_) {
        for (const Conflict& conflict : seen) add_known(conflict);
        for (Conflict& conflict :
             shared_query_conflicts(data_, selection_, used_, data_.groups(), budget_).conflicts)
          add_known(std::move(conflict));
        if (farkas != nullptr) add_known(make_conflict(*farkas));
        find_conflicts_together(best);
        add_groups_back(alone);
      }
    } catch (const BudgetReached& reached) {
      obstacle_ = reached.reason;
    }
    if (!complete_) found_.reason = obstacle_;
    return std::move(found_);
  }

 private:
  // --- conflicts of one group

  // `seen`: conflicts of the scan, which finds all zero rows and, within a group, all opposite rows.
  void find_conflicts_alone(const std::vector<Conflict>& seen) {
    for (const Conflict& conflict : seen) {
      if (conflict.groups.size() == 1) add(conflict);
    }
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      budget_.poll();
      const std::size_t begin = scaled_.first[i], end = scaled_.first[i + 1];
      if (begin == end || used_[i] || looks_separable(begin, end)) continue;
      if (auto conflict = conflict_within({i})) add(std::move(*conflict));
    }
  }

  // Rows of one group with a query other than 0: a vector u with <dx_c, u> > 0 is sought for a while.
  bool looks_separable(std::size_t begin, std::size_t end) const {
    const auto count = static_cast<Index>(end - begin);
    const auto rows = scaled_.difference.middleRows(static_cast<Index>(begin), count);
    const VectorXd norms = rows.rowwise().squaredNorm();
    if (norms.minCoeff() <= 0) return false;
    VectorXd u = VectorXd::Zero(scaled_.d());
    for (Index k = 0; k < 40 * count; ++k) {
      Index low = 0;
      const VectorXd margins = (rows * u).array() / norms.array().sqrt();
      if (margins.minCoeff(&low) > 1e-6) return true;
      u += (1 - margins[low]) / std::sqrt(norms[low]) * rows.row(low).transpose();
    }
    return false;
  }

  // --- conflicts of several groups

  void add_known(Conflict conflict) {
    const bool is_new =
        std::none_of(conflict.groups.begin(), conflict.groups.end(), [&](std::size_t i) { return used_[i]; });
    if (is_new) add(reduced(std::move(conflict)));
  }

  // Grows conflicts, from what the best W leaves on, until what is not in one is separable or the work is
  // done.
  void find_conflicts_together(const Combination& best) {
    Combination w = best;
    for (;;) {
      const Grown grown = grow(unused(), {}, w);
      if (grown == Grown::gave_up) return;
      if (grown == Grown::separable) {
        complete_ = true;
        keep_if_better(w);
        return;
      }
      w = best;
    }
  }

  std::vector<bool> unused() const {
    std::vector<bool> candidates = used_;
    candidates.flip();
    return candidates;
  }

  enum class Grown { conflict, separable, gave_up };

  // Solves for ever more of the candidates, always those that the W for the ones before violates most, until
  // they are infeasible (then a conflict is added) or nothing is violated (then `w` is what separates).
  // `chosen`: to begin with.
  Grown grow(const std::vector<bool>& candidate, std::vector<std::size_t> chosen, Combination& w) {
    for (;;) {
      budget_.poll();
      const std::vector<std::size_t> violated = violated_groups(candidate, chosen, w);
      if (violated.empty()) return Grown::separable;
      const std::size_t more = std::min(violated.size(), 1 + chosen.size() / 3);
      chosen.insert(chosen.end(), violated.begin(), violated.begin() + static_cast<std::ptrdiff_t>(more));
      std::sort(chosen.begin(), chosen.end());
      const GroupSubset subset = group_subset(data_, selection_, chosen);
      if (!affords(subset)) return Grown::gave_up;
      const MarginSolution solution = solve(subset);
      if (solution.feasibility == Feasibility::undecided ||
          (solution.feasibility == Feasibility::infeasible && !solution.farkas)) {
        obstacle_ = solution.reason.empty() ? "size: no short proof" : solution.reason;
        return Grown::gave_up;
      }
      if (solution.feasibility == Feasibility::infeasible) {
        if (collects_) add(reduced(conflict_of(subset, *solution.farkas)));
        return Grown::conflict;
      }
      w = combination(subset, solution);
    }
  }

  // Candidates whose least margin is not positive at w, worst first; none of the chosen ones.
  std::vector<std::size_t> violated_groups(const std::vector<bool>& candidate,
                                           const std::vector<std::size_t>& chosen,
                                           const Combination& w) const {
    const VectorXd margins = approx_margins(scaled_, approx_combination(scaled_, w.at, w.value));
    const double scale = margins.size() == 0 ? 0 : margins.cwiseAbs().maxCoeff();
    std::vector<std::pair<double, std::size_t>> low;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      const auto begin = static_cast<Index>(scaled_.first[i]);
      const auto count = static_cast<Index>(scaled_.first[i + 1]) - begin;
      if (!candidate[i] || count == 0 || std::binary_search(chosen.begin(), chosen.end(), i)) continue;
      const double least = margins.segment(begin, count).minCoeff();
      if (least <= 1e-10 * scale) low.emplace_back(least, i);
    }
    std::sort(low.begin(), low.end());
    std::vector<std::size_t> groups;
    for (const auto& [margin, group] : low) groups.push_back(group);
    return groups;
  }

  // W of a feasible subset in the numbers of the whole problem.
  Combination combination(const GroupSubset& subset, const MarginSolution& solution) const {
    const auto known = primal_dual(solution);
    const ConstraintVector& w = known != nullptr ? known->primal() : *solution.separator;
    Combination whole;
    whole.value.resize(static_cast<Index>(w.size()));
    Rational largest = 0;
    for (std::size_t k = 0; k < w.size(); ++k) largest = std::max(largest, Rational(abs(w.value(k))));
    for (std::size_t k = 0; k < w.size(); ++k) {
      whole.at.push_back(number(subset.whole(w.constraint[k])));
      whole.value[static_cast<Index>(k)] = (w.value(k) / largest).convert_to<double>();
    }
    return whole;
  }

  std::size_t number(const Constraint& c) const {
    std::size_t at = scaled_.first[c.group];
    while (rows_.constraint(at) != c) ++at;
    return at;
  }

  // --- exact problems of a few groups

  // Two hundred sweeps in doubles, then a solve in long numbers.
  double predicted_seconds(const GroupSubset& subset) const {
    const std::size_t d = subset.data.left_dimension, e = subset.data.right_dimension;
    const std::size_t rows = constraint_count(subset.data);
    const double sweep =
        3 * static_cast<double>(rows * d) + 2 * static_cast<double>(subset.groups.size() * d * e);
    return 200e-9 * sweep + predicted_solve_seconds(std::min(rows, d * e), rows_.gram_bits());
  }

  bool affords(const GroupSubset& subset) {
    const double seconds = predicted_seconds(subset);
    work_ += seconds;
    if (work_ <= most_seconds && seconds <= most_seconds_once) return true;
    obstacle_ = "size: conflicts of more sequences were not looked for";
    return false;
  }

  MarginSolution solve(const GroupSubset& subset) const {
    MarginOptions options;
    options.precision_bits = 64;
    options.outer = &budget_;
    MarginSolution solution = solve_margin_problem(subset.data, subset.selection, options);
    budget_.poll();  // the solver's own answer to a reached budget is not this search's
    return solution;
  }

  static Conflict conflict_of(const GroupSubset& subset, ConstraintVector farkas) {
    for (Constraint& c : farkas.constraint) c = subset.whole(c);
    return make_conflict(std::move(farkas));
  }

  // Nothing when they are separable, or when that would take too long to see.
  std::optional<Conflict> conflict_within(const std::vector<std::size_t>& groups) {
    const GroupSubset subset = group_subset(
        data_, selection_, groups, share_query(groups) ? SubsetQueries::shared : SubsetQueries::kept);
    if (!affords(subset)) return std::nullopt;
    const MarginSolution solution = solve(subset);
    if (!solution.farkas) return std::nullopt;
    return conflict_of(subset, *solution.farkas);
  }

  bool share_query(const std::vector<std::size_t>& groups) const {
    const std::size_t e = data_.right_dimension;
    for (std::size_t j = 0; j < e; ++j) {
      const Rational first = data_.query_factor.exact(groups.front() * e + j);
      for (const std::size_t i : groups) {
        if (data_.query_factor.exact(i * e + j) != first) return false;
      }
    }
    return true;
  }

  // Leaves out one group after the other as long as the rest, with all its rows, is in conflict (deletion
  // filtering).
  Conflict reduced(Conflict conflict) {
    for (std::size_t k = 0; conflict.groups.size() > 1 && k < conflict.groups.size();) {
      std::vector<std::size_t> rest = conflict.groups;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      if (auto smaller = conflict_within(rest)) {
        // Those before k are needed by every conflict within the old one.
        const std::size_t needed =
            static_cast<std::size_t>(std::count_if(smaller->groups.begin(), smaller->groups.end(),
                                                   [&](std::size_t i) { return i < conflict.groups[k]; }));
        k = needed;
        conflict = std::move(*smaller);
      } else {
        ++k;
      }
    }
    return conflict;
  }

  void add(Conflict conflict) {
    for (const std::size_t i : conflict.groups) used_[i] = true;
    found_.conflicts.push_back(std::move(conflict));
  }

  // --- the rest that is separable

  // Tries the groups of the drop set one by one; those that are in conflict alone have no chance.
  void add_groups_back(const std::vector<bool>& alone) {
    if (!found_.drop) return;
    collects_ = false;
    const std::vector<std::size_t> tried = found_.drop->groups;
    for (const std::size_t i : tried) {
      if (found_.drop->groups.size() <= found_.conflicts.size()) return;  // proved to be the fewest
      if (alone[i] || !std::binary_search(found_.drop->groups.begin(), found_.drop->groups.end(), i))
        continue;
      std::vector<bool> candidate(data_.groups(), true);
      for (const std::size_t out : found_.drop->groups) candidate[out] = out == i;
      Combination w = last_;
      if (grow(candidate, {}, w) == Grown::separable) keep_if_better(w);
    }
  }

  // Proves what w separates, exactly, and keeps it if that leaves out fewer groups than before.
  void keep_if_better(const Combination& w) {
    ConstraintVector separator;
    std::vector<std::size_t> at;
    std::vector<Integer> values;
    constexpr int bits = 50;  // of the largest coefficient
    const double largest = w.value.size() == 0 ? 0 : w.value.cwiseAbs().maxCoeff();
    for (std::size_t k = 0; k < w.at.size(); ++k) {
      const double scaled = std::nearbyint(std::ldexp(w.value[static_cast<Index>(k)] / largest, bits));
      if (scaled == 0) continue;
      at.push_back(w.at[k]);
      values.emplace_back(static_cast<long long>(scaled));
    }
    if (at.empty()) return;
    const std::vector<Integer> margins = rows_.products(at, values, budget_);
    std::optional<Integer> least;  // of the groups that are kept
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      const auto begin = margins.begin() + static_cast<std::ptrdiff_t>(scaled_.first[i]);
      const auto end = margins.begin() + static_cast<std::ptrdiff_t>(scaled_.first[i + 1]);
      if (begin == end) continue;
      const Integer lowest = *std::min_element(begin, end);
      if (lowest <= 0) {
        left_out.push_back(i);
      } else if (!least || lowest < *least) {
        least = lowest;
      }
    }
    if (!least || (found_.drop && found_.drop->groups.size() <= left_out.size())) return;
    last_ = w;
    found_.drop = DropSet{std::move(left_out), {}};
    set_separator(found_.drop->separator, at, values, rows_.gram_scale() * *least);
  }

  // W / margin, rounded up to a power of two: all margins are 1 at least.
  void set_separator(ConstraintVector& separator, const std::vector<std::size_t>& at,
                     std::vector<Integer>& values, const Rational& margin) const {
    long shift = 0;  // W * 2^shift has margins of at least 1
    const auto* raw = margin.backend().data();
    shift = static_cast<long>(mpz_sizeinbase(mpq_denref(raw), 2)) -
            static_cast<long>(mpz_sizeinbase(mpq_numref(raw), 2)) + 1;
    for (std::size_t k = 0; k < at.size(); ++k) {
      separator.constraint.push_back(rows_.constraint(at[k]));
      separator.numerator.push_back(shift > 0 ? values[k] << static_cast<unsigned>(shift) : values[k]);
    }
    if (shift < 0) separator.denominator = Integer(1) << static_cast<unsigned>(-shift);
  }

  const TokenData& data_;
  const Selection& selection_;
  const Budget& budget_;
  IntegerConstraints rows_;
  ScaledConstraints scaled_;
  std::vector<bool> used_;  // groups of the conflicts
  Explanation found_;
  bool collects_ = true;  // does growing add what it finds?
  Combination last_;      // that the drop set was proved with
  double work_ = 0;
  bool complete_ = false;  // is what is in no conflict separable?
  std::string obstacle_;   // what the last search ended at
};

}  // namespace

Explanation explain_infeasibility(const TokenData& data, const Selection& selection,
                                  const ConstraintVector* farkas, const Budget& budget) {
  if (constraint_count(data) == 0) return {};
  try {
    return Explainer(data, selection, budget).run(farkas);
  } catch (const BudgetReached& reached) {  // before the rows were scaled
    Explanation nothing;
    nothing.reason = reached.reason;
    return nothing;
  }
}

}  // namespace attest
