// The use case `info`: what an instance is, before anything is decided about it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/instance/instance.hpp"
#include "certify/instance/sentences.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

struct InfoRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::size_t memory_limit = 0;
};

struct InfoAnswer {
  std::string instance_path, sha256;
  Instance instance;
  std::optional<SentenceData> sentences;  // instead of the instance: of what follows nothing is told
  std::size_t fewest_tokens = 0, most_tokens = 0, constraints = 0;
  std::size_t positive = 0, negative = 0;  // labels
  std::vector<TokenClass> merged;
  std::size_t tied_groups = 0;
  std::optional<ScoreTie> tie;  // the first one
  // What is held, and what `certify` holds at its peak: predicted, at least the measured one and about twice
  // that at most; the last for an exact solution.
  std::size_t instance_bytes = 0, certify_bytes = 0, exact_bytes = 0;

  bool decided() const { return true; }
};

Result<InfoAnswer> info(const InfoRequest& request, AuditWatch& watch);

}  // namespace attest
