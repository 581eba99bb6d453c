// What `attest ntp` tells: collocation, orders, both stages, predictions.
#pragma once

#include <string>

#include "certify/audits/ntp.hpp"

namespace attest {

// For people.
std::string text(const NtpAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const NtpAnswer& answer);

}  // namespace attest
