// `attest checkpoint INSTANCE --W FILE`: what is proved about a trained layer.
#include "certify/reports/checkpoint.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"
#include "certify/reports/html/checkpoint.hpp"

namespace attest {

RunCommand configure_checkpoint(CLI::App& app) {
  struct Options {
    CommonOptions common;
    CheckpointRequest request;
  };
  const auto options = std::make_shared<Options>();
  CheckpointRequest& request = options->request;
  add_instance(app, request.instance);
  app.add_option(
      "--W", request.weights.path,
      "Attention matrix, d x e (prompt: the vector): .npy or JSON, or FILE:KEY of .npz, .safetensors");
  app.add_option("--K", request.keys.path,
                 "Key weights, d x m: W = K Q' (of a torch Linear the transposed weight)");
  app.add_option("--Q", request.queries.path, "Query weights, e x m");
  app.add_option("--v", request.decoder.path, "Decoder, d, in place of the dataset's v");
  app.add_option("--optimizer", request.optimizer, "How training goes on: gd, ngd, polyak (default: each)")
      ->check(CLI::IsMember(rule_words()));
  app.add_option("--step", request.step,
                 "Its exact step (default: ngd 1/10, gd just below 1/beta, polyak 1/2)");
  add_loss(app, request.loss, "Training loss: logistic (default), exponential, correlation");
  app.add_option("-o,--output", request.certificate, "Certificate to write; .gz compresses it");
  add_report(app, request.report.path);
  add_time_limit(app, options->common, " for all of it, reading included, then undecided");
  add_memory_limit(app, options->common);
  add_threads(app, options->common);
  add_force(app, options->common, "existing files that are of another kind than what is written");
  add_json(app, options->common);
  add_progress(app, options->common);
  add_examples(app, {{"attest checkpoint data.npz --W W.npy",
                      "where the attention is, and what is proved about all further training"},
                     {"attest checkpoint data.npz --K K.npy --Q Q.npy --v v.npy --report layer.html",
                      "a layer in factors, with its own decoder, as a page"},
                     {"attest checkpoint data.npz --K model.safetensors:attn.k --Q model.safetensors:attn.q",
                      "arrays of a file that holds more, by their names"},
                     {"attest checkpoint data.npz --W W.npy --optimizer gd --step 1/2 -o point.cert",
                      "one rule; attest-check re-checks the claims"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    const CheckpointRequest asked = with_common(options->request, common);
    return answer(signals, common, AnswerShape::object,
                  [&](AuditWatch& watch) { return checkpoint(asked, watch); });
  };
}

}  // namespace attest
