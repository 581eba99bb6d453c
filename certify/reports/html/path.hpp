// What `attest path` finds, as one page.
#pragma once

#include <string>

#include "certify/audits/path.hpp"

namespace attest {

std::string html(const PathAnswer& answer);

}  // namespace attest
