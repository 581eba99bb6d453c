// The file that a use case writes its certificate to.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "certify/certificates/margin.hpp"
#include "certify/process/input_error.hpp"
#include "certify/process/output_files.hpp"

namespace attest {

struct CertificateFile {
  std::string wanted;  // where one was asked for; empty: nowhere
  std::string path;    // empty when none was written
  std::size_t bytes = 0;
  std::string sha256;     // of its bytes, as they are on disk
  bool verified = false;  // attest-check-verified knows every claim of it, too
};

// Writes the certificate where it is wanted, if it has a claim: only proved claims are written. A name that
// ends in .gz compresses it. `files` has the output declared.
std::optional<InputError> write_certificate_file(const Certificate& certificate, const OutputFiles& files,
                                                 CertificateFile& file);

}  // namespace attest
