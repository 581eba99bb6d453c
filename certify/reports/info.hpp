// What `attest info` tells: shapes, exactness, ties, memory.
#pragma once

#include <string>

#include "certify/audits/info.hpp"

namespace attest {

// For people.
std::string text(const InfoAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const InfoAnswer& answer);

}  // namespace attest
