// What `attest certify --joint` finds, as one page.
#pragma once

#include <string>

#include "certify/audits/joint.hpp"

namespace attest {

std::string html(const JointAnswer& answer);

}  // namespace attest
