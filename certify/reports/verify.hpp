// What `attest verify` tells: the rows of the theorem catalogue.
#pragma once

#include <string>

#include "certify/audits/verify.hpp"

namespace attest {

// For people; with `details`, statements and every hypothesis.
std::string text(const VerifyAnswer& answer, bool details);
// One JSON value (certify/JSON.md).
std::string json(const VerifyAnswer& answer);

}  // namespace attest
