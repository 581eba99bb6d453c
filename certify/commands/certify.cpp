// `attest certify INSTANCE -o CERT`: decides the margin problem with proof and writes the certificate.
#include "certify/reports/certify.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/certify.hpp"

namespace attest {
namespace {

// Why the option's value is refused; empty when it is not.
std::string norm_problem(const std::string& text) {
  return parse_norm(text) ? "" : "not a norm that is there: fro, nuc, or lP with P > 1, as l7/4 or l1.75";
}

std::string gap_problem(const std::string& text) {
  return parse_gap(text) ? "" : "not a number above 0 and at most 1";
}

}  // namespace

RunCommand configure_certify(CLI::App& app) {
  struct Options {
    CommonOptions common;
    CertifyRequest request;
    std::string form = "auto";
    std::string norm = "fro", gap;
  };
  const auto options = std::make_shared<Options>();
  CertifyRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option("-o,--output", request.certificate, "Certificate to write; .gz compresses it");
  add_report(app, request.report.path);
  add_select(app, request.select, "Selected tokens, one index a sequence: 0,2,1,... (before alpha, argmax)");
  app.add_option("--norm", options->norm,
                 "Norm of W: fro (Frobenius, default), nuc (nuclear), lP (entrywise, P > 1: l7/4, l3)")
      ->check(CLI::Validator(norm_problem, "NORM"));
  app.add_option("--gap", options->gap,
                 "Relative gap that is asked for in other norms than fro (default 1e-30)")
      ->check(CLI::Validator(gap_problem, "GAP"));
  app.add_option("--form", options->form, "Evidence: auto, exact (rational), enclosure")
      ->check(CLI::IsMember({"auto", "exact", "enclosure"}));
  app.add_option("--precision", request.precision_bits, "Bits of enclosures (default 128)")
      ->check(CLI::Range(16L, 65536L));
  add_time_limit(app, options->common, " for all of it, reading included, then undecided");
  add_memory_limit(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  app.add_option("--loss", request.loss, "Loss of the smoothness claim (default none)")
      ->check(CLI::IsMember({"none", "logistic", "exponential", "correlation", "cross-entropy"}));
  add_json(app, options->common);
  add_progress(app, options->common);
  add_examples(app, {{"attest certify data.npz -o data.cert --report data.html",
                      "decide the margin problem; certificate for attest-check, page for people"},
                     {"attest certify data.npz --select 0,2,1 --form exact",
                      "other tokens than the best-scored ones; the solution in rational numbers"},
                     {"attest certify data.npz --norm nuc -o nuclear.cert",
                      "the least nuclear norm, between bounds, with factors K and Q"},
                     {"attest certify data.npz --json --time-limit 60 | python3 -m json.tool",
                      "everything found within a minute, all lists complete"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    CertifyRequest asked = options->request;
    asked.form = options->form == "exact"       ? Form::exact
                 : options->form == "enclosure" ? Form::enclosure
                                                : Form::automatic;
    asked.norm.norm = *parse_norm(options->norm);
    if (!options->gap.empty()) asked.norm.gap = *parse_gap(options->gap);
    asked.memory_limit = common.memory_limit;
    asked.force = common.force;
    asked.report.page = [](const CertifyAnswer& found) { return html(found); };
    return answer(
        signals, common, AnswerShape::object, [&](AuditWatch& watch) { return certify(asked, watch); },
        [&](const CertifyAnswer& found) { return common.json ? json(found) : text(found); });
  };
}

}  // namespace attest
