#include "numerics/margin/solution.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "numerics/margin/enclosure.hpp"
#include "numerics/margin/exact.hpp"
#include "numerics/margin/guess.hpp"
#include "numerics/margin/prescan.hpp"
#include "numerics/margin/shared_query.hpp"
#include "numerics/margin/span_point.hpp"
#include "numerics/margin/spanning_conflict.hpp"
#include "numerics/margin/working_set.hpp"
#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

using Eigen::VectorXd;

// What is added to a Gram matrix of rows that depend on each other, of its largest diagonal entry: each
// correction then leaves this much of a residual, over the least eigenvalue that is not zero.
constexpr double kGramShift = 1e-11;

// Runs the tiers in order, each one counted in the statistics.
class TieredSolver {
 public:
  TieredSolver(const TokenData& data, const Selection& selection, const MarginOptions& options)
      : options_(options),
        budget_(options.time_limit_seconds, options.memory_limit_bytes, options.progress, options.outer),
        data_(data),
        selection_(selection) {}

  MarginSolution run() {
    try {
      decide();
    } catch (const BudgetReached& reached) {
      solution_.reason = reached.reason;
    } catch (const std::bad_alloc&) {
      // What was being made is given back by now.
      solution_.reason = "memory: more is needed than --memory-limit allows";
    }
    say_what_is_seen();
    return std::move(solution_);
  }

 private:
  void decide() {
    if (find_small_conflict()) return;
    constraints_.emplace(data_, selection_);
    scaled_.emplace(scale_constraints(*constraints_, budget_));
    enter("double");
    guess();
    const double exact_seconds = predicted_solve_seconds(guess_.active.size(), constraints_->gram_bits());
    const bool exact_first = options_.form == Form::exact ||
                             (options_.form == Form::automatic && exact_seconds < cheap_exact_seconds);
    if (!exact_first) {
      enter("ball");
      const bool proved = guess_.vanishing ? refute() : enclose();
      solution_.statistics.proof_seconds = lap();
      if (proved) return;
      if (exact_seconds > options_.longest_exact_seconds) {
        if (!guess_.vanishing && !refinement_) close_gap();
        solution_.reason = "precision: doubles do not tell the support, pivoting exactly with order " +
                           std::to_string(guess_.active.size()) + " takes long (--form exact)";
        return;
      }
    }
    enter("exact");
    budget_.report("exact", 0);
    budget_.needs_seconds(exact_seconds, "an exact solve");
    const double complementarity = options_.form == Form::exact ? std::numeric_limits<double>::infinity()
                                                                : 10 * options_.longest_exact_seconds;
    solve_exact_margin(*constraints_, guess_.active, complementarity, budget_, solution_);
    solution_.statistics.exact_seconds = lap();
  }

  // Rows that depend on each other have many multipliers, but one W: those seen in doubles are corrected
  // until the gap is as small as the bits asked for. What is negative by then leaves.
  void close_gap() {
    if (!guess_.best || !(guess_.best->least_margin > 0)) return;
    VectorXd multiplier = guess_.best->multiplier;
    for (int round = 0; round < 4; ++round) {
      const auto [at, values] = positive_part(multiplier, 0x1p-40);
      if (at.empty() || !budget_.affords(16.0 * static_cast<double>(at.size() * at.size()))) return;
      shifted_ = ActiveGram::factorise_shifted(*scaled_, at, kGramShift);
      if (!shifted_) return;
      balanced_ = at;
      auto refinement =
          std::make_unique<ActiveRefinement>(*constraints_, *scaled_, *shifted_, balanced_, values, budget_);
      if (!refinement->balance(2 * options_.precision_bits + 16)) return;
      solution_.statistics.precision_bits = refinement->working_bits();
      const std::vector<std::size_t> negative = refinement->negative();
      if (negative.empty()) {
        refinement_ = std::move(refinement);
        return;
      }
      for (const std::size_t c : negative) multiplier[static_cast<Eigen::Index>(c)] = 0;
    }
  }

