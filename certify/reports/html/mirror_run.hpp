// What `attest run` finds of mirror descent, as one page.
#pragma once

#include <string>

#include "certify/audits/mirror_run.hpp"

namespace attest {

std::string html(const MirrorRunAnswer& answer);

}  // namespace attest
