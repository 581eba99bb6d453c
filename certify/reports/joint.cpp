#include "certify/reports/joint.hpp"

#include <algorithm>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run_json.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

// "0 2 5", the first few.
std::string listed(const std::vector<std::size_t>& sequences) {
  constexpr std::size_t most_shown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(sequences.size(), most_shown); ++k)
    text += (k == 0 ? "" : " ") + std::to_string(sequences[k]);
  return sequences.size() > most_shown ? text + " ..." : text;
}

std::string decoder_lines(const JointAnswer& answer) {
  const MarginSolution& decoder = answer.problems.decoder;
  std::string out =
      fact_line("decoder", verdict_word(decoder.feasibility), decoder.feasibility != Feasibility::undecided);
  if (const auto rows = conflict_rows(decoder); !rows.empty()) {
    out += fact_line("conflict",
                     "sequences " + listed(conflict_groups(rows)) +
                         ": no v gives all their selected tokens the sign "
                         "of their labels",
                     true);
  }
  out += norm_lines("  norm ||v*||", "  label margin 1/||v*||", decoder, answer.precision_bits);
  if (decoder.feasibility != Feasibility::feasible) return out;
  if (answer.problems.supporting) {
    out += fact_line("  supporting sequences",
                     std::to_string(answer.problems.supporting->size()) + " of " +
                         std::to_string(answer.selection.size()) + ": " + listed(*answer.problems.supporting),
                     true);
  } else {
    out += fact_line("  supporting sequences", "undecided");
  }
  return out + fact_line("  strictly complementary", complementarity_text(decoder),
                         decoder.strictly_complementary.has_value());
}

std::string attention_lines(const JointAnswer& answer) {
  if (!answer.problems.attention) {
    return fact_line("attention", answer.problems.decoder.feasibility == Feasibility::infeasible
                                      ? "not asked: the decoder has no margin to tend to"
                                      : "undecided: its rows depend on the decoder's support");
  }
  const MarginSolution& attention = *answer.problems.attention;
  std::string out = fact_line("attention", verdict_word(attention.feasibility),
                              attention.feasibility != Feasibility::undecided);
  out += fact_line("  problem",
                   answer.problems.relaxed.empty()
                       ? "plain: margins >= 1, every sequence supports the decoder"
                       : "relaxed: margins >= 1, and >= 0 in sequences " + listed(answer.problems.relaxed));
  out += conflict_lines(attention);
  if (attention.feasibility != Feasibility::feasible) return out;
  out += norm_lines("  norm ||W*||", "  margin 1/||W*||", attention, answer.precision_bits);
  out += fact_line("  support tokens", support_text(attention, constraint_count(answer.data)),
                   attention.support.has_value());
  out += fact_line("  strictly complementary", complementarity_text(attention),
                   attention.strictly_complementary.has_value());
  if (answer.rank) out += fact_line("  rank of W*", std::to_string(answer.rank->rank), true);
  return out;
}

std::string shifted_lines(const ShiftedProblem& shifted) {
  std::string out =
      fact_line("shifted problem",
                "decoder's step " + show(shifted.ratio) + " of the attention's, both normalised" +
                    (shifted.solution ? "" : ": undecided, " + shifted.reason),
                shifted.solution.has_value());
  if (!shifted.solution) return out;
  const ShiftedDirection& found = *shifted.solution;
  out += fact_line("  largest shifted margin", short_number(found.direction.margin, 20), true);
  const std::optional<bool> selects = shifted.selects();
  out += fact_line(
      "  least margin",
      short_number(found.least_margin, 20) + (selects ? *selects ? "" : ": not all selected tokens win"
                                                      : ": whether all selected tokens win is open"),
      true);
  if (found.merged > 0) out += fact_line("  equal rows", std::to_string(found.merged) + " merged", true);
  return out + fact_line("  direction",
                         "1 - corr with what is kept of it at most " + decimal_up(Rational(found.gap), 3),
                         true);
}

