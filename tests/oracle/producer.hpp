// An independent producer of certificates, written from proofs/statements/GRAMMAR.md: everything true of a
// problem that the language can say, in one of three forms. It feeds the mutation tests and the corpus
// without trusting the project's own producer.
#pragma once

#include <string>

#include "tests/oracle/dataset.hpp"

namespace reference {

enum class Evidence { exact, gap, lambda_min };

// SHA-256 of the canonical text, 64 lower-case hexadecimal digits.
std::string instance_hash(const Dataset& data);

// A certificate with every claim that the evidence supports. `loss` is one of the grammar's words; with a
// loss other than none a smoothness claim is added. An infeasible problem gets its Farkas vector whatever the
// evidence; forms that need strict complementarity fall back to exact evidence without it.
std::string certificate_text(const Dataset& data, const Choice& choice, Evidence evidence,
                             const std::string& loss);

}  // namespace reference
