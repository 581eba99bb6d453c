// What `attest run` tells of mirror descent.
#pragma once

#include <string>

#include "certify/audits/mirror_run.hpp"

namespace attest {

// For people.
std::string text(const MirrorRunAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const MirrorRunAnswer& answer);

}  // namespace attest
