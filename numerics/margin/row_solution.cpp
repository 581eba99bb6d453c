// solve_margin_rows(): see solution.hpp.
#include <limits>
#include <new>
#include <utility>

#include "numerics/margin/enclosure.hpp"
#include "numerics/margin/exact.hpp"
#include "numerics/margin/lifted_guess.hpp"
#include "numerics/margin/prescan.hpp"
#include "numerics/margin/solution.hpp"
#include "numerics/margin/span_point.hpp"
#include "numerics/margin/spanning_conflict.hpp"
#include "numerics/numbers/exact_linear_solve.hpp"
#include "numerics/problem/integer_constraints.hpp"
#include "numerics/problem/scaled_constraints.hpp"

namespace attest {
namespace {

using Eigen::VectorXd;

// Rows of any sense. Doubles propose the active set by pivoting on the lifted columns, which takes rows of
// every sense alike.
class RowSolver {
 public:
  RowSolver(const TokenData& data, std::vector<MarginRow> rows, const MarginOptions& options)
      : options_(options),
        budget_(options.time_limit_seconds, options.memory_limit_bytes, options.progress, options.outer),
        data_(data),
        rows_(std::move(rows)) {}

  MarginSolution run() {
    try {
      decide();
    } catch (const BudgetReached& reached) {
      if (solution_.feasibility == Feasibility::undecided) solution_.reason = reached.reason;
    } catch (const std::bad_alloc&) {
      if (solution_.feasibility == Feasibility::undecided)
        solution_.reason = "memory: more is needed than --memory-limit allows";
    }
    return std::move(solution_);
  }

 private:
  void decide() {
    double began = budget_.elapsed_seconds();
    const auto lap = [&] {
      const double now = budget_.elapsed_seconds();
      return now - std::exchange(began, now);
    };
    solution_.statistics.path = "scan";
    if (find_small_conflict()) return;
    solution_.statistics.path += "+double";
    constraints_.emplace(data_, rows_);
    scaled_ = scale_constraints(*constraints_, budget_);
    std::vector<Sense> senses;
    std::vector<std::size_t> equalities;
    for (std::size_t c = 0; c < constraints_->size(); ++c) {
      senses.push_back(constraints_->row(c).sense);
      if (is_equality(*constraints_, c)) equalities.push_back(c);
    }
    const LiftedGuess guess = guess_lifted_passive_set(scaled_, equalities, budget_, senses);
    active_ = guess.at;
    solution_.statistics.guess_seconds = lap();
    const double exact_seconds = predicted_solve_seconds(active_.size(), constraints_->gram_bits());
    const bool exact_first = options_.form == Form::exact ||
                             (options_.form == Form::automatic && exact_seconds < cheap_exact_seconds);
    if (!exact_first) {
      solution_.statistics.path += "+ball";
      const bool proved = enclose();
      solution_.statistics.proof_seconds = lap();
      if (proved) return;
      if (exact_seconds > options_.longest_exact_seconds) {
        if (refute(guess)) return;
        solution_.reason = "precision: doubles do not tell the support, pivoting exactly with order " +
                           std::to_string(active_.size()) + " takes long (--form exact)";
        return;
      }
    }
    solution_.statistics.path += "+exact";
    budget_.report("exact", 0);
    budget_.needs_seconds(exact_seconds, "an exact solve");
    const double complementarity = options_.form == Form::exact ? std::numeric_limits<double>::infinity()
                                                                : 10 * options_.longest_exact_seconds;
    solve_exact_margin(*constraints_, active_, complementarity, budget_, solution_);
    solution_.statistics.exact_seconds = lap();
  }

  // A zero row or two opposite ones: these explain best.
  bool find_small_conflict() {
    std::vector<Conflict> conflicts = prescan_margin_rows(data_, rows_, budget_).conflicts;
    if (conflicts.empty()) return false;
    solution_.feasibility = Feasibility::infeasible;
    solution_.farkas = std::move(conflicts.front().farkas);
    return true;
  }

  // Proves infeasible what nearly vanishes: without a solution the guess's combination does.
  bool refute(const LiftedGuess& guess) {
    std::vector<std::size_t> at;
    std::vector<double> values;
    bool asks = false;
    for (std::size_t k = 0; k < guess.at.size(); ++k) {
      const std::size_t c = guess.at[k];
      if (guess.multiplier[k] == 0 || (guess.multiplier[k] < 0 && !is_equality(*constraints_, c))) continue;
      at.push_back(c);
      values.push_back(guess.multiplier[k]);
      asks = asks || asks_one(*constraints_, c);
    }
    if (!asks) return false;
    SpanPoint point = rounded_point(
        scaled_, Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
    measure(*constraints_, at, budget_, point);
    solution_.spanning_conflict = prove_spanning_conflict(*constraints_, scaled_, at, point, budget_);
    if (!solution_.spanning_conflict) return false;
    solution_.feasibility = Feasibility::infeasible;
    return true;
  }

  // As the solver of a selection does; false leaves it to the exact tier.
  bool enclose() {
    for (int round = 0; round < 8 && !active_.empty(); ++round) {
      const std::optional<ActiveGram> gram = ActiveGram::factorise(scaled_, active_);
      if (!gram) return false;
      VectorXd asked(static_cast<Eigen::Index>(active_.size()));
      for (std::size_t k = 0; k < active_.size(); ++k)
        asked[static_cast<Eigen::Index>(k)] = asks_one(*constraints_, active_[k]) ? 1 : 0;
      const VectorXd multipliers = gram->approx_solve(asked);
      if (!multipliers.allFinite() || multipliers.isZero(0)) return false;
      ActiveRefinement refinement(*constraints_, scaled_, *gram, active_, multipliers, budget_);
      if (!refinement.refine(options_.precision_bits)) return false;
      ActiveRefinement::Signs signs = refinement.signs();
      if (!signs.open.empty() && signs.leaving.empty() && signs.entering.empty()) {
        if (!refinement.refine(4 * options_.precision_bits)) return false;
        signs = refinement.signs();
      }
      solution_.statistics.precision_bits =
          std::max(solution_.statistics.precision_bits, refinement.working_bits());
      if (signs.proved()) {
        accept(refinement.enclosed(options_.precision_bits));
        return true;
      }
      if (signs.leaving.empty() && signs.entering.empty()) return false;
      active_ = signs.exchanged(active_);
    }
    return false;
  }

  void accept(EnclosedOptimum optimum) {
    solution_.feasibility = Feasibility::feasible;
    solution_.norm_squared = optimum.norm_squared;
    solution_.enclosed = std::move(optimum);
    solution_.support.emplace();
    bool all_ask = true;
    for (const std::size_t c : active_) {
      if (!is_equality(*constraints_, c)) solution_.support->push_back(constraints_->constraint(c));
    }
    for (std::size_t c = 0; c < constraints_->size(); ++c) all_ask = all_ask && asks_one(*constraints_, c);
    solution_.strictly_complementary = true;
    if (all_ask) decide_local_optimality(*constraints_, solution_);
  }

  const MarginOptions& options_;
  const Budget budget_;
  const TokenData& data_;
  const std::vector<MarginRow> rows_;
  std::optional<IntegerConstraints> constraints_;
  ScaledConstraints scaled_;
  std::vector<std::size_t> active_;
  MarginSolution solution_;
};

}  // namespace

MarginSolution solve_margin_rows(const TokenData& data, std::vector<MarginRow> rows,
                                 const MarginOptions& options) {
  if (rows.empty()) return vacuous_solution();
  return RowSolver(data, std::move(rows), options).run();
}

}  // namespace attest