  // Within a part of the time: what has been seen is to be proved in the rest.
  void guess() {
    const double left = budget_.remaining_seconds();
    const double proof = 2 * predicted_measure_seconds(*constraints_, 64) + 0.02;
    const Budget part(left < 0 ? 0 : std::max(left - proof, 0.5 * left) + 1e-9, 0, options_.progress,
                      &budget_);
    try {
      guess_margin_solution(*scaled_, part, guess_);
    } catch (const BudgetReached& reached) {
      solution_.statistics.guess_seconds = lap();
      budget_.poll();
      if (!reached.reason.starts_with("time: limit")) throw;
      throw BudgetReached{"time: limit reached, its last part kept for proving what was seen"};
    }
    solution_.statistics.guess_seconds = lap();
  }

  // At a limit, and where no tier settles the problem: the best pair seen proves feasibility with a gap, or
  // at least a bound of the margin. A short computation that no limit ends.
  void say_what_is_seen() {
    if (solution_.feasibility != Feasibility::undecided || !constraints_) return;
    try {
      if (refinement_ && refinement_->fill_gap(solution_)) return;
      if (!guess_.best) return;
      const auto [at, point] = measured(*guess_.best);
      if (at.empty() || fill_gap(*constraints_, at, point, solution_)) return;
      solution_.margin_bound = margin_bound(*constraints_, at, point);
    } catch (const std::bad_alloc&) {
    }
  }

  // The multipliers above this share of the largest one.
  static std::pair<std::vector<std::size_t>, VectorXd> positive_part(const VectorXd& multiplier,
                                                                     double share) {
    std::vector<std::size_t> at;
    std::vector<double> values;
    const double floor = multiplier.maxCoeff() * share;
    for (Eigen::Index c = 0; c < multiplier.size(); ++c) {
      if (!(multiplier[c] > floor)) continue;
      at.push_back(static_cast<std::size_t>(c));
      values.push_back(multiplier[c]);
    }
    return {std::move(at),
            Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()))};
  }

  // The point of the positive multipliers, with its exact margins.
  std::pair<std::vector<std::size_t>, SpanPoint> measured(const DualPoint& seen) const {
    auto [at, values] = positive_part(seen.multiplier, 0x1p-50);
    if (at.empty()) return {};
    SpanPoint point = rounded_point(*scaled_, values);
    measure(*constraints_, at, Budget(), point);
    return {std::move(at), std::move(point)};
  }

  // Proves infeasible what nearly vanishes.
  bool refute() {
    const auto [at, point] = measured(*guess_.best);
    if (at.empty()) return false;
    solution_.spanning_conflict = prove_spanning_conflict(*constraints_, *scaled_, at, point, budget_);
    if (!solution_.spanning_conflict) return false;
    solution_.feasibility = Feasibility::infeasible;
    solution_.locally_optimal = false;
    return true;
  }

  // A zero row, two opposite rows, a conflict of groups that share a query: these explain best, and the
  // problem of a shared query is one in R^d.
  bool find_small_conflict() {
    enter("scan");
    std::vector<Conflict> conflicts = prescan_margin_problem(data_, selection_, budget_).conflicts;
    // One query for all is the whole problem.
    if (conflicts.empty() && query_classes(data_, budget_).size() > 1)
      conflicts = shared_query_conflicts(data_, selection_, {}, 1, budget_).conflicts;
    if (conflicts.empty()) return false;
    solution_.feasibility = Feasibility::infeasible;
    solution_.farkas = std::move(conflicts.front().farkas);
    solution_.locally_optimal = false;
    return true;
  }

  void enter(const char* tier) {
    if (!solution_.statistics.path.empty()) solution_.statistics.path += '+';
    solution_.statistics.path += tier;
  }

  double lap() {
    const double now = budget_.elapsed_seconds();
    return now - std::exchange(lap_start_, now);
  }

  // Proves the guessed active set, correcting it where certain signs refute it. False: leave it to the exact
  // tier.
  bool enclose() {
    for (int round = 0; round < 8; ++round) {
      if (!guess_.gram || guess_.gram->size() != guess_.active.size() || guess_.active.empty()) return false;
      refinement_ = std::make_unique<ActiveRefinement>(*constraints_, *scaled_, *guess_.gram, guess_.active,
                                                       guess_.multiplier, budget_);
      budget_.report("proof", 0.1 * round);
      if (!refinement_->refine(options_.precision_bits)) return false;
      ActiveRefinement::Signs signs = refinement_->signs();
      if (!signs.open.empty() && signs.leaving.empty() && signs.entering.empty()) {
        // Nearly tied or tied: more bits settle the first case, only exact arithmetic the second.
        if (!refinement_->refine(4 * options_.precision_bits)) return false;
        signs = refinement_->signs();
      }
      solution_.statistics.precision_bits =
          std::max(solution_.statistics.precision_bits, refinement_->working_bits());
      if (signs.proved()) {
        accept_enclosure();
        return true;
      }
      if (signs.leaving.empty() && signs.entering.empty()) return false;
      exchange(signs);
    }
    return false;
  }

  void exchange(const ActiveRefinement::Signs& signs) {
    guess_.active = signs.exchanged(guess_.active);
    refinement_.reset();
    pivot_to_optimum(*scaled_, 1, budget_, guess_);
  }

  void accept_enclosure() {
    solution_.feasibility = Feasibility::feasible;
    solution_.enclosed = refinement_->enclosed(options_.precision_bits);
    solution_.norm_squared = solution_.enclosed->norm_squared;
    solution_.support = solution_.enclosed->multipliers.constraint;
    solution_.strictly_complementary = true;
    decide_local_optimality(*constraints_, solution_);
  }

  const MarginOptions& options_;
  const Budget budget_;
  const TokenData& data_;
  const Selection& selection_;
  MarginSolution solution_;
  std::optional<IntegerConstraints> constraints_;
  std::optional<ScaledConstraints> scaled_;
  MarginGuess guess_;
  std::optional<ActiveGram> shifted_;
  std::vector<std::size_t> balanced_;
  std::unique_ptr<ActiveRefinement> refinement_;  // of guess_.active, or of balanced_
  double lap_start_ = 0;
};

