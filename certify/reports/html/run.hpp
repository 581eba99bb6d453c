// The page of `attest run --report`.
#pragma once

#include <string>

#include "certify/audits/run.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const RunAnswer& answer);

}  // namespace attest
