// `attest verify INSTANCE`: the theorem catalogue on one instance.
#include "certify/reports/verify.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/verify.hpp"

namespace attest {

RunCommand configure_verify(CLI::App& app) {
  struct Options {
    CommonOptions common;
    VerifyRequest request;
    bool details = false, no_runs = false;
  };
  const auto options = std::make_shared<Options>();
  VerifyRequest& request = options->request;
  add_instance(app, request.instance);
  add_loss(app, request.loss, "Training loss: logistic (default), exponential or correlation");
  add_select(app, request.select, "Selected token of each sequence: 2,0,1,...");
  app.add_option("--selected-sets", request.sets,
                 "JSON file, or alpha: the instance's own lists, of tokens that share the attention, a list "
                 "a sequence: row B.gen speaks of them")
      ->check(CLI::ExistingFile | CLI::IsMember({"alpha"}));
  app.add_option("--ratios", request.ratios, "JSON file of the attention on these, up to a factor a sequence")
      ->check(CLI::ExistingFile);
  app.add_option("--precision", request.precision_bits, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  app.add_option("--budget", request.budget,
                 "Margin problems that row B.D may solve (default: some seconds' worth)");
  app.add_option("--steps", request.run_steps,
                 "Steps of each run (default: a second or two's worth, at most 10000)");
  app.add_option("--gd-step", request.descent_step,
                 "Exact step of gradient descent (default: just below 1/beta)");
  app.add_option("--ngd-step", request.normalised_step, "Exact step of normalised gradient descent")
      ->capture_default_str();
  app.add_option("--potential", request.potential, "P of mirror descent, exact, above 1")
      ->capture_default_str();
  app.add_option("--md-step", request.mirror_step, "Exact step of mirror descent")->capture_default_str();
  app.add_option("--rank", request.rank,
                 "Rank of row B.L3's matrices (default: one that no solution of the nuclear norm exceeds)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--no-runs", options->no_runs, "No training runs: rows about their limits stay undecided");
  add_time_limit(app, options->common, " for all of it, reading included");
  add_memory_limit(app, options->common);
  add_report(app, request.report.path);
  add_force(app, options->common, "an existing file that is no report");
  app.add_flag("--details", options->details, "Statements and every hypothesis");
  add_json(app, options->common);
  add_examples(app, {{"attest verify data.npz --details", "every hypothesis of every statement, one by one"},
                     {"attest verify data.npz --no-runs --time-limit 30",
                      "without training runs: rows about their limits stay undecided"},
                     {"attest verify data.npz --report theorems.html", "the same as a page"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    VerifyRequest asked = with_common(options->request, common);
    if (options->no_runs) asked.run_steps = 0;
    return answer(
        signals, common, AnswerShape::list, [&](AuditWatch& watch) { return verify(asked, watch); },
        [&](const VerifyAnswer& found) { return common.json ? json(found) : text(found, options->details); });
  };
}

}  // namespace attest
