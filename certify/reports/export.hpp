// What `attest export` tells.
#pragma once

#include <string>

#include "certify/audits/export.hpp"

namespace attest {

// What was written, on standard output.
std::string text(const ExportAnswer& answer);
// Why nothing was, on standard error; empty when something was.
std::string complaint(const ExportAnswer& answer);

}  // namespace attest
