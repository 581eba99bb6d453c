// The use case `convert`: the same instance in another format.
#pragma once

#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/process/input_error.hpp"

namespace attest {

struct ConvertRequest {
  std::string in, out;  // paths; the formats of read_instance and write_instance
  std::size_t memory_limit = 0;
  bool force = false;  // replace a file that exists
};

std::optional<InputError> convert(const ConvertRequest& request, AuditWatch& watch);

}  // namespace attest
