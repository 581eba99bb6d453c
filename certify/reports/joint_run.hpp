// What `attest run --joint` tells.
#pragma once

#include <string>

#include "certify/audits/joint_run.hpp"

namespace attest {

// For people.
std::string text(const JointRunAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const JointRunAnswer& answer);

}  // namespace attest
