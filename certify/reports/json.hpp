// What the JSON answers have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "certify/audits/certificate_file.hpp"
#include "numerics/numbers/ball.hpp"
#include "numerics/numbers/interval.hpp"

namespace attest {

using Json = nlohmann::ordered_json;

// Significant digits of an enclosure's ends, at least.
inline constexpr int json_digits = 40;

// {"lo", "hi"}, plain decimals rounded outward; null when there is none.
Json json_enclosure(const std::optional<Interval>& x, int digits = json_digits);
// The same; null when it is not finite.
Json json_enclosure(const Ball& x, int digits = json_digits);

// [{"kind", "level"}, ...]
Json json_claims(const std::vector<WrittenClaim>& claims);

// The path, null when none was written.
Json json_file(const CertificateFile& file);

// The value's text and a newline. Bytes that are no UTF-8 are replaced.
std::string written(const Json& value);

}  // namespace attest
