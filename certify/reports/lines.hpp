// Columns of text.
#pragma once

#include <cstddef>
#include <string>

#include "certify/audits/certificate_file.hpp"

namespace attest {

// At least so wide, with one space after the text at least.
std::string padded(std::string text, std::size_t width);

// `text` behind `column` spaces, broken at spaces before `width`. The first line's spaces are already there.
std::string wrapped(const std::string& text, std::size_t column, std::size_t width);

// What is said of `what`, with the level "checked" where that is said; without a value there is none to say.
std::string fact_line(const std::string& what, const std::string& value, bool checked = false);

// "1 token", "3 tokens".
std::string several(std::size_t count, const std::string& thing);

// "run.cert, 7 claims, 14,114 bytes": a certificate that was written.
std::string certificate_words(const CertificateFile& file, std::size_t claims);

// "attest-check data.npz run.cert", for a shell.
std::string check_command(const std::string& instance, const CertificateFile& file);

// "s FEASIBLE": the last line of an answer, from the verdict in small letters.
std::string verdict_line(std::string verdict, bool vacuous = false);

}  // namespace attest
