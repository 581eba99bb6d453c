// What `attest run --parameterization kq` tells.
#pragma once

#include <string>

#include "certify/audits/factored_run.hpp"

namespace attest {

// For people.
std::string text(const FactoredRunAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const FactoredRunAnswer& answer);

}  // namespace attest
