#include "certify/reports/html/audit.hpp"

#include <algorithm>
#include <cstdio>

#include "certify/numbers/decimal.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/html/cells.hpp"
#include "certify/reports/html/margins.hpp"
#include "certify/reports/html/provenance.hpp"
#include "certify/reports/html/verify.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

// "3 4 17 ... (57 in all)"
std::string listed(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most_shown = 30;
  std::string text;
  for (std::size_t k = 0; k < std::min(numbers.size(), most_shown); ++k)
    text += (k == 0 ? "" : " ") + std::to_string(numbers[k]);
  if (numbers.size() > most_shown) text += " ... (" + std::to_string(numbers.size()) + " in all)";
  return text.empty() ? "none" : text;
}

const char* word(const AuditedInstance& audited) {
  switch (audited.certified.solution.feasibility) {
    case Feasibility::feasible:
      return "Feasible";
    case Feasibility::infeasible:
      return "Infeasible";
    case Feasibility::undecided:
      break;
  }
  return "Undecided";
}

Tone tone(const AuditedInstance& audited) {
  switch (audited.certified.solution.feasibility) {
    case Feasibility::feasible:
      return Tone::good;
    case Feasibility::infeasible:
      return Tone::bad;
    case Feasibility::undecided:
      break;
  }
  return Tone::open;
}

Table class_table(const std::string& caption, const std::vector<TokenClass>& classes) {
  Table table{caption, {{"sequence", true}, {"tokens"}}, {}};
  for (const TokenClass& one : classes) table.rows.push_back({count(one.group), {listed(one.tokens)}});
  return table;
}

Table conflict_table(const AuditedInstance& audited) {
  Table table{"Conflicts that share no sequence (proved exactly)",
              {{"conflict", true}, {"rows", true}, {"sequences"}, {"what contradicts"}},
              {}};
  for (std::size_t k = 0; k < audited.conflicts.size(); ++k) {
    const Conflict& conflict = audited.conflicts[k];
    table.rows.push_back({count(k + 1),
                          count(conflict.farkas.size()),
                          {listed(conflict.groups)},
                          {conflict_text(conflict.farkas.constraint)}});
  }
  return table;
}

Table share_table(const AuditedInstance& audited) {
  Table table{"What each sequence costs (enclosed)",
              {{"sequence", true},
               {"least margin at W*", true},
               {"at token", true},
               {"share of the squared norm", true}},
              {}};
  for (std::size_t i = 0; i < audited.margins.size(); ++i) {
    if (!audited.margins[i]) continue;
    const GroupMargin& margin = *audited.margins[i];
    const std::optional<Interval> share = audited.share(i);
    const auto number = [](const Interval& value) {
      return Cell{short_number(value), approximately(value), both_ends(value)};
    };
    table.rows.push_back(
        {count(i), number(margin.least), count(margin.token), share ? number(*share) : Cell{"-"}});
  }
  return table;
}

std::string standing(const Resolution& resolution) {
  switch (resolution.standing) {
    case Resolution::Standing::above:
      return "every rounding of the data is feasible, too";
    case Resolution::Standing::below:
      return "a change as small as the data's rounding makes the problem infeasible";
    case Resolution::Standing::open:
      return "open: neither is proved";
    case Resolution::Standing::exact:
      return "the numbers are not rounded";
    case Resolution::Standing::no_answer:
      break;
  }
  return "does not apply";
}

