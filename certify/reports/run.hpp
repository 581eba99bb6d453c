// What `attest run` tells: certified observations, their rates, and what is proved about all later steps.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/run.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// For people (run_text.cpp).
std::string text(const RunAnswer& answer);
// One JSON value (certify/JSON.md), and it as text.
Json json_value(const RunAnswer& answer);
std::string json(const RunAnswer& answer);

// "complete", "stationary" or "undecided".
const char* verdict_word(RunVerdict verdict);

// What is known about all later steps: the key `forever`.
Json json_forever(const ForeverAnswer& forever);

// The record's checkpoints, without those that only claims about all later steps start from.
std::vector<RunPoint> reported(const RunRecord& record);

}  // namespace attest
