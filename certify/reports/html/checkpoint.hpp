// The page of `attest checkpoint --report`.
#pragma once

#include <string>

#include "certify/audits/checkpoint.hpp"

namespace attest {

// HTML that needs nothing beside it; well-formed XML.
std::string html(const CheckpointAnswer& answer);

}  // namespace attest
