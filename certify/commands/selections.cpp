// `attest selections INSTANCE`: the locally optimal selections with their margins.
#include "certify/reports/selections.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {

RunCommand configure_selections(CLI::App& app) {
  struct Options {
    CommonOptions common;
    SelectionsRequest request;
  };
  const auto options = std::make_shared<Options>();
  SelectionsRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option("-o,--output", request.certificate,
                 "Certificate of the selections found; .gz compresses it");
  app.add_option("--budget", request.budget,
                 "Margin problems to solve at most (default: some seconds' worth)");
  app.add_option("--precision", request.precision_bits, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  add_time_limit(app, options->common, " for all of it, reading included");
  add_memory_limit(app, options->common);
  add_force(app, options->common, "an existing file that is not a certificate");
  add_json(app, options->common);
  add_examples(app, {{"attest selections data.npz -o selections.cert",
                      "where training can end: every locally optimal selection with its margin"},
                     {"attest selections data.npz --budget 100000 --time-limit 600", "a longer search"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    const SelectionsRequest asked = with_common(options->request, common);
    return answer(signals, common, AnswerShape::object,
                  [&](AuditWatch& watch) { return selections(asked, watch); });
  };
}

}  // namespace attest
