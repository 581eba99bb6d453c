// What `attest run --joint` finds, as one page.
#pragma once

#include <string>

#include "certify/audits/joint_run.hpp"

namespace attest {

std::string html(const JointRunAnswer& answer);

}  // namespace attest
