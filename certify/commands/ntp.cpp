// `attest ntp FILE`: next-token prediction on sentences, both stages certified.
#include "certify/reports/ntp.hpp"

#include <memory>

#include "certify/commands/command.hpp"
#include "certify/commands/session.hpp"

namespace attest {

RunCommand configure_ntp(CLI::App& app) {
  struct Options {
    CommonOptions common;
    NtpRequest request;
    std::string tokens = "words";
  };
  const auto options = std::make_shared<Options>();
  NtpRequest& request = options->request;
  app.add_option("file", request.file, "Text: a sentence a line, its last token the next one of the others")
      ->required()
      ->type_name("FILE");
  app.add_option("--tokens", options->tokens, "What a token is: words, bytes, ids (whole numbers)")
      ->capture_default_str()
      ->check(CLI::IsMember({"words", "bytes", "ids"}));
  app.add_option("--embeddings", request.embeddings,
                 "Array (.npy) of a row a token, in the order in which tokens first come (default: one-hot)");
  app.add_option("--collocation", request.collocation, "Text of pairs, a token and the next one a line");
  app.add_option("--shift", request.shift, "Text of other sentences, whose last tokens are predicted");
  app.add_option("--steps", request.steps, "Steps of normalised gradient descent of either stage; 0: none")
      ->capture_default_str();
  app.add_option("--step", request.step, "Their exact length in the feed-forward stage")
      ->capture_default_str();
  app.add_option("--attention-step", request.attention_step, "Their exact length in the attention stage")
      ->capture_default_str();
  app.add_option("-o,--output", request.prefix,
                 "Prefix of the files to write: PREFIX.npz, PREFIX-feed-forward.cert, PREFIX-attention.cert");
  add_time_limit(app, options->common, " for all of it, reading included, then undecided");
  add_memory_limit(app, options->common);
  add_threads(app, options->common);
  add_force(app, options->common, "existing files, PREFIX.npz included");
  add_json(app, options->common);
  add_progress(app, options->common);
  add_examples(app, {{"attest ntp sentences.txt -o text",
                      "which token attention has to select, whether it can, both margin problems certified"},
                     {"attest ntp sentences.txt --collocation pairs.txt --shift others.txt",
                      "with the pairs given; what other sentences end in once training has gone on for long"},
                     {"attest ntp ids.txt --tokens ids --embeddings E.npy --json",
                      "token ids with embeddings, everything found as JSON"}});
  return [options](ProcessSignals& signals) {
    const CommonOptions& common = options->common;
    NtpRequest asked = with_common(options->request, common);
    asked.tokens = options->tokens == "bytes" ? TokenKind::bytes
                   : options->tokens == "ids" ? TokenKind::ids
                                              : TokenKind::words;
    return answer(signals, common, AnswerShape::object, [&](AuditWatch& watch) { return ntp(asked, watch); });
  };
}

}  // namespace attest
