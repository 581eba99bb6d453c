// What `attest certify --joint` tells.
#pragma once

#include <string>

#include "certify/audits/joint.hpp"

namespace attest {

// For people.
std::string text(const JointAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const JointAnswer& answer);

}  // namespace attest
