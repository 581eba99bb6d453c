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
std::string sequence_list(const std::vector<std::size_t>& sequences) {
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
                     "sequences " + sequence_list(conflict_groups(rows)) +
                         ": no v gives all their selected tokens the sign of their labels",
                     true);
  }
  out += norm_lines("  norm ||v*||", "  label margin 1/||v*||", decoder, answer.precision_bits);
  if (decoder.feasibility != Feasibility::feasible) return out;
  if (answer.problems.supporting) {
    out += fact_line("  supporting sequences",
                     std::to_string(answer.problems.supporting->size()) + " of " +
                         std::to_string(answer.selection.size()) + ": " +
                         sequence_list(*answer.problems.supporting),
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
  out += fact_line("  problem", answer.problems.relaxed.empty()
                                    ? "plain: margins >= 1, every sequence supports the decoder"
                                    : "relaxed: margins >= 1, and >= 0 in sequences " +
                                          sequence_list(answer.problems.relaxed));
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

std::string label_margin_lines(const LabelMargins& margins) {
  return fact_line("label margins (A.margin)", margins.words(),
                   margins.all != Verdict::undecided || margins.supporting != Verdict::undecided);
}

// Exact doubles in shortest decimals that read back as the same ones, d x e.
Json json_matrix(const std::vector<double>& entries, std::size_t columns) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (k % columns == 0) rows.push_back(Json::array());
    rows.back().push_back(entries[k]);
  }
  return rows;
}

Json json_label_margins(const LabelMargins& margins, const TokenData& data) {
  Json value{{"verdict", name(margins.all)}, {"verdict_supporting", name(margins.supporting)}};
  const bool proved = margins.supporting == Verdict::holds;
  value["nu"] = proved ? Json(decimal_down(Rational(margins.cover.proved), 12)) : Json(nullptr);
  value["pieces"] = margins.cover.pieces;
  value["finished"] = margins.cover.finished;
  if (!margins.reason.empty()) value["reason"] = margins.reason;
  value["witness"] = nullptr;
  if (!margins.witness) return value;
  value["witness"] = {{"kind", margins.witness->ray ? "ray" : "point"},
                      {"W", json_matrix(margins.witness->attention, data.right_dimension)}};
  if (margins.witness->ray) return value;
  value["witness"]["v"] = margins.witness->decoder;
  value["witness"]["label_margin"] = json_enclosure(margins.witness->margin);
  return value;
}

// "holds", "fails" where there is no path to bound, or "undecided".
const char* path_verdict(const JointAnswer& answer) {
  return answer.path ? "holds" : answer.no_path() ? "fails" : "undecided";
}

std::string path_lines(const JointAnswer& answer) {
  std::string out = fact_line("joint path", path_verdict(answer), answer.decided());
  if (!answer.path) return out + fact_line("  reason", answer.path_reason);
  const JointPathBound& bound = *answer.path;
  const auto up = [](const Ball& x) { return decimal_up(x.upper(), 8); };
  out += fact_line("  from radii", "R >= " + decimal_up(bound.least_radius, 8) +
                                       " and r >= " + decimal_up(bound.least_decoder_radius, 8) +
                                       (bound.relaxed ? ", r >= " + up(bound.slope) + " R" : "") +
                                       ", with (v, W) any minimiser over ||v|| <= r, ||W|| <= R:");
  out += fact_line("  1 - <u_v,v>/r",
                   "<= " + up(bound.decoder_decay) + " exp(-" + decimal_down(bound.gamma.lower(), 8) +
                       " R) + " + up(bound.decoder_rate) + "/r",
                   true);
  out += fact_line("  1 - <u_W,W>/R", "<= " + up(bound.rate) + "/R", true);
  const bool claimed = std::any_of(answer.certificate.claims.begin(), answer.certificate.claims.end(),
                                   [](const WrittenClaim& claim) { return claim.kind == "joint-path"; });
  return out + fact_line("  certificate", claimed ? "claims label-margins and joint-path hold the path"
                                                  : "holds both problems, and not the path");
}

Json json_path(const JointAnswer& answer) {
  Json value{{"verdict", path_verdict(answer)}, {"loss", name(answer.loss)}};
  if (!answer.path) {
    value["reason"] = answer.path_reason;
    return value;
  }
  const JointPathBound& bound = *answer.path;
  const auto up = [](const Ball& x) { return decimal_up(x.upper(), 20); };
  value["problem"] = bound.relaxed ? "relaxed" : "plain";
  value["from_radius"] = decimal_up(bound.least_radius, 20);
  value["from_decoder_radius"] = decimal_up(bound.least_decoder_radius, 20);
  value["slope"] = bound.relaxed ? up(bound.slope) : "0";
  value["gamma"] = json_enclosure(bound.gamma);
  value["decoder_decay"] = up(bound.decoder_decay);
  value["decoder_rate"] = up(bound.decoder_rate);
  value["rate_constant"] = up(bound.rate);
  return value;
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
  out += decoder_lines(answer) + label_margin_lines(answer.label_margins) + attention_lines(answer);
  if (answer.shifted) out += shifted_lines(*answer.shifted);
  if (answer.path_asked) out += path_lines(answer);
  if (!answer.file.path.empty())
    out += fact_line("certificate", certificate_words(answer.file, answer.certificate.claims.size()));
  char line[160];
  std::snprintf(line, sizeof line, "c read %.3f s, solve %.3f s, total %.3f s\n", answer.read_seconds,
                answer.solve_seconds, answer.total_seconds);
  out += line;
  out += "c path decoder " + answer.problems.decoder.statistics.path;
  if (answer.problems.attention) out += ", attention " + answer.problems.attention->statistics.path;
  if (answer.path_asked) verdict = path_verdict(answer);
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
  value["label_margins"] = json_label_margins(answer.label_margins, answer.data);
  if (answer.shifted) value["shifted"] = json_shifted(*answer.shifted);
  if (answer.path_asked) value["path"] = json_path(answer);
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
