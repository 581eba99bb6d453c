// What is told of the finite part W_fin of several selected tokens, and of runs seen from it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/audits/later_attention.hpp"
#include "certify/audits/watched_sets.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// A statement and what it says: "norm ||W_fin||" and its value, or the contradiction.
std::vector<std::pair<std::string, std::string>> finite_part_lines(const FinitePart& finite);

// {"verdict", "norm_value", "coefficients", "witness"} (certify/JSON.md).
Json json_finite_part(const FinitePart& finite);

// The key `selected_sets` of a run.
Json json_sets(const SelectedSetsRun& seen);

// Its key `forever`: an entry for each step from which on something is proved.
Json json_later_sets(const std::vector<LaterSets>& later);

// An entry in words.
std::string later_sets_line(const LaterSets& later);

}  // namespace attest
