// Instances as JSON: numbers are exact decimals read as written, strings may hold what a decimal cannot.
#pragma once

#include <string>
#include <string_view>

#include "certify/instance/raw.hpp"

namespace attest {

// Parses one JSON object of instance keys. Lists nest at most three deep; only X, K and scores may be ragged,
// in their second axis. Throws InputFailure naming key and index.
RawInstance parse_json_instance(std::string_view text);

}  // namespace attest
