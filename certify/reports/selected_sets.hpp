// What `attest certify --selected-sets` tells.
#pragma once

#include <string>

#include "certify/audits/selected_sets.hpp"

namespace attest {

// For people.
std::string text(const SelectedSetsAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const SelectedSetsAnswer& answer);

}  // namespace attest
