// Both stages of next-token prediction trained with given embeddings, each the run of a dataset of its own:
// the feed-forward stage has cross-entropy over the outputs, the attention stage a classifier whose U is W_ov
// as the feed-forward stage left it, rounded to doubles.
#pragma once

#include <optional>
#include <string>

#include "certify/audits/run.hpp"

namespace attest {

struct NtpRequest;  // ntp.hpp
struct NtpAnswer;

struct EmbeddedTraining {
  std::string reason;  // why a stage is not there; empty: both are
  // Normalised gradient descent from W = 0. `comparison` of the first has the distance of the doubles to
  // W_ov.
  std::optional<RunAnswer> feed_forward, attention;
};

// Where both margin problems of `answer` are solved. Datasets and certificates are written beside those of
// the prefix, if there is one: PREFIX-feed-forward-run.npz, .cert, and the same of the attention stage.
Result<EmbeddedTraining> train_with_embeddings(const NtpRequest& request, const NtpAnswer& answer,
                                               AuditWatch& watch);

// The files that may be written.
void declare_embedded_training(OutputFiles& files, const std::string& prefix);

}  // namespace attest
