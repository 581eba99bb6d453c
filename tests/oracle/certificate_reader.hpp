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
  void claim();

  enum Rows { about_any_rows, about_a_selection };
  enum Cites { cites_nothing, cites_a_claim };
  struct Kind {
    std::string name;
    Rows rows;
    Cites cites;
    void (CertificateReader::*words)(Claim& claim);  // to the end of its last line
  };
  static const std::vector<Kind>& kinds();

  // Parts of several kinds.
  void no_more_words(Claim& claim);
  void from(Claim& claim);
  void rational(Claim& claim);
  Pair pair();
  void at(Claim& claim);
  void vector(Claim& claim, const std::string& name);
  // A vector after its first word.
  void rest_of_vector(Claim& claim, const std::string& name);
  void entries(Claim& claim, const std::string& name);
  void listed(Claim& claim, std::size_t count);
  Number value(const std::string& name);
  std::size_t count(const std::string& name);
  // A line of its own: a name and a count.
  std::size_t count_line(const std::string& name);
  Band band(const std::string& name);

  // Separators, least norms and selections.
  void feasible(Claim& claim);
  void infeasible(Claim& claim);
  void margin_at_most(Claim& claim);
  void optimal(Claim& claim);
  void enclosure(Claim& claim);
  void support(Claim& claim);
  void complementary(Claim& claim);
  void not_complementary(Claim& claim);
  void not_locally_optimal(Claim& claim);
  void not_globally_optimal(Claim& claim);
  void tie(Claim& claim);
  void rank(Claim& claim);
  void conflicts(Claim& claim);
  void separable_without(Claim& claim);
  void robust_radius(Claim& claim);
  void path_for_every_radius(Claim& claim);
  void spanning(Claim& claim);
  void ratios(Claim& claim);
  void finite_part(Claim& claim);
  void no_finite_part(Claim& claim);
  void finite_part_of_run(Claim& claim);

  // Other norms.
  void norm(Claim& claim);
  void norm_optimum(Claim& claim);
  void norm_near_rank(Claim& claim);
  void norm_face(Claim& claim);
  void norm_solution(Claim& claim);
  void matrix(Claim& claim, const std::string& name);
  void mirror_run(Claim& claim);
  void mirror_forever(Claim& claim);
  void factored_run(Claim& claim);
  void factored_forever(Claim& claim);

  // Attention and decoder together.
  void cite(const std::string& name);
  void label_margins(Claim& claim);
  void cover_node();
  void joint_path(Claim& claim);
  void joint_step(const std::string& whose);
  void joint_run(Claim& claim);
  void joint_forever(Claim& claim);

  // Training on sentences.
  void token_ray(Claim& claim);
  void token_run(Claim& claim);
  void token_forever(Claim& claim);
  void token_shift(Claim& claim);
  // The name and a number above 0.
  void positive(const std::string& name);

  // Runs and all their later steps.
  void smoothness(Claim& claim);
  void stationary(Claim& claim);
  void run(Claim& claim);
  void path(Claim& claim);
  void forever(Claim& claim);
  void path_residual(Claim& claim);
  void steps_of(Iteration& iteration, const std::vector<std::string>& rules);
  void specification(Iteration& iteration);
  void checkpoint_lines(std::size_t steps, const std::vector<std::string>& bands,
                        const std::vector<std::string>& optional);
  void start(Iteration& iteration);
  std::size_t cited_run();
  // `lines` lines of these words; the number after each of them.
  void lines_of(std::size_t lines, const std::vector<std::string>& names);
  void lambda_min();
  void outside();

  Walker in_;
  Certificate out_;
};

}  // namespace reference
