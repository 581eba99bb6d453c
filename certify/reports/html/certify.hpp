// The page of `attest certify --report`.
#pragma once

#include <string>

#include "certify/audits/certify.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const CertifyAnswer& answer);

}  // namespace attest
