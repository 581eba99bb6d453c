// What `attest certify --norm` tells of a norm other than the Euclidean one.
#pragma once

#include <string>

#include "certify/audits/certify.hpp"
#include "certify/reports/json.hpp"

namespace attest {

// For people.
std::string norm_text(const CertifyAnswer& answer);
// Of all solutions: are there more than one, and of which rank or in which face are they?
std::string solutions_words(const CertifyAnswer& answer);
// One JSON value (certify/JSON.md).
Json norm_json_value(const CertifyAnswer& answer);

}  // namespace attest
