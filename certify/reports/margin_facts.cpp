#include "certify/reports/margin_facts.hpp"

#include <cmath>

#include "certify/reports/conflict.hpp"
#include "certify/reports/lines.hpp"

namespace attest {
namespace {

Json json_ends(const DecimalEnclosure& value) {
  return {{"lo", value.lo}, {"hi", value.hi}};
}

}  // namespace

const char* verdict_word(Feasibility feasibility) {
  switch (feasibility) {
    case Feasibility::feasible:
      return "feasible";
    case Feasibility::infeasible:
      return "infeasible";
    case Feasibility::undecided:
      break;
  }
  return "undecided";
}

std::optional<NormFacts> norm_facts(const MarginSolution& solution, long precision_bits) {
  if (solution.feasibility != Feasibility::feasible || !(solution.exact || solution.enclosed || solution.gap))
    return std::nullopt;
  const std::size_t digits = std::max<std::size_t>(
      40, static_cast<std::size_t>(std::ceil(static_cast<double>(precision_bits) * 0.30103)) + 4);
  const Interval squared = solution.exact
                               ? Interval{solution.exact->norm_squared, solution.exact->norm_squared}
                               : solution.norm_squared;
  if (squared.hi == 0) return NormFacts{decimal_square_root(squared, digits), {"Infinity", "Infinity"}};
  return NormFacts{decimal_square_root(squared, digits), decimal_inverse_square_root(squared, digits)};
}

std::string norm_lines(const std::string& norm, const std::string& margin, const MarginSolution& solution,
                       long precision_bits) {
  const std::optional<NormFacts> found = norm_facts(solution, precision_bits);
  if (!found) return {};
  const auto shown = [](const DecimalEnclosure& value) {
    return value.lo == value.hi ? value.lo : shared_digits(value, 44);
  };
  return fact_line(norm, shown(found->norm), true) + fact_line(margin, shown(found->margin), true);
}

std::string not_together(const std::vector<Constraint>& rows) {
  constexpr std::size_t most_shown = 8;
  std::string places;
  for (std::size_t k = 0; k < std::min(rows.size(), most_shown); ++k) places += short_place(rows[k]) + " ";
  if (rows.size() > most_shown) places += "... (" + std::to_string(rows.size()) + " in all) ";
  return "no W satisfies the rows of the tokens " + places + "together";
}

std::string conflict_lines(const MarginSolution& solution) {
  const std::vector<Constraint> rows = conflict_rows(solution);
  return rows.empty() ? std::string() : fact_line("conflict", not_together(rows), true);
}

std::string complementarity_text(const MarginSolution& solution) {
  if (!solution.strictly_complementary) return "undecided";
  if (*solution.strictly_complementary) return "yes";
  return "no: multiplier always 0 at " + short_place(solution.complementarity_witness->at);
}

std::string support_text(const MarginSolution& solution, std::size_t rows) {
  if (!solution.support) {
    return solution.support_undecided.empty()
               ? "undecided"
               : "undecided at " + std::to_string(solution.support_undecided.size()) + " constraints";
  }
  constexpr std::size_t most_shown = 8;
  const std::vector<Constraint>& support = *solution.support;
  std::string text = std::to_string(support.size()) + " of " + std::to_string(rows);
  if (!support.empty()) text += ":";
  for (std::size_t k = 0; k < std::min(support.size(), most_shown); ++k)
    text += " " + short_place(support[k]);
  return support.size() > most_shown ? text + " ..." : text;
}

Json json_margin_facts(const MarginSolution& solution, long precision_bits) {
  const bool feasible = solution.feasibility == Feasibility::feasible;
  const std::optional<NormFacts> norm = norm_facts(solution, precision_bits);
  Json value;
  value["verdict"] = verdict_word(solution.feasibility);
  if (!solution.reason.empty()) value["reason"] = solution.reason;
  value["norm_value"] = norm ? json_ends(norm->norm) : Json(nullptr);
  value["margin"] = norm ? json_ends(norm->margin) : Json(nullptr);
  value["support"] = feasible && solution.support ? json_places(*solution.support) : Json(nullptr);
  value["support_undecided"] = json_places(solution.support_undecided);
  value["strictly_complementary"] =
      feasible && solution.strictly_complementary ? Json(*solution.strictly_complementary) : Json(nullptr);
  Json witness = Json::object();
  if (solution.complementarity_witness)
    witness["strictly_complementary"] = json_place(solution.complementarity_witness->at);
  if (const auto rows = conflict_rows(solution); !rows.empty()) witness.update(json_conflict(rows));
  value["witness"] = std::move(witness);
  return value;
}

}  // namespace attest
