// `attest path INSTANCE`: bounds the regularisation path for every radius and writes the certificate.
#include "certify/reports/path.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/norm_options.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/joint.hpp"
#include "certify/reports/html/path.hpp"
#include "certify/reports/joint.hpp"

namespace attest {

namespace {

int answer_joint(ProcessSignals& signals, const CommonOptions& common, const PathRequest& request,
                 const std::string& select) {
  JointRequest asked;
  asked.instance = request.instance;
  asked.certificate = request.certificate;
  asked.loss = request.loss;
  asked.select = select;
  asked.path = true;
  asked.report.path = request.report.path;
  asked = with_common(std::move(asked), common);
  return answer(signals, common, AnswerShape::object,
                [&](AuditWatch& watch) { return certify_joint(asked, watch); });
}

}  // namespace

RunCommand configure_path(CLI::App& app) {
  struct Options {
    CommonOptions common;
    PathRequest request;
    bool joint = false;
    std::string select;
  };
  const auto options = std::make_shared<Options>();
  PathRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option("-o,--output", request.certificate, "Certificate to write; .gz compresses it");
  add_report(app, request.report.path);
  add_loss(app, request.loss,
           "Training loss: logistic (default), exponential, correlation; with the key y: cross-entropy");
  add_norm(app, request.norm);
  CLI::Option* const residual =
      app.add_flag("--residual", request.residual,
                   "How far from its ray the path is, too, so that 1 - corr is below c/r^2");
  CLI::Option* const joint =
      app.add_flag("--joint", options->joint,
                   "The path of decoder and attention together, over ||v|| <= r and ||W|| <= R; the "
                   "certificate holds both margin problems, A.margin and the path");
  app.add_option("--select", options->select, "With --joint, as for certify: the selected tokens")
      ->needs(joint);
  app.get_option("--norm")->excludes(joint)->excludes(residual);
  joint->excludes(residual);
  add_time_limit(app, options->common, " for all of it, reading included, then undecided");
  add_memory_limit(app, options->common);
  add_threads(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  add_json(app, options->common);
  add_progress(app, options->common);
  add_examples(app,
               {{"attest path data.npz -o path.cert",
                 "from which radius on minimisers follow the max-margin direction, and how closely"},
                {"attest path data.npz --residual",
                 "how far from their ray minimisers are, too: 1/r^2 instead of 1/r"},
                {"attest path data.npz --norm nuc", "the same for minimisers (K,Q) over |K|^2 + |Q|^2 <= 2r"},
                {"attest path data.npz --loss exponential --json", "the same for another loss"},
                {"attest path data.npz --joint", "decoder and attention together, for all pairs of radii"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    if (options->joint) return answer_joint(signals, common, options->request, options->select);
    const PathRequest asked = with_common(options->request, common);
    return answer(signals, common, AnswerShape::object,
                  [&](AuditWatch& watch) { return path(asked, watch); });
  };
}

}  // namespace attest
