// Reads certificates: problems and claims of every kind (statements/GRAMMAR.md), written down a second time.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/certificate.hpp"
#include "tests/oracle/certificate_words.hpp"

namespace reference {

class CertificateReader {
 public:
  explicit CertificateReader(const std::string& text) : in_(text) {}

  Certificate read();

 private:
  void header();
  void footer();
  void problem();
  void rows(Problem& problem);
  std::vector<std::size_t> count_and_list();
  std::vector<std::size_t> increasing(std::vector<std::size_t> list) const;
  std::vector<std::size_t> set(const std::string& word) const;
  void rational(Claim& claim);
  Pair pair();
  void at(Claim& claim);
  void from(Claim& claim);
  void vector(Claim& claim, const std::string& name);
  void claim();
  void details(Claim& claim);
  void of_runs(Claim& claim);
  void tie(Claim& claim);
  void conflicts(Claim& claim);
  void label_margins(Claim& claim);
  void cover_node();
  void cite(const std::string& name);
  void joint_path(Claim& claim);
  void joint_step(const std::string& whose);
  void joint_run(Claim& claim);
  void joint_forever(Claim& claim);
  void separable_without(Claim& claim);
  void infeasible(Claim& claim);
  Number value(const std::string& name);
  std::size_t count(const std::string& name);
  // A line of its own: a name and a count.
  std::size_t count_line(const std::string& name);
  Band band(const std::string& name);
  void specification(Iteration& iteration);
  void start(Iteration& iteration);
  void run(RunClaim& run);
  std::size_t cited_run();
  void path(PathClaim& path);
  // `lines` lines of these words; the number after each of them.
  void lines_of(std::size_t lines, const std::vector<std::string>& names);
  void lambda_min();
  void outside();
  void forever(Claim& claim);
  // A vector after its first word.
  void rest_of_vector(Claim& claim, const std::string& name);
  void entries(Claim& claim, const std::string& name);
  void enclosure(Claim& claim);
  void support(Claim& claim);
  void listed(Claim& claim, std::size_t count);
  void spanning(Claim& claim);
  void ratios(Claim& claim);
  void finite_part(Claim& claim);
  void norm(Claim& claim);
  void norm_optimum(Claim& claim);
  void matrix(Claim& claim, const std::string& name);
  void rank(Claim& claim);

  Walker in_;
  Certificate out_;
};

}  // namespace reference
