// The verdict of an audit in words.
#pragma once

#include <string>

#include "certify/audits/audit.hpp"

namespace attest {

// One paragraph of whole sentences, the most important first.
std::string audit_summary(const AuditedInstance& audited);

// "33 %": a share between 0 and 1, rounded to whole percents.
std::string percent(const Rational& share);
// "1,797".
std::string with_commas(std::size_t number);

}  // namespace attest
