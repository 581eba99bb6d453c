#include "certify/reports/html/provenance.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "certify/reports/lines.hpp"

namespace attest {

std::string shell_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("._/-+,=@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string file_name(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos || name.size() == 1 ? name : name.substr(slash + 1);
}

Fact time_fact(const std::string& what, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return {what, text, Level::measured};
}

void add_provenance(PageContent& page, const Provenance& provenance) {
  page.section("Where this comes from, and how to check it");
  const std::string instance = shell_word(provenance.instance_path);
  const CertificateFile* const file = provenance.certificate;
  std::vector<Fact> facts = {{"dataset", provenance.instance_path},
                             {"SHA-256 of its numbers", provenance.instance_sha256}};
  if (file != nullptr && !file->path.empty()) {
    facts.push_back({"certificate", certificate_words(*file, provenance.claims.size())});
    facts.push_back({"SHA-256 of the file", file->sha256});
  }
  facts.insert(facts.end(), provenance.costs.begin(), provenance.costs.end());
  page.facts("Files, hashes and cost", facts);
  page.paragraph(
      "The hash of a dataset is that of its canonical text (attest convert DATASET x.txt, then sha256sum "
      "x.txt): the same numbers in another format have the same hash. A certificate names it.");
  if (!provenance.claims.empty()) {
    std::map<std::string, std::size_t> count;
    for (const WrittenClaim& claim : provenance.claims) ++count[claim.kind];
    Table table{"Claims of the certificate", {{"kind"}, {"how many", true}}, {}};
    for (const auto& [kind, times] : count)
      table.rows.push_back({{kind}, {std::to_string(times), static_cast<double>(times)}});
    if (file != nullptr && !file->path.empty()) page.table(table);
  }
  if (file != nullptr && !file->path.empty()) {
    const std::string certificate = shell_word(file->path);
    const std::string check = "attest-check " + instance + " " + certificate;
    const std::string verified = "\nattest-check-verified " + instance + " " + certificate;
    page.paragraph(
        std::string("A small program that shares no code with attest re-checks every claim from the "
                    "dataset's own file") +
        (file->verified ? "; a second one is proved sound in Coq:" : ":"));
    page.command(check + (file->verified ? verified : ""));
  } else if (!provenance.make_again.empty()) {
    page.paragraph("No certificate was written. To have one and to check it independently:");
    page.command(provenance.make_again + " -o x.cert\nattest-check " + instance + " x.cert");
  } else if (!provenance.claims.empty()) {
    page.paragraph(
        "No certificate was written: with -o FILE the same command writes one, which attest-check "
        "re-checks.");
  }
}

}  // namespace attest
