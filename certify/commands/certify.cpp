// `attest certify INSTANCE -o CERT`: decides the margin problem with proof and writes the certificate.
// Started as several processes, they share the passes over the instance, and the first one does all else.
#include "certify/reports/certify.hpp"

#include <memory>
#include <optional>

#include "certify/audits/shared_passes.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/norm_options.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/certify.hpp"
#include "certify/reports/html/joint.hpp"
#include "certify/reports/html/selected_sets.hpp"
#include "certify/reports/joint.hpp"
#include "certify/reports/selected_sets.hpp"

namespace attest {
namespace {

// With --joint.
int answer_joint(ProcessSignals& signals, const CommonOptions& common, const CertifyRequest& request,
                 const std::string& shift) {
  JointRequest asked;
  asked.instance = request.instance;
  asked.certificate = request.certificate;
  asked.select = request.select;
  asked.shift = shift;
  asked.form = request.form;
  asked.precision_bits = request.precision_bits;
  asked.report.path = request.report.path;
  asked = with_common(std::move(asked), common);
  return answer(signals, common, AnswerShape::object,
                [&](AuditWatch& watch) { return certify_joint(asked, watch); });
}

// With --selected-sets.
int answer_sets(ProcessSignals& signals, const CommonOptions& common, const CertifyRequest& request,
                const std::string& sets, const std::string& ratios) {
  SelectedSetsRequest asked;
  asked.instance = request.instance;
  asked.sets = sets;
  asked.ratios = ratios;
  asked.certificate = request.certificate;
  asked.form = request.form;
  asked.precision_bits = request.precision_bits;
  asked.report.path = request.report.path;
  asked = with_common(std::move(asked), common);
  return answer(signals, common, AnswerShape::object,
                [&](AuditWatch& watch) { return certify_selected_sets(asked, watch); });
}

struct CertifyOptions {
  CommonOptions common;
  CertifyRequest request;
  std::string form = "auto";
  bool joint = false;
  std::string shift, sets, ratios;
};

void add_certify_examples(CLI::App& app) {
  add_examples(app,
               {{"attest certify data.npz -o data.cert --report data.html",
                 "decide the margin problem; certificate for attest-check, page for people"},
                {"attest certify data.npz --select 0,2,1 --form exact",
                 "other tokens than the best-scored ones; the solution in rational numbers"},
                {"attest certify data.npz --norm nuc -o nuclear.cert",
                 "the least nuclear norm, between bounds, with factors K and Q"},
                {"attest certify data.npz --joint -o joint.cert",
                 "both limits of training decoder and attention together"},
                {"attest certify data.npz --joint --shift 1/3",
                 "and where the attention tends to with normalised steps, the decoder's a third of its own"},
                {"attest certify data.npz --json --time-limit 60 | python3 -m json.tool",
                 "everything found within a minute, all lists complete"}});
}

CLI::Option* add_selected_sets(CLI::App& app, std::string& sets, std::string& ratios, CLI::Option* joint) {
  CLI::Option* const option =
      app.add_option("--selected-sets", sets,
                     "JSON file, or alpha: the instance's own lists, of tokens that share the attention, a "
                     "list a sequence: [[0,2],[1],...]; their logits "
                     "are to be equal, and above the others' by 1")
          ->check(CLI::ExistingFile | CLI::IsMember({"alpha"}))
          ->excludes(joint)
          ->excludes(app.get_option("--select"));
  app.add_option(
         "--ratios", ratios,
         "JSON file of the attention on the selected sets, up to a factor a sequence: then W_fin, the "
         "finite part, too")
      ->check(CLI::ExistingFile)
      ->needs(option);
  return option;
}

}  // namespace

RunCommand configure_certify(CLI::App& app) {
  const auto options = std::make_shared<CertifyOptions>();
  CertifyRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option("-o,--output", request.certificate, "Certificate to write; .gz compresses it");
  add_report(app, request.report.path);
  add_select(app, request.select, "Selected tokens, one index a sequence: 0,2,1,... (before alpha, argmax)");
  CLI::Option* const joint = app.add_flag(
      "--joint", options->joint,
      "Decoder v and attention together: the decoder's problem, and the attention's with margins >= 1 where "
      "it is supported, >= 0 elsewhere");
  app.add_option(
         "--shift", options->shift,
         "With --joint, the problem of both steps normalised: the decoder's step over the attention's, "
         "exact; rows off the decoder's support are shifted by that")
      ->needs(joint);
  CLI::Option* const sets = add_selected_sets(app, options->sets, options->ratios, joint);
  const auto [norm, gap] = add_norm(app, request.norm);
  norm->excludes(joint)->excludes(sets);
  gap->excludes(joint)->excludes(sets);
  app.add_option("--rank", request.norm.rank,
                 "With --norm nuc: the same among matrices of at most this rank, from both sides")
      ->check(CLI::PositiveNumber)
      ->excludes(joint)
      ->excludes(sets);
  app.add_option("--form", options->form, "Evidence: auto, exact (rational), enclosure")
      ->check(CLI::IsMember({"auto", "exact", "enclosure"}));
  app.add_option("--precision", request.precision_bits, "Bits of enclosures (default 128)")
      ->check(CLI::Range(16L, 65536L));
  add_time_limit(app, options->common, " for all of it, reading included, then undecided");
  add_memory_limit(app, options->common);
  add_threads(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  app.add_option("--loss", request.loss, "Loss of the smoothness claim (default none)")
      ->check(CLI::IsMember({"none", "logistic", "exponential", "correlation", "cross-entropy"}))
      ->excludes(joint)
      ->excludes(sets);
  add_json(app, options->common);
  add_progress(app, options->common);
  add_certify_examples(app);
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    CertifyRequest asked = with_common(options->request, common);
    asked.form = options->form == "exact"       ? Form::exact
                 : options->form == "enclosure" ? Form::enclosure
                                                : Form::automatic;
    const Result<std::unique_ptr<Ranks>> ranks = join_ranks();
    if (const auto* error = std::get_if<InputError>(&ranks)) return report_input_error(*error, common.json);
    Ranks& job = *std::get<std::unique_ptr<Ranks>>(ranks);
    if (job.rank() > 0) return answer_passes(signals, common, asked.instance, job);
    std::optional<SharedPasses> passes;
    if (job.size() > 1) asked.passes = &passes.emplace(job);
    if (options->joint) return answer_joint(signals, common, asked, options->shift);
    if (!options->sets.empty()) return answer_sets(signals, common, asked, options->sets, options->ratios);
    return answer(signals, common, AnswerShape::object,
                  [&](AuditWatch& watch) { return certify(asked, watch); });
  };
}

}  // namespace attest
