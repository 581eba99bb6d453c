// What `attest certify` tells: the decided facts.
#pragma once

#include <string>

#include "certify/audits/certify.hpp"

namespace attest {

// For people.
std::string text(const CertifyAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const CertifyAnswer& answer);

}  // namespace attest
