// The use case `selections`: the locally optimal selections of an instance with their margins.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/audits/certificate_file.hpp"
#include "numerics/margin/selection_search.hpp"

namespace attest {

struct SelectionsRequest {
  std::string instance;                  // path
  std::shared_ptr<const Instance> held;  // one in memory, instead of the file
  std::string certificate;               // path to write to; empty: nowhere
  std::optional<std::size_t> budget;     // margin problems to solve at most; nothing: some seconds' worth
  long precision_bits = 192;
  std::size_t memory_limit = 0;
  bool force = false;  // replace an existing file that is not a certificate
};

struct SelectionsAnswer {
  std::string instance_path;
  Setting setting = Setting::self_attention;
  std::vector<TokenClass> merged;
  std::size_t budget = 0;
  SelectionSearch search;
  Certificate certificate;  // of what was found, where one is wanted or the instance is in memory
  CertificateFile file;

  // Why the search says less than it might; empty when it was ended by nothing but its own budget of margin
  // problems.
  std::string reason() const;
  bool decided() const { return reason().empty(); }
};

Result<SelectionsAnswer> selections(const SelectionsRequest& request, AuditWatch& watch);

}  // namespace attest
