// What `attest path` tells: from which radius on the regularisation path is bounded, or why it is not.
#pragma once

#include <string>

#include "certify/audits/path.hpp"

namespace attest {

// Tokens, loss and norm.
std::string path_problem(const PathAnswer& answer);
// Why nothing is bounded; empty when the path is.
std::string path_reason(const PathAnswer& answer);
// What can be done about it; empty when there is nothing to say.
std::string path_advice(const PathAnswer& answer);

// For people.
std::string text(const PathAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const PathAnswer& answer);

}  // namespace attest
