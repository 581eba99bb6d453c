// What the rows of the catalogue share: the instance's selection problem, the options, and margin problems
// solved on demand and at most once each.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "certify/catalogue/loss_enclosure.hpp"
#include "certify/catalogue/observation.hpp"
#include "certify/catalogue/optimum_geometry.hpp"
#include "certify/catalogue/row.hpp"
#include "certify/instance/instance.hpp"
#include "numerics/norms/optimum.hpp"
#include "numerics/numbers/budget.hpp"

namespace attest {

struct CatalogueOptions {
  Loss loss = Loss::logistic;
  MarginOptions margin;                    // its time limit and outer budget are for the whole catalogue
  std::size_t enumeration_budget = 20000;  // margin problems that B.D may solve
  std::uint64_t run_steps = 0;             // steps of each run; 0: no runs, and no proofs from points either
  std::optional<Rational>
      descent_step;  // of gradient descent; default: 1/beta, rounded down to a short number
  Rational normalised_step = Rational(1, 10);
  Rational potential = Rational(7, 4);  // P of mirror descent
  Rational mirror_step = 1;             // of mirror descent, constant
  std::uint64_t mirror_steps = 0;       // of its run; 0: none
  std::size_t rank = 0;                 // of row B.L3; 0: what every solution has
  std::optional<SelectedSets> sets;     // that row B.gen speaks of; nothing: the selection's single tokens
  std::optional<std::vector<Rational>> ratios;  // of their attention, one for each of FiniteEquations
};

// Steps of a run that take a second or two on this instance, at most 10000; 0 when a single one takes long.
std::uint64_t default_run_steps(const TokenData& data);

// A margin problem with its answer.
struct SolvedSelection {
  Selection selection;
  MarginSolution solution;
  std::optional<OptimumGeometry> geometry;  // of W*; absent when infeasible, undecided or without constraints
};

class MirrorStudy;  // mirror_study.hpp

class CatalogueContext {
 public:
  // `selection` is the instance's chosen alpha. The instance must outlive the context. What computes below
  // throws BudgetReached; check_catalogue() makes it the reason of the row at hand.
  CatalogueContext(const Instance& instance, Selection selection, CatalogueOptions options);
  // The same with the instance's token_data(), which must outlive the context, too.
  CatalogueContext(const Instance& instance, const TokenData& data, Selection selection,
                   CatalogueOptions options);

  const Instance& instance() const { return instance_; }
  const TokenData& data() const { return data_; }
  const CatalogueOptions& options() const { return options_; }
  const Selection& selection() const { return selection_; }
  const Selection& best() const { return best_; }  // opt: argmax of the scores, the first one on a tie
  const std::optional<ScoreTie>& tie() const { return tie_; }

  const SolvedSelection& solved() { return solve(selection_); }
  const SolvedSelection& solved_best() { return solve(best_); }
  // Of a selection that is feasible, in a norm other than the Euclidean one; large problems are not begun.
  const NormAnswer& solved_in(const NormRequest& request, const Selection& selection);
  // For the rows about mirror descent.
  MirrorStudy& mirror();

  CatalogueContext(const CatalogueContext&) = delete;
  CatalogueContext& operator=(const CatalogueContext&) = delete;

  // Margin options inside the catalogue's budget: a solver called too late answers "undecided" by its own
  // rules.
  MarginOptions remaining() const;
  const Budget& budget() const { return budget_; }

  // From here on budget() ends with half of the time that is left, if there is a limit: one row that takes
  // long does not leave the others without an answer.
  void begin_row();
  // Is the time of the whole catalogue over?
  bool time_is_over() const { return whole_.reached(); }

  // The solution of the chosen selection's problem, where it is known.
  void adopt(MarginSolution solution) { known_ = std::move(solution); }

  // Rows that are already decided, by id: several rows are hypotheses of others.
  std::map<std::string, Row, std::less<>>& decided() { return decided_; }

  // The run of this rule from the instance's W0, else from 0: gradient descent until a theorem about all
  // later steps is proved, the others to the end of options().run_steps. Made at most once. Null when no run
  // is to be made.
  std::shared_ptr<const Observation> run(std::string_view rule);
  // The gradient descent of the options; nothing when its step is neither given nor enclosed.
  std::optional<OptimizerSpec> descent() const;
  // For run_steps > 0.
  const RunGeometry& geometry();
  // T6's beta, once.
  const std::optional<Interval>& smoothness() const;

  // Largest and smallest score of all tokens.
  const Rational& least_score() const { return least_score_; }
  const Rational& greatest_score() const { return greatest_score_; }

 private:
  CatalogueContext(const Instance& instance, std::unique_ptr<const TokenData> made, Selection selection,
                   CatalogueOptions options);
  const SolvedSelection& solve(const Selection& selection);

  const Instance& instance_;
  std::unique_ptr<const TokenData> made_;  // unless the caller holds it
  const TokenData& data_;
  Selection selection_;
  CatalogueOptions options_;
  Budget whole_;
  Budget budget_;  // of the row at hand; within the whole one
  Selection best_;
  std::optional<ScoreTie> tie_;
  Rational least_score_;
  Rational greatest_score_;
  std::optional<MarginSolution> known_;  // of the chosen selection
  std::map<Selection, SolvedSelection> solved_;
  std::map<std::pair<std::string, Selection>, NormAnswer> solved_in_;
  std::shared_ptr<MirrorStudy> mirror_;
  std::map<std::string, Row, std::less<>> decided_;
  mutable std::optional<std::optional<Interval>> smoothness_;  // once asked for
  std::unique_ptr<RunGeometry> geometry_;
  std::map<const UpdateRule*, std::shared_ptr<const Observation>> runs_;
};

// "(group, token)".
std::string show(const Constraint& c);
// "[a, b, c]", shortened in the middle when long.
std::string show(const Selection& selection);

// Hypotheses that several rows share.
Hypothesis best_tokens_unique(const CatalogueContext& context);
Hypothesis some_constraint(const CatalogueContext& context);
Hypothesis feasible(const std::string& which, const SolvedSelection& solved);
Hypothesis equal_other_scores(const CatalogueContext& context);
Hypothesis loss_assumption(CatalogueContext& context);  // row B.A as a hypothesis (loss_rows.cpp)
Hypothesis descent_step_small(const CatalogueContext& context);
// The verdict of another row as a hypothesis of this one.
Hypothesis as_hypothesis(const std::string& title, const Row& row, const std::string& when_it_holds);

// Settles a row whose conclusion is that training tends to the direction of W_mm(claimed), `which` being its
// name: the hypotheses, then what the run shows. `theirs`: what remains the paper's. `seen` may be null: no
// run was made.
void conclude_by_run(Row& row, std::shared_ptr<const Observation> seen, const Selection& claimed,
                     const std::string& which, const std::string& theirs);

}  // namespace attest
