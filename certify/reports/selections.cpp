#include "certify/reports/selections.hpp"

#include <algorithm>

#include "certify/catalogue/context.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/reports/json.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/merged.hpp"

namespace attest {
namespace {

constexpr std::size_t most_listed = 40;        // selections, in the text
constexpr std::size_t most_count_digits = 40;  // of a number of selections; longer ones are rounded

// "d.d" and the exponent of ten, rounded down.
std::pair<std::string, std::size_t> leading_digits(const std::string& digits) {
  return {digits.substr(0, 1) + "." + digits.substr(1, 1), digits.size() - 1};
}

// A number of selections for people.
std::string shown_count(const Integer& count) {
  std::string digits = count.str();
  if (digits.size() <= most_count_digits) return digits;
  const auto [mantissa, exponent] = leading_digits(digits);
  return "~" + mantissa + "e" + std::to_string(exponent);
}

// The exact digits as a string, or {"about": "1.2e4012"}.
Json json_count(const Integer& count) {
  std::string digits = count.str();
  if (digits.size() <= most_count_digits) return digits;
  const auto [mantissa, exponent] = leading_digits(digits);
  return {{"about", mantissa + "e" + std::to_string(exponent)}};
}

Interval norm_of(const FoundSelection& found) {
  return square_root(found.solution.norm_squared, 256);
}

}  // namespace

std::string text(const SelectionsAnswer& answer) {
  const SelectionSearch& search = answer.search;
  std::string out =
      "locally optimal selections of " + answer.instance_path + ", by decreasing margin (level: checked)\n\n";
  const auto row = [&](const std::string& margin, const std::string& optimal, const std::string& selection) {
    out += padded(margin, 28) + padded(optimal, 9) + selection + "\n";
  };
  if (!answer.merged.empty()) out += "equal tokens: " + merged_text(answer.merged) + "\n\n";
  row("margin", "optimal", "selection");
  for (std::size_t k = 0; k < std::min(search.found.size(), most_listed); ++k) {
    const FoundSelection& found = search.found[k];
    const Interval norm = norm_of(found);
    const std::string margin =
        norm.lo > 0 ? decimal_down((point(1) / norm).lo, 20) : "infinite (no constraints)";
    row(margin, found.globally_optimal ? "global" : "local", show(found.selection));
  }
  if (search.found.empty()) out += "none found\n";
  const auto rest = [&](std::size_t count, const char* what) {
    if (count > most_listed)
      out += "... " + std::to_string(count - most_listed) + " more " + what + "; --json has all\n";
  };
  rest(search.found.size(), "by decreasing margin");
  for (std::size_t k = 0; k < std::min(search.open.size(), most_listed); ++k)
    row("", "open", show(search.open[k]));
  rest(search.open.size(), "that stayed open");
  out += "\nmargins are rounded down; " + search.method + " search\n";
  if (!answer.file.path.empty()) out += "c certificate " + answer.file.path + "\n";
  const SearchCounts& counts = search.counts;
  out += "c total " + shown_count(search.total) + " visited " + std::to_string(counts.examined) +
         " infeasible " + std::to_string(counts.infeasible) + " pruned " + shown_count(counts.pruned) +
         " partial " + std::to_string(counts.partial) + " undecided " + std::to_string(counts.undecided) +
         "\n";
  const std::string reason = answer.reason();
  if (!reason.empty()) out += "c undecided: " + reason + "\n";
  return out + "s SELECTIONS " + (search.complete ? "COMPLETE" : "INCOMPLETE") + " found " +
         std::to_string(search.found.size()) + "\n";
}

std::string json(const SelectionsAnswer& answer) {
  const SelectionSearch& search = answer.search;
  Json value;
  value["setting"] = name(answer.setting);
  value["norm"] = "euclidean";
  value["merged"] = json_merged(answer.merged);
  value["complete"] = search.complete;
  value["method"] = search.method;
  value["total"] = json_count(search.total);
  value["budget"] = answer.budget;
  value["visited"] = search.counts.examined;
  value["partial"] = search.counts.partial;
  value["pruned"] = json_count(search.counts.pruned);
  value["infeasible"] = search.counts.infeasible;
  value["undecided"] = search.counts.undecided;
  value["time_limit_reached"] = search.time_limit_reached;
  const std::string reason = answer.reason();
  if (!reason.empty()) value["reason"] = reason;
  value["selections"] = Json::array();
  for (const FoundSelection& found : search.found) {
    Json entry;
    entry["selection"] = found.selection;
    const Interval norm = norm_of(found);
    if (norm.lo > 0) {
      entry["margin"] = json_enclosure(point(1) / norm);
    } else {
      entry["margin"] = {{"lo", "Infinity"}, {"hi", "Infinity"}};
    }
    entry["norm_value"] = json_enclosure(norm);
    entry["locally_optimal"] = true;
    entry["globally_optimal"] = found.globally_optimal;
    entry["level"] = "checked";
    value["selections"].push_back(std::move(entry));
  }
  value["undecided_selections"] = search.open;
  value["certificate"] = json_file(answer.file);
  return written(value);
}

}  // namespace attest
