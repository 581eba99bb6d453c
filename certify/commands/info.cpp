// `attest info INSTANCE`: what an instance is, before anything is decided about it.
#include "certify/reports/info.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {

RunCommand configure_info(CLI::App& app) {
  struct Options {
    CommonOptions common;
    InfoRequest request;
  };
  const auto options = std::make_shared<Options>();
  add_instance(app, options->request.instance);
  add_memory_limit(app, options->common);
  add_time_limit(app, options->common, ", then undecided");
  add_json(app, options->common);
  add_examples(app,
               {{"attest info data.npz", "shapes, exactness, ties and how much memory certify would take"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    const InfoRequest asked = with_common(options->request, common);
    return answer(signals, common, AnswerShape::object,
                  [&](AuditWatch& watch) { return info(asked, watch); });
  };
}

}  // namespace attest
