// From named arrays to an instance: shapes, settings, labels and finiteness are checked here, once, for all
// formats.
#pragma once

#include "certify/instance/instance.hpp"
#include "certify/instance/raw.hpp"

namespace attest {

// Throws InputFailure naming key and index when the arrays do not describe an instance
// (certify/INSTANCES.md).
Instance assemble_instance(RawInstance raw);

}  // namespace attest
