// What `attest selections` tells: the locally optimal selections.
#pragma once

#include <string>

#include "certify/audits/selections.hpp"

namespace attest {

// For people.
std::string text(const SelectionsAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const SelectionsAnswer& answer);

}  // namespace attest
