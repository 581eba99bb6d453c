#include "certify/reports/selected_sets.hpp"

#include <cstdio>

#include "certify/reports/finite_part.hpp"
#include "certify/reports/json_parts.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"

namespace attest {

std::string text(const SelectedSetsAnswer& answer) {
  const MarginSolution& solution = answer.solution;
  std::string out = fact_line("instance", answer.instance_path);
  out += fact_line("problem", setting_words(answer.instance) + ", " +
                                  std::to_string(answer.instance.sequences()) + " sequences, " +
                                  std::to_string(answer.instance.first_row.back()) + " tokens, dimension " +
                                  std::to_string(answer.instance.dimension));
  out += fact_line("selected sets", std::to_string(answer.rows) + " constraints >= 1, " +
                                        std::to_string(answer.equalities) + " equalities");
  if (!answer.merged.empty()) out += fact_line("equal tokens", merged_text(answer.merged));
  const std::string verdict = verdict_word(solution.feasibility);
  out += fact_line("verdict", verdict, answer.decided());
  if (!solution.reason.empty()) out += fact_line("reason", solution.reason);
  out += conflict_lines(solution) +
         norm_lines("norm ||W*||", "margin 1/||W*||", solution, answer.precision_bits);
  if (solution.feasibility == Feasibility::feasible) {
    out += fact_line("support tokens", support_text(solution, answer.rows), solution.support.has_value());
    out += fact_line("strictly complementary", complementarity_text(solution),
                     solution.strictly_complementary.has_value());
    if (answer.rank) out += fact_line("rank of W*", std::to_string(answer.rank->rank), true);
  }
  if (answer.finite) {
    for (const auto& [what, value] : finite_part_lines(*answer.finite)) out += fact_line(what, value, true);
  }
  if (!answer.file.path.empty())
    out += fact_line("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  char line[160];
  std::snprintf(line, sizeof line, "c read %.3f s, solve %.3f s, total %.3f s\n", answer.read_seconds,
                answer.solve_seconds, answer.total_seconds);
  return out + line + "c path " + solution.statistics.path + "\n" + verdict_line(verdict, answer.vacuous());
}

Json json_value(const SelectedSetsAnswer& answer) {
  Json value = json_margin_facts(answer.solution, answer.precision_bits);
  value["setting"] = name(answer.instance.setting);
  value["norm"] = "euclidean";
  value["merged"] = json_merged(answer.merged);
  value["selected_sets"] = answer.sets;
  value["equalities"] = answer.equalities;
  if (answer.finite) value["finite_part"] = json_finite_part(*answer.finite);
  value["rank"] = answer.rank ? Json(answer.rank->rank) : Json(nullptr);
  value["vacuous"] = answer.vacuous();
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  value["statistics"] = {
      {"path", answer.solution.statistics.path}, {"read_seconds", answer.read_seconds},
      {"solve_seconds", answer.solve_seconds},   {"total_seconds", answer.total_seconds},
      {"certificate_bytes", answer.file.bytes},  {"certificate_lines", answer.certificate.lines}};
  return value;
}

std::string json(const SelectedSetsAnswer& answer) {
  return written(json_value(answer));
}

}  // namespace attest