void add_facts(PageContent& page, const AuditedInstance& audited) {
  const CertifyAnswer& certified = audited.certified;
  const MarginSolution& solution = certified.solution;
  std::vector<Fact> facts = {
      {"setting", name(certified.instance.setting)},
      {"sequences", std::to_string(certified.instance.sequences())},
      {"tokens", std::to_string(certified.instance.first_row.back())},
      {"dimension", std::to_string(certified.instance.dimension)},
      {"numbers", audited.resolution.number_format},
      {"sets of equal tokens", std::to_string(audited.equal_tokens.size()), Level::exact},
      {"sequences whose best score is tied", std::to_string(audited.ties.size()), Level::exact},
      {"sequences with query 0", listed(audited.zero_queries), Level::exact},
      {"sequences that nothing separates alone", listed(audited.never_separable), Level::exact}};
  if (solution.feasibility == Feasibility::feasible &&
      (solution.exact || solution.enclosed || solution.gap) && !certified.vacuous()) {
    const Interval norm =
        square_root(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared, 256);
    facts.push_back(
        {"margin", short_number(point(1) / norm, 15), Level::enclosed, both_ends(point(1) / norm, 40)});
  }
  if (solution.feasibility == Feasibility::infeasible) {
    facts.push_back(
        {"sequences that must go, at least", std::to_string(audited.drop.at_least), Level::exact});
    if (audited.drop.at_most) {
      facts.push_back({"and at most", std::to_string(*audited.drop.at_most), Level::exact});
      if (*audited.drop.at_most < certified.data.groups())
        facts.push_back({"the rest is separable without", listed(audited.drop.groups), Level::exact});
    }
  }
  if (audited.holds_down)
    facts.push_back({"what holds the margin down most",
                     "sequence " + std::to_string(audited.holds_down->group), Level::enclosed});
  if (audited.resolution.robust_radius)
    facts.push_back({"rows may move by at least", decimal_down(audited.resolution.robust_radius->lo, 4),
                     Level::enclosed, both_ends(*audited.resolution.robust_radius)});
  facts.push_back({"against the data's own rounding", standing(audited.resolution)});
  page.facts("What the dataset is", facts);
}

void add_instance(PageContent& page, const AuditedInstance& audited, bool several) {
  const CertifyAnswer& certified = audited.certified;
  page.section(several ? file_name(certified.instance_path) : std::string("Results"));
  if (several) page.verdict(tone(audited), word(audited), {audited.summary});
  add_facts(page, audited);
  add_margin_problem(page, {certified.data, certified.selection, certified.solution,
                            certified.geometry ? &*certified.geometry : nullptr});
  if (!audited.conflicts.empty()) page.table(conflict_table(audited));
  if (const Table shares = share_table(audited); !shares.rows.empty()) page.table(shares);
  if (!audited.theorems.empty()) page.table(theorem_table(audited.theorems));
  if (!audited.equal_tokens.empty())
    page.table(class_table("Equal tokens (proved exactly)", audited.equal_tokens));
  if (!audited.ties.empty())
    page.table(class_table("Tokens that share the best score (proved exactly)", audited.ties));
  Provenance provenance;
  provenance.instance_path = certified.instance_path;
  provenance.instance_sha256 = canonical_sha256(certified.instance);
  provenance.certificate = &certified.file;
  provenance.claims = certified.certificate.claims;
  provenance.costs = {time_fact("time in all", audited.costs.total_seconds),
                      {"memory of the process", std::to_string(audited.costs.process_bytes / 1000000) + " MB",
                       Level::measured}};
  add_provenance(page, provenance);
}

Table overview(const std::vector<AuditPart>& parts) {
  Table table{"Instances", {{"path"}, {"verdict"}, {"in words"}}, {}};
  for (const AuditPart& part : parts) table.rows.push_back({{part.path}, {part.word}, {part.words}});
  return table;
}

void draw(AuditPart& part, const AuditEntry& entry, bool several) {
  if (const auto* error = std::get_if<InputError>(&entry.found)) {
    part.word = "Not read";
    part.words = error->text();
  } else if (const auto* late = std::get_if<NotAudited>(&entry.found)) {
    part.word = "Undecided";
    part.words = late->reason;
  } else {
    const auto& audited = std::get<AuditedInstance>(entry.found);
    part.word = word(audited);
    part.words = audited.summary;
    PageContent content("figure-" + (several ? std::to_string(entry.number + 1) + "-" : std::string()));
    if (!several) content.verdict(tone(audited), part.word, {audited.summary});
    add_instance(content, audited, several);
    part.page = std::move(content).text();
  }
}

}  // namespace

void draw(std::vector<AuditPart>& parts, const AuditAnswer& answer) {
  for (std::size_t k = 0; k < parts.size(); ++k) draw(parts[k], answer.instances[k], answer.asked > 1);
}

std::string html(const std::vector<AuditPart>& parts) {
  const bool several = parts.size() != 1;
  Page page(several ? "Audit of " + std::to_string(parts.size()) + " instances"
                    : "Audit of " + file_name(parts.front().path));
  if (several || parts.front().page.empty()) {
    page.section("Results");
    page.table(overview(parts));
  }
  for (const AuditPart& part : parts) page.append(part.page);
  return std::move(page).text();
}

}  // namespace attest
