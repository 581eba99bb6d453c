// --norm and --gap, which commands about margin problems share.
#pragma once

#include <CLI/CLI.hpp>
#include <utility>

#include "numerics/norms/optimum.hpp"

namespace attest {

// Both options, in this order.
std::pair<CLI::Option*, CLI::Option*> add_norm(CLI::App& app, NormRequest& request);

}  // namespace attest
