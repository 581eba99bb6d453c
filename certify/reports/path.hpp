// What `attest path` tells: from which radius on the regularisation path is bounded, or why it is not.
#pragma once

#include <string>

#include "certify/audits/path.hpp"

namespace attest {

// For people.
std::string text(const PathAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const PathAnswer& answer);

}  // namespace attest
