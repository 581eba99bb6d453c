// Row C.joint: decoder and attention trained together by normalised steps.
#include <algorithm>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/decoder.hpp"
#include "certify/catalogue/joint_limits.hpp"
#include "certify/catalogue/label_margins.hpp"
#include "certify/numbers/decimal.hpp"
#include "numerics/joint/run.hpp"

namespace attest {
namespace {

constexpr std::uint64_t most_steps = 2000;

JointOutcome trained(CatalogueContext& context) {
  const Instance& instance = context.instance();
  const JointStep step{true, context.options().normalised_step, 0};
  const JointSpec spec{context.options().loss, step, step};
  JointOptions options;
  options.steps = std::min(context.options().run_steps, most_steps);
  options.until_forever = true;
  options.budget = &context.budget();
  JointStart start;
  start.decoder = instance.v;
  return joint_run(
      labelled_data(instance, context.data()), spec, start,
      [&](const Selection& selection) {
        return solve_joint_limits(instance, context.data(), spec, selection, context.budget());
      },
      options);
}

// "loss <= exp(-c t^(1/3)) with c = ... at steps 2 to 300".
std::string loss_words(const JointOutcome& run) {
  for (const JointShape& shape : run.record.shapes) {
    if (shape.of != "loss" || shape.constant.to == 0 || !std::isfinite(shape.constant.lo)) continue;
    return "; loss <= " + shape.name + " with c = " + decimal_down(Rational(shape.constant.lo), 6) +
           " at steps " + std::to_string(shape.constant.from) + " to " + std::to_string(shape.constant.to) +
           " (checked)";
  }
  return {};
}

}  // namespace

void decide_joint_training(CatalogueContext& context, Row& row) {
  const Instance& instance = context.instance();
  if (instance.Y.empty() || instance.v.empty()) {
    row =
        not_applicable(std::move(row),
                       "a statement about a linear decoder v and labels Y, which the instance does not have");
    return;
  }
  const Loss loss = context.options().loss;
  row.require("logistic or exponential loss", loss == Loss::correlation ? Verdict::fails : Verdict::holds,
              name(loss));
  row.require(some_constraint(context));
  settle(row);
  if (row.verdict != Verdict::holds) return;
  if (context.options().run_steps == 0)
    return settle(row, Verdict::undecided, "budget: no run is made (--steps, --no-runs)");
  const JointOutcome run = trained(context);
  if (!run.record.checkpoints.empty()) {
    row.conclusion = "both steps normalised, from W = 0 and the instance's v: selection " +
                     show(run.limits.selection) + " at step " + std::to_string(run.record.step);
    if (const auto nearest = run.nearest())
      row.conclusion += ", W nearest to the " + *nearest + " problem's solution (checked)";
    row.conclusion += loss_words(run);
  }
  if (!run.proof)
    return settle(
        row, Verdict::undecided,
        run.reason.empty() ? "budget: T20 is not proved of the run: " + run.proof_reason : run.reason);
  row.conclusion +=
      "; from step " + std::to_string(run.proof->t0) + " on both limits, and the loss at most " +
      decimal_up(run.proof->region.loss.upper(), 6) + " exp(-" +
      decimal_down(run.proof->region.decoder_margin.lower(), 6) +
      " y), y growing linearly (checked, T20); the rate on all such data is the paper's theorem";
  settle(row);
}

}  // namespace attest
