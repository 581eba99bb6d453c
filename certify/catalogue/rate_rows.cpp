// Rows about the speed of convergence in self-attention: C.ngd, C.polyak, C.sparse.
#include <algorithm>
#include <iterator>

#include "certify/catalogue/catalogue.hpp"
#include "certify/numbers/decimal.hpp"

namespace attest {
namespace {

// "1 - corr <= c shape" for paper C's shapes, with the least c on the steps of the run.
std::string describe_shapes(const Observation& seen) {
  static const char* const names[] = {"1/t", "log(t)/t", "log(t)^2/sqrt(t)", "t^(-1/2)", "t^(-3/4)"};
  std::string text;
  for (const RateShape& shape : seen.shapes) {
    if (std::find(std::begin(names), std::end(names), shape.name) == std::end(names) || shape.whole.to == 0)
      continue;
    if (!(shape.whole.hi < std::numeric_limits<double>::infinity())) continue;
    text += text.empty()
                ? "1-corr <= c shape(t) up to t = " + std::to_string(shape.whole.to) + " with least c "
                : ", ";
    text += decimal_up(Rational(shape.whole.hi), 6) + " for " + shape.name;
  }
  return text.empty() ? text : text + "; ";
}

std::string describe(const Observation::Sparsity& sparsity) {
  return "max 1-s <= exp(-c ||W||) for " + std::to_string(sparsity.from) +
         " <= t <= " + std::to_string(sparsity.to) +
         " with c = " + (sparsity.c ? decimal_down(sparsity.c->lo, 6) : "0") + "; ";
}

std::string describe_sparsity(const Observation& seen) {
  std::string text;
  if (seen.sparsity) text += describe(*seen.sparsity);
  if (seen.late_sparsity) text += describe(*seen.late_sparsity);
  return text;
}

// A rate of paper C in its model, measured on the run of `rule`.
void decide_rate(CatalogueContext& context, Row& row, std::string_view rule,
                 std::string (*speed)(const Observation& seen)) {
  const Loss loss = context.options().loss;
  row.require("logistic or exponential loss", loss == Loss::correlation ? Verdict::fails : Verdict::holds,
              name(loss));
  row.require(some_constraint(context));
  row.require(as_hypothesis("C.global", check_row("C.global", context),
                            "the data conditions in their strictest form"));
  row.require(feasible("opt", context.solved_best()));
  settle(row);
  if (row.verdict == Verdict::fails) return;
  if (context.solved_best().solution.feasibility != Feasibility::feasible) return;
  const std::shared_ptr<const Observation> seen = context.run(rule);
  conclude_by_run(row, seen, context.best(), "opt",
                  "the rate that holds on all such data is the paper's theorem (recalled)");
  if (seen && seen->selection == context.best()) row.conclusion.insert(0, speed(*seen));
}

}  // namespace

void decide_normalised_rate(CatalogueContext& context, Row& row) {
  decide_rate(context, row, "ngd", describe_shapes);
}

void decide_polyak_rate(CatalogueContext& context, Row& row) {
  decide_rate(context, row, "polyak", describe_shapes);
}

void decide_sparsity_rate(CatalogueContext& context, Row& row) {
  decide_rate(context, row, "ngd", describe_sparsity);
}

}  // namespace attest
