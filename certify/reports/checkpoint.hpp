// What `attest checkpoint` tells: attention, the nearest selection, what is proved from here on, what blocks.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/checkpoint.hpp"

namespace attest {

// For people.
std::string text(const CheckpointAnswer& answer);
// One JSON value (certify/JSON.md).
std::string json(const CheckpointAnswer& answer);

// The answer in sentences: where the attention is, which selection W is nearest to, what follows.
std::vector<std::string> summary(const CheckpointAnswer& answer);

// "holds", "open" or "undecided".
const char* verdict_word(const CheckpointAnswer& answer);
// "margins", ...; empty when nothing blocks.
std::string blockage_word(Blockage blockage);

}  // namespace attest
