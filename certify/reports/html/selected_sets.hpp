// What `attest certify --selected-sets` finds, as one page.
#pragma once

#include <string>

#include "certify/audits/selected_sets.hpp"

namespace attest {

std::string html(const SelectedSetsAnswer& answer);

}  // namespace attest
