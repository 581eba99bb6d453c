// The page of `attest verify --report`.
#pragma once

#include <string>

#include "certify/audits/verify.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const VerifyAnswer& answer);

}  // namespace attest
