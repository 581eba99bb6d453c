// The Coq file that states and proves a certificate's claims about an instance.
#pragma once

#include <string>

#include "certify/coq/claims.hpp"

namespace attest {

// A complete file for coqc with the development of proofs/coq: the instance and its hash, the certificate,
// one computation of the checker, and one theorem without hypotheses for each exported claim, of which there
// must be one; of both stages of sentences a module each. `source` names the certificate and the instance in
// the file's first comment.
std::string coq_file(const attest_check::Certificate& certificate, const std::vector<CoqClaims>& parts,
                     const std::string& source);

}  // namespace attest