Json json_shifted(const ShiftedProblem& shifted) {
  Json value{{"ratio", show(shifted.ratio)}, {"verdict", shifted.solution ? "solved" : "undecided"}};
  if (!shifted.reason.empty()) value["reason"] = shifted.reason;
  value["excess"] = Json::array();
  for (const Ball& excess : shifted.excess) value["excess"].push_back(json_enclosure(excess));
  if (!shifted.solution) return value;
  const ShiftedDirection& found = *shifted.solution;
  value["margin"] = json_enclosure(found.direction.margin);
  value["least_margin"] = json_enclosure(found.least_margin);
  const std::optional<bool> selects = shifted.selects();
  value["selects"] = selects ? Json(*selects) : Json(nullptr);
  value["merged_rows"] = found.merged;
  value["direction_gap"] = decimal_up(Rational(found.gap), 6);
  return value;
}

}  // namespace

std::string text(const JointAnswer& answer) {
  std::string out = fact_line("instance", answer.instance_path);
  out += fact_line("problem", "joint training of decoder v and " + setting_words(answer.instance) + ", " +
                                  std::to_string(answer.instance.sequences()) + " sequences, " +
                                  std::to_string(answer.instance.first_row.back()) + " tokens, dimension " +
                                  std::to_string(answer.instance.dimension));
  if (!answer.merged.empty()) out += fact_line("equal tokens", merged_text(answer.merged));
  std::string verdict = verdict_word(answer.problems.feasibility());
  out += fact_line("verdict", verdict, answer.decided());
  if (const std::string why = answer.problems.reason(); !why.empty()) out += fact_line("reason", why);
  out += decoder_lines(answer) + attention_lines(answer);
  if (answer.shifted) out += shifted_lines(*answer.shifted);
  if (!answer.file.path.empty()) {
    out +=
        fact_line("certificate", answer.file.path + ", " + std::to_string(answer.certificate.claims.size()) +
                                     " claims, " + std::to_string(answer.file.bytes) + " bytes");
  }
  char line[160];
  std::snprintf(line, sizeof line, "c read %.3f s, solve %.3f s, total %.3f s\n", answer.read_seconds,
                answer.solve_seconds, answer.total_seconds);
  out += line;
  out += "c path decoder " + answer.problems.decoder.statistics.path;
  if (answer.problems.attention) out += ", attention " + answer.problems.attention->statistics.path;
  std::transform(verdict.begin(), verdict.end(), verdict.begin(),
                 [](char c) { return static_cast<char>(c - 32); });
  return out + "\ns " + verdict +
         (answer.problems.attention && answer.problems.vacuous(answer.data) ? " VACUOUS\n" : "\n");
}

std::string json(const JointAnswer& answer) {
  Json value;
  value["verdict"] = verdict_word(answer.problems.feasibility());
  if (const std::string why = answer.problems.reason(); !why.empty()) value["reason"] = why;
  value["setting"] = name(answer.instance.setting);
  value["norm"] = "euclidean";
  value["merged"] = json_merged(answer.merged);
  value["selection"] = answer.selection;
  value["decoder"] = json_margin_facts(answer.problems.decoder, answer.precision_bits);
  value["decoder"]["supporting"] =
      answer.problems.supporting ? Json(*answer.problems.supporting) : Json(nullptr);
  if (answer.problems.attention) {
    Json attention = {{"problem", answer.problems.relaxed.empty() ? "plain" : "relaxed"},
                      {"relaxed", answer.problems.relaxed}};
    attention.update(json_margin_facts(*answer.problems.attention, answer.precision_bits));
    attention["rank"] = answer.rank ? Json(answer.rank->rank) : Json(nullptr);
    attention["vacuous"] = answer.problems.vacuous(answer.data);
    value["attention"] = std::move(attention);
  } else {
    value["attention"] = nullptr;
  }
  if (answer.shifted) value["shifted"] = json_shifted(*answer.shifted);
  value["claims"] = json_claims(answer.certificate.claims);
  value["certificate"] = json_file(answer.file);
  value["statistics"] = {
      {"decoder_path", answer.problems.decoder.statistics.path},
      {"attention_path", answer.problems.attention ? answer.problems.attention->statistics.path : ""},
      {"read_seconds", answer.read_seconds},
      {"solve_seconds", answer.solve_seconds},
      {"total_seconds", answer.total_seconds},
      {"certificate_bytes", answer.file.bytes},
      {"certificate_lines", answer.certificate.lines}};
  return written(value);
}

}  // namespace attest
