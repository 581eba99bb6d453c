// The end of every page: which file was looked at, what was certified about it, and how to check that again.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/certificate_file.hpp"
#include "certify/reports/html/page.hpp"

namespace attest {

struct Provenance {
  std::string instance_path, instance_sha256;
  const CertificateFile* certificate = nullptr;  // null: the use case writes none
  std::vector<WrittenClaim> claims;
  std::string make_again;  // the command that writes a certificate, where there is none: "attest certify"
  std::vector<Fact> costs;
};

// "0.123 s", measured.
Fact time_fact(const std::string& what, double seconds);

void add_provenance(Page& page, const Provenance& provenance);

// The text as one word of a shell.
std::string shell_word(const std::string& text);

// The last name of a path, for titles.
std::string file_name(const std::string& path);

}  // namespace attest
