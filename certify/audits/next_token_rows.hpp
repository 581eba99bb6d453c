// The catalogue's rows about next-token prediction (paper E), decided on a text.
#pragma once

#include <vector>

#include "certify/audits/ntp.hpp"
#include "certify/catalogue/row.hpp"

namespace attest {

// E.data, E.ov, E.kq, E.loss, E.shift, from what else `answer` has.
std::vector<Row> next_token_rows(const NtpAnswer& answer);

}  // namespace attest
