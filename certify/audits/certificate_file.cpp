#include "certify/audits/certificate_file.hpp"

#include "certify/process/file_bytes.hpp"
#include "certify/process/sha256.hpp"

namespace attest {

std::optional<InputError> write_certificate_file(const Certificate& certificate, const OutputFiles& files,
                                                 CertificateFile& file) {
  if (file.wanted.empty() || certificate.claims.empty()) return std::nullopt;
  const std::string bytes = file.wanted.ends_with(".gz") ? gzip(certificate.text) : certificate.text;
  if (auto error = files.write(file.wanted, bytes)) return error;
  file.path = file.wanted;
  file.bytes = bytes.size();
  file.sha256 = sha256(bytes);
  file.verified = certificate.verified;
  return std::nullopt;
}

}  // namespace attest
