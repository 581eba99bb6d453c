// What `attest run` finds of training of (K,Q), as one page.
#pragma once

#include <string>

#include "certify/audits/factored_run.hpp"

namespace attest {

std::string html(const FactoredRunAnswer& answer);

}  // namespace attest