// All groups of a problem at hand.
class WholeScan final : public MarginScan {
 public:
  WholeScan(const TokenData& data, const Selection& selection) : data_(data), selection_(selection) {}
  std::vector<SeenRow> open_rows(const ScanRequest& request, const Budget& budget) override {
    return attest::open_rows(data_, selection_, 0, data_.groups(), request, budget);
  }

 private:
  const TokenData& data_;
  const Selection& selection_;
};

}  // namespace

MarginSolution vacuous_solution() {
  MarginSolution solution;
  solution.feasibility = Feasibility::feasible;
  solution.exact.emplace();
  solution.support.emplace();
  solution.strictly_complementary = true;
  solution.locally_optimal = true;
  return solution;
}

MarginSolution solve_margin_problem(const TokenData& data, const Selection& selection, MarginScan& scan,
                                    const MarginOptions& options) {
  if (constraint_count(data) == 0) return vacuous_solution();
  if (!suits_working_sets(data)) return TieredSolver(data, selection, options).run();
  // Half of the time for sets: the tiers know how to end with less than a solution.
  const Budget all(options.time_limit_seconds, options.memory_limit_bytes, {}, options.outer);
  MarginOptions some = options, rest = options;
  if (all.remaining_seconds() >= 0) some.time_limit_seconds = all.remaining_seconds() / 2;
  if (std::optional<MarginSolution> solution = solve_by_working_sets(data, selection, scan, some))
    return std::move(*solution);
  if (all.remaining_seconds() >= 0) rest.time_limit_seconds = std::max(all.remaining_seconds(), 1e-9);
  return TieredSolver(data, selection, rest).run();
}

MarginSolution solve_margin_problem(const TokenData& data, const Selection& selection,
                                    const MarginOptions& options) {
  WholeScan scan(data, selection);
  return solve_margin_problem(data, selection, scan, options);
}

}  // namespace attest
