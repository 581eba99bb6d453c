// The problems of a certificate: read from its lines, and said in `v` lines (GRAMMAR.md sections 2 and 6).
#pragma once

#include "proofs/checker/text/context.hpp"

namespace attest_check {

// The problem whose first line, after the word "problem", is `first`.
Problem read_problem(Line& first, CertificateText& text, Certificate& certificate);

// "setting ...": the problem's lines, as the `v` lines of claims about it end.
void describe_problem(const Problem& problem, Statement& say);

}  // namespace attest_check
