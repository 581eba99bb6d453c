#include "certify/reports/finite_part.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/margin_facts.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

Json enclosure(const std::optional<Ball>& ball) {
  return ball ? json_enclosure(*ball) : Json(nullptr);
}

// [group, token, token]
Json json_equation(const MarginRow& row) {
  return {row.group, row.winner, row.loser};
}

Ball norm(const FiniteEquations::LeastNorm& found) {
  constexpr long bits = 256;
  return sqrt(max(found.norm_squared, Ball(0), bits), bits);
}

// "log s(0,2)/s(0,1)".
std::string equation_text(const MarginRow& row) {
  const std::string group = std::to_string(row.group) + ",";
  return "log s(" + group + std::to_string(row.winner) + ")/s(" + group + std::to_string(row.loser) + ")";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> finite_part_lines(const FinitePart& finite) {
  if (const auto& contradiction = finite.contradiction) {
    std::string text = "inconsistent: " + equation_text(finite.equations[contradiction->equation]) + " is";
    std::string sum;
    for (std::size_t j = 0; j < contradiction->on.size(); ++j) {
      if (contradiction->on[j] == 0) continue;
      sum += (sum.empty() ? " " : " + ") + show(contradiction->on[j]) + " " +
             equation_text(finite.equations[finite.independent[j]]);
    }
    return {{"finite part W_fin", text + (sum.empty() ? " 0" : sum) + " for every W; the ratios say " +
                                      short_number(finite.excess) + " more"}};
  }
  if (!finite.least_norm) return {{"finite part W_fin", "undecided: precision"}};
  return {{"norm ||W_fin||", short_number(norm(*finite.least_norm), 12) + ", of " +
                                 std::to_string(finite.equations.size()) + " equations, " +
                                 std::to_string(finite.independent.size()) + " independent"}};
}

Json json_finite_part(const FinitePart& finite) {
  Json value{{"verdict", finite.contradiction ? "fails"
                         : finite.least_norm  ? "holds"
                                              : "undecided"},
             {"equations", finite.equations.size()},
             {"norm_value", nullptr}};
  if (const auto& found = finite.least_norm) {
    value["norm_value"] = enclosure(norm(*found));
    value["coefficients"] = Json::array();
    for (std::size_t j = 0; j < found->coefficient.size(); ++j) {
      value["coefficients"].push_back({{"equation", json_equation(finite.equations[finite.independent[j]])},
                                       {"value", enclosure(found->coefficient[j])}});
    }
  }
  if (const auto& contradiction = finite.contradiction) {
    Json terms = Json::array();
    for (std::size_t j = 0; j < contradiction->on.size(); ++j) {
      if (contradiction->on[j] == 0) continue;
      terms.push_back({{"equation", json_equation(finite.equations[finite.independent[j]])},
                       {"factor", contradiction->on[j].str()}});
    }
    value["witness"] = {{"equation", json_equation(finite.equations[contradiction->equation])},
                        {"sum", std::move(terms)},
                        {"excess", enclosure(finite.excess)}};
  }
  return value;
}

Json json_sets(const SelectedSetsRun& seen) {
  Json value{{"sets", seen.sets}, {"margin_problem", verdict_word(seen.solution.feasibility)}};
  if (const std::vector<Constraint> rows = conflict_rows(seen.solution); !rows.empty())
    value["witness"] = json_conflict(rows);
  if (!seen.solution.reason.empty()) value["reason"] = seen.solution.reason;
  value["ratios"] = seen.finite ? "given" : "computed";
  if (seen.finite) value["finite_part"] = json_finite_part(*seen.finite);
  value["checkpoints"] = Json::array();
  for (const FinitePartPoint& point : seen.points) {
    value["checkpoints"].push_back({{"t", point.step},
                                    {"least_selected", enclosure(point.least_selected)},
                                    {"greatest_masked", enclosure(point.greatest_masked)},
                                    {"norm", enclosure(point.norm)},
                                    {"finite_norm", enclosure(point.finite_norm)},
                                    {"factor", enclosure(point.factor)},
                                    {"one_minus_corr", enclosure(point.one_minus_corr)}});
  }
  return value;
}

Json json_later_sets(const std::vector<LaterSets>& later) {
  Json value = Json::array();
  for (const LaterSets& sets : later) {
    Json lost = Json::array();
    for (const Constraint& token : sets.lost) lost.push_back({token.group, token.token});
    value.push_back({{"from", sets.from},
                     {"one_minus_s", decimal_up(sets.lacking, 12)},
                     {"masked_at_most", decimal_up(sets.masked_at_most, 12)},
                     {"lost", std::move(lost)}});
  }
  return value;
}

std::string later_sets_line(const LaterSets& later) {
  std::string text = "a set lacks " + decimal_up(later.lacking, 6) +
                     " of the attention at most, a token outside has " + decimal_up(later.masked_at_most, 6) +
                     " at most";
  if (!later.lost.empty())
    text += ", that of " + std::to_string(later.lost.size()) + " of the sets' tokens tends to 0";
  return text + " (from t = " + std::to_string(later.from) + " on)";
}

}  // namespace attest
