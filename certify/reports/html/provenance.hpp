// The end of every page: which file was looked at, what was certified about it, and how to check that again.
#pragma once

#include <string>
#include <vector>

#include "certify/audits/certificate_file.hpp"
#include "certify/instance/instance.hpp"
#include "certify/reports/html/page.hpp"

namespace attest {

struct Provenance {
  std::string instance_path, instance_sha256;
  const CertificateFile* certificate = nullptr;  // null: the use case writes none
  std::vector<WrittenClaim> claims;
  std::string make_again;  // the command that writes a certificate, where there is none: "attest certify"
  std::vector<Fact> costs;
};

// The text as one word of a shell.
std::string shell_word(const std::string& text);

// "0.123 s", measured.
Fact time_fact(const std::string& what, double seconds);

// Of a use case that writes a certificate and knows its instance's hash.
template <class Answer>
Provenance provenance_of(const Answer& answer) {
  Provenance provenance;
  provenance.instance_path = answer.instance_path;
  provenance.instance_sha256 = answer.instance_sha256;
  provenance.certificate = &answer.file;
  provenance.claims = answer.certificate.claims;
  provenance.costs = {time_fact("time in all", answer.total_seconds)};
  return provenance;
}

// Of one that has the instance; `command`: that of make_again, without the instance.
template <class Answer>
Provenance provenance_of(const Answer& answer, const std::string& command) {
  Provenance provenance;
  provenance.instance_path = answer.instance_path;
  provenance.instance_sha256 = canonical_sha256(answer.instance);
  provenance.certificate = &answer.file;
  provenance.claims = answer.certificate.claims;
  if (!provenance.claims.empty()) provenance.make_again = command + " " + shell_word(answer.instance_path);
  provenance.costs = {time_fact("time to read", answer.read_seconds),
                      time_fact("time in all", answer.total_seconds)};
  return provenance;
}

void add_provenance(PageContent& page, const Provenance& provenance);

// The last name of a path, for titles.
std::string file_name(const std::string& path);

}  // namespace attest
