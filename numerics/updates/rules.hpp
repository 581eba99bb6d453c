// The update rules by name, for the registry alone: everything else looks them up by their word.
#pragma once

#include "numerics/runs/update_rule.hpp"

namespace attest {

#define ATTEST_RULE(name) const UpdateRule& name();
#include "numerics/updates/rules.inc"
#undef ATTEST_RULE

}  // namespace attest
