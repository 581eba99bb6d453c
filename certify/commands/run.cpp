// `attest run INSTANCE`: gradient descent, normalised gradient descent, Polyak steps or mirror descent of W,
// or of the factors of W = K Q', with proof.
#include "certify/reports/run.hpp"

#include <memory>
#include <string>
#include <vector>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/factored_run.hpp"
#include "certify/reports/html/factored_run.hpp"
#include "certify/reports/html/joint_run.hpp"
#include "certify/reports/html/mirror_run.hpp"
#include "certify/reports/html/run.hpp"
#include "certify/reports/joint_run.hpp"
#include "certify/reports/mirror_run.hpp"

namespace attest {
namespace {

struct RunCommandOptions {
  CommonOptions common;
  bool joint = false;
  JointRunRequest joint_request;  // its run: the request of every other one, too
};

// Why a schedule is refused; empty when it is not.
std::string schedule_problem(const std::string& text) {
  return schedule_power(text) ? "" : "not one of constant, inverse, invsqrt, power:E with an exact E <= 0";
}

void add_joint(CLI::App& app, RunCommandOptions& options) {
  CLI::Option* const joint =
      app.add_flag("--joint", options.joint,
                   "Train the decoder v with W: gd or ngd each, or md or nmd, against every problem that "
                   "applies");
  JointRunRequest& request = options.joint_request;
  app.add_option("--decoder-optimizer", request.decoder_optimizer,
                 "gd or ngd of v, with md and nmd these (default: that of W)")
      ->check(CLI::IsMember({"gd", "ngd", "md", "nmd"}))
      ->needs(joint);
  app.add_option("--decoder-step", request.decoder_step, "Exact step of v (default: that of W)")
      ->needs(joint);
  app.add_option("--decoder-schedule", request.decoder_schedule, "Schedule of v (default: that of W)")
      ->check(CLI::Validator(schedule_problem, "SCHEDULE"))
      ->needs(joint);
  app.add_option("--decoder-init", request.decoder_init,
                 "v_0: instance (its v, default), zero, @FILE, random:SEED")
      ->needs(joint);
}

void add_iteration(CLI::App& app, RunRequest& request) {
  std::vector<std::string> optimizers = rule_words();
  optimizers.insert(optimizers.end(), {"md", "nmd"});
  app.add_option("--optimizer", request.optimizer,
                 "gd, ngd (normalised), polyak; mirror descent md, nmd (normalised)")
      ->required()
      ->check(CLI::IsMember(optimizers));
  app.add_option("--step", request.step, "Exact step S: 0.1, 1/3, 3*2^-5 (polyak: factor S, default 1/2)");
  app.add_option("--potential", request.potential,
                 "P > 1 of mirror descent, exact: its potential is the sum of |W_jk|^P, over P");
  app.add_option(
      "--against", request.against,
      "Of mirror descent: norms whose solutions the last step is compared with: fro, nuc, l1, linf, "
      "lP; commas between them");
  app.add_option("--momentum", request.momentum,
                 "Heavy-ball momentum B, 0 <= B < 1, exact (gd, ngd): U = B U - step G, W = W + U");
  app.add_option(
         "--schedule", request.schedule,
         "constant, inverse (S/(t+1)) or invsqrt (S/sqrt(t+1)); with --joint power:E (S (t+1)^E), too")
      ->check(CLI::Validator(schedule_problem, "SCHEDULE"));
  app.add_option("--steps", request.steps, "Number of steps; 0 asks only what holds from the start on")
      ->required()
      ->check(CLI::NonNegativeNumber);
  add_loss(app, request.loss, "logistic (default), exponential, correlation; with the key y: cross-entropy");
  app.add_option("--init", request.init,
                 "zero (default), instance (its W0), @FILE (.npy or JSON), random:SEED, trajectory");
  app.add_option(
         "--parameterization", request.parameterization,
         "w (default), or kq: train the factors of W = K Q' (gd; ngd: each factor's gradient normalised)")
      ->check(CLI::IsMember({"w", "kq"}));
  app.add_option("--rank", request.rank, "Columns of K and Q (default: the dimension of the tokens)");
  app.add_option("--K0", request.left_start.path, "K_0, exact (.npy, FILE:KEY or JSON), with --Q0");
  app.add_option("--Q0", request.right_start.path,
                 "Q_0; without both: --init identity (default), random:SEED");
  app.add_option("--init-scale", request.init_scale,
                 "Exact factor of that start (identity: 1, random: the inverse root of the rows)");
  app.add_option("--bits", request.bits, "Correct bits wanted at every step (default 100)")
      ->check(CLI::Range(1L, 3000L));
  app.add_option("--precision", request.precision, "Working precision: auto, or fraction bits (mpfr: bits)");
  app.add_option("--arithmetic", request.arithmetic,
                 "validated (default); mpfr or double: computed, without proof")
      ->check(CLI::IsMember({"validated", "mpfr", "double"}));
}

void add_comparison(CLI::App& app, RunRequest& request) {
  app.add_option(
      "--compare", request.compare,
      "Recorded run (.npz with t and W) to hold against the exact one, of the same rule, step and loss");
  app.add_option("--share", request.share, "Share of ||W_t|| that counts as having left it")
      ->capture_default_str();
}

void add_selected_sets(CLI::App& app, RunRequest& request) {
  app.add_option("--selected-sets", request.sets,
                 "JSON file, or alpha: the instance's own lists, of tokens that share the attention, a list "
                 "a sequence: the run is seen from the best combination W_fin + c W_mm, too")
      ->check(CLI::ExistingFile | CLI::IsMember({"alpha"}));
  app.add_option("--ratios", request.ratios,
                 "JSON file of the attention on these that W_fin has (default: that of each W_t)")
      ->check(CLI::ExistingFile);
}

void add_outputs(CLI::App& app, RunRequest& request) {
  app.add_option("-o,--output", request.certificate, "Certificate to write; .gz compresses it");
  app.add_option("--trace", request.trace, "Trace of doubles (.npz), for plots only");
  app.add_option("--plot", request.plot, "Plot of 1 - corr (.svg)");
  add_report(app, request.report.path);
  app.add_option("--state", request.state, "State file for --resume (default: OUTPUT.state)");
  app.add_flag("--resume", request.resume, "Continue from the state file");
}

}  // namespace

RunCommand configure_run(CLI::App& app) {
  const auto options = std::make_shared<RunCommandOptions>();
  RunRequest& request = options->joint_request.run;
  add_instance(app, request.instance);
  add_iteration(app, request);
  add_joint(app, *options);
  add_comparison(app, request);
  add_selected_sets(app, request);
  add_outputs(app, request);
  add_time_limit(app, options->common, " for all of it, reading included, then stop with what is proved");
  add_memory_limit(app, options->common);
  add_threads(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  app.add_flag("--until-forever", request.until_forever,
               "Stop as soon as a theorem about all later steps is proved");
  add_json(app, options->common);
  add_progress(app, options->common);
  add_examples(app,
               {{"attest run data.npz --optimizer ngd --step 1/10 --steps 20000 --until-forever -o r.attest",
                 "stop as soon as the limit is proved; the certificate says it for all later steps"},
                {"attest run data.npz --optimizer gd --step 1/2 --steps 5000 --plot r.svg --report r.html",
                 "the whole run enclosed, with pictures"},
                {"attest run data.npz --optimizer ngd --step 1/10 --steps 0 --init @W.npy -o point.attest",
                 "no step is made: what is proved for all steps from a checkpoint on"},
                {"attest run data.npz --optimizer nmd --potential 7/4 --step 1/10 --steps 2000",
                 "mirror descent, against the solution in the 7/4-norm, and its limit for ever"},
                {"attest run data.npz --parameterization kq --optimizer gd --step 1 --steps 2000",
                 "K and Q of W = K Q': singular values, against both margin problems, the loss for ever"},
                {"attest run data.npz --joint --optimizer ngd --step 1/10 --decoder-step 3/100 --steps 6000",
                 "decoder and attention together: which problem the attention tends to, with bands"},
                {"attest run data.npz --optimizer ngd --step 1/10 --steps 2000 --compare notebook.npz",
                 "from which step on a floating-point run is no longer the iteration it stands for"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    JointRunRequest joint = options->joint_request;
    joint.run = with_common(joint.run, common);
    const RunRequest& asked = joint.run;
    if (options->joint) {
      return answer(signals, common, AnswerShape::object, [&](AuditWatch& watch) {
        return joint_run(joint, watch, [](const JointRunAnswer& found) { return html(found); });
      });
    }
    if (trains_factors(asked)) {
      return answer(signals, common, AnswerShape::object, [&](AuditWatch& watch) {
        return factored_run(asked, watch, [](const FactoredRunAnswer& found) { return html(found); });
      });
    }
    if (is_mirror_descent(asked.optimizer)) {
      return answer(signals, common, AnswerShape::object, [&](AuditWatch& watch) {
        return mirror_run(asked, watch, [](const MirrorRunAnswer& found) { return html(found); });
      });
    }
    return answer(signals, common, AnswerShape::object, [&](AuditWatch& watch) { return run(asked, watch); });
  };
}

}  // namespace attest
