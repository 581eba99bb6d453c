// The whole check of a certificate that is in memory, and what may be asked of it whatever the certificate
// says.
#pragma once

#include <string>
#include <string_view>

#include "proofs/checker/checker.hpp"
#include "proofs/checker/instance/instance.hpp"

namespace fuzz {

// The exit status of attest-check; any other end of the check leaves this function as an exception.
attest_check::Exit status_of(const attest_check::Instance& instance, std::string_view certificate);

// The certificate with this hash in its third line, where it has one.
std::string with_hash(std::string_view certificate, const std::string& hash);

// A run of more than 64 steps or 512 fraction bits, or an eigenvalue bound with more than 512 bits: following
// it may take long without doing wrong.
bool takes_long(std::string_view certificate);

// Ends the program unless the certificate is one by the grammar, as the reference reads it.
void require_grammar(std::string_view certificate);

}  // namespace fuzz
