// Rows about the speed of convergence in self-attention: C.ngd, C.polyak, C.sparse.
#include <algorithm>
#include <iterator>

#include "certify/catalogue/catalogue.hpp"
#include "certify/decimal.hpp"

namespace attest {
namespace {

// "1 - corr <= c shape" for paper C's shapes, with the least c on the steps of the run.
std::string describe_shapes(const Observation& seen) {
  static const char* const names[] = {"1/t", "log(t)/t", "log(t)^2/sqrt(t)", "t^(-1/2)", "t^(-3/4)"};
  std::string text;
  for (const RateShape& shape : seen.shapes) {
    if (std::find(std::begin(names), std::end(names), shape.name) == std::end(names) || shape.whole.to == 0) continue;
    if (!(shape.whole.hi < std::numeric_limits<double>::infinity())) continue;
    text += text.empty() ? "1-corr <= c shape(t) up to t = " + std::to_string(shape.whole.to) + " with least c " : ", ";
    text += decimal_up(Rational(shape.whole.hi), 6) + " for " + shape.name;
  }
  return text.empty() ? text : text + "; ";
}

std::string describe(const Observation::Sparsity& sparsity) {
  return "max 1-s <= exp(-c ||W||) for " + std::to_string(sparsity.from) + " <= t <= " + std::to_string(sparsity.to) +
         " with c = " + (sparsity.c ? decimal_down(sparsity.c->lo, 6) : "0") + "; ";
}

std::string describe_sparsity(const Observation& seen) {
  std::string text;
  if (seen.sparsity) text += describe(*seen.sparsity);
  if (seen.late_sparsity) text += describe(*seen.late_sparsity);
  return text;
}

struct Claim {
  const char* id;
  const char* statement;
  UpdateRule rule;
  std::string (*speed)(const Observation& seen);
};

void check_rate(CatalogueContext& context, const Row& conditions, const Claim& claim, Row& row) {
  const Loss loss = context.options().loss;
  row.require("logistic or exponential loss", loss == Loss::correlation ? Verdict::fails : Verdict::holds, name(loss));
  row.require(some_constraint(context));
  row.require(as_hypothesis("C.global", conditions, "the data conditions in their strictest form"));
  row.require(feasible("opt", context.solved_best()));
  settle(row);
  if (row.verdict != Verdict::fails && context.solved_best().solution.feasibility == Feasibility::feasible) {
    const std::shared_ptr<const Observation> seen = context.run(claim.rule);
    conclude_by_run(row, seen, context.best(), "opt", "the rate that holds on all such data is the paper's theorem (recalled)");
    if (seen && seen->selection == context.best()) row.conclusion.insert(0, claim.speed(*seen));
  }
}

}  // namespace

std::vector<Row> check_rates(CatalogueContext& context) {
  Row conditions;
  std::string stopped;  // why the conditions could not be checked
  try {
    conditions = check_data_conditions(context);
  } catch (const BudgetReached& reached) {
    stopped = reached.reason;
  }
  static const Claim claims[] = {
      {"C.ngd", "normalised gradient descent: W(t)/||W(t)|| tends to W_mm(opt)'s direction at a finite-time rate",
       UpdateRule::ngd, describe_shapes},
      {"C.polyak", "Polyak steps (L - L*)/(2 ||grad L||^2): W(t)/||W(t)|| tends to W_mm(opt)'s direction at a finite-time rate",
       UpdateRule::polyak, describe_shapes},
      {"C.sparse", "the attention map becomes one-hot on opt at a finite-time rate (normalised gradient descent)",
       UpdateRule::ngd, describe_sparsity}};
  std::vector<Row> rows;
  for (const Claim& claim : claims) {
    Row row{claim.id, "2402.05738", claim.statement, Mark::recalled};
    if (!stopped.empty()) {
      row.reason = stopped;
      rows.push_back(std::move(row));
      continue;
    }
    if (conditions.hypotheses.empty()) {  // it is about another model
      rows.push_back(conditions);
      rows.back().id = row.id;
      rows.back().statement = row.statement;
      continue;
    }
    try {
      check_rate(context, conditions, claim, row);
    } catch (const BudgetReached& reached) {
      row.verdict = Verdict::undecided;
      row.reason = reached.reason;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace attest
