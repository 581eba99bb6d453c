// Both stages of next-token prediction trained: their part of the answer's text and JSON.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/audits/ntp.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// Lines as (what, value), without a value for `what` where a line goes on; none when nothing was trained.
std::vector<std::pair<std::string, std::string>> training_lines(const NtpAnswer& answer);

// Null when nothing was trained.
Json json_training(const NtpAnswer& answer);

}  // namespace attest
