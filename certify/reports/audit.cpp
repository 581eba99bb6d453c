// The JSON of an audit; audit_text.cpp is for people.
#include "certify/reports/audit.hpp"

#include "certify/numbers/decimal.hpp"
#include "certify/reports/audit_text.hpp"
#include "certify/reports/json_parts.hpp"

namespace attest {
namespace {

Json json_classes(const std::vector<TokenClass>& classes) {
  Json list = Json::array();
  for (const TokenClass& one : classes) list.push_back({one.group, one.tokens});
  return list;
}

Json json_conflicts(const std::vector<Conflict>& conflicts) {
  Json list = Json::array();
  for (const Conflict& conflict : conflicts) {
    Json rows = Json::array();
    for (const Constraint& c : conflict.farkas.constraint) rows.push_back({c.group, c.token});
    list.push_back({{"rows", std::move(rows)}, {"groups", conflict.groups}});
  }
  return list;
}

Json json_drop(const DropBounds& drop) {
  return {{"at_least", drop.at_least},
          {"at_most", drop.at_most ? Json(*drop.at_most) : Json(nullptr)},
          {"groups", drop.groups}};
}

Json json_margins(const AuditedInstance& audited) {
  Json list = Json::array();
  constexpr int digits = 20;
  for (std::size_t i = 0; i < audited.margins.size(); ++i) {
    const std::optional<GroupMargin>& margin = audited.margins[i];
    if (!margin) {
      list.push_back(nullptr);
      continue;
    }
    list.push_back({{"token", margin->token},
                    {"least", json_enclosure(margin->least, digits)},
                    {"share", json_enclosure(audited.share(i), digits)}});
  }
  return list;
}

const char* word(Resolution::Standing standing) {
  switch (standing) {
    case Resolution::Standing::above:
      return "above";
    case Resolution::Standing::below:
      return "below";
    case Resolution::Standing::open:
      return "open";
    case Resolution::Standing::exact:
      return "exact";
    case Resolution::Standing::no_answer:
      break;
  }
  return "none";
}

Json json_resolution(const Resolution& resolution) {
  Json value;
  value["unit"] = resolution.unit ? Json(plain_decimal_up(*resolution.unit, 20)) : Json(nullptr);
  value["robust_radius"] = json_enclosure(resolution.robust_radius, 20);
  value["standing"] = word(resolution.standing);
  return value;
}

Json json_certificates(const CertifyAnswer& certified) {
  Json list = Json::array();
  if (certified.file.path.empty()) return list;
  list.push_back({{"path", certified.file.path},
                  {"bytes", certified.file.bytes},
                  {"claims", json_claims(certified.certificate.claims)},
                  {"check", check_command(certified)}});
  return list;
}

Json json_costs(const AuditCosts& costs) {
  return {{"read_seconds", costs.read_seconds},         {"solve_seconds", costs.solve_seconds},
          {"conflict_seconds", costs.conflict_seconds}, {"catalogue_seconds", costs.catalogue_seconds},
          {"total_seconds", costs.total_seconds},       {"process_bytes", costs.process_bytes}};
}

Json json_value(const AuditedInstance& audited) {
  const CertifyAnswer& certified = audited.certified;
  Json value;
  value["path"] = certified.instance_path;
  value["summary"] = audited.summary;
  value["setting"] = name(certified.instance.setting);
  value["groups"] = certified.instance.sequences();
  value["tokens"] = certified.instance.first_row.back();
  value["dimension"] = certified.instance.dimension;
  value["number_format"] = audited.resolution.number_format;
  value["equal_tokens"] = json_classes(audited.equal_tokens);
  value["ties"] = json_classes(audited.ties);
  value["zero_queries"] = audited.zero_queries;
  value["never_separable"] = audited.never_separable;
  value["selection"] = certified.selection;
  value["margin_problem"] = json_value(certified);
  if (audited.sets) value["selected_sets"] = json_value(*audited.sets);
  value["conflicts"] = json_conflicts(audited.conflicts);
  if (!audited.conflicts_reason.empty()) value["conflicts_reason"] = audited.conflicts_reason;
  value["drop"] = json_drop(audited.drop);
  value["margins"] = json_margins(audited);
  value["holds_down"] = audited.holds_down ? Json(audited.holds_down->group) : Json(nullptr);
  value["resolution"] = json_resolution(audited.resolution);
  value["theorems"] = json_value(audited.theorems);
  if (!audited.theorems_reason.empty()) value["theorems_reason"] = audited.theorems_reason;
  value["certificates"] = json_certificates(certified);
  value["statistics"] = json_costs(audited.costs);
  return value;
}

Json json_value(const InputError& error, const std::string& path) {
  return {{"path", path},
          {"error",
           {{"kind", error.kind == InputError::Kind::resource ? "resource" : "malformed"},
            {"file", error.file},
            {"key", error.key},
            {"index", error.index},
            {"message", error.message}}}};
}

Json json_value(const AuditEntry& entry) {
  if (const auto* audited = std::get_if<AuditedInstance>(&entry.found)) return json_value(*audited);
  if (const auto* error = std::get_if<InputError>(&entry.found)) return json_value(*error, entry.path);
  return {
      {"path", entry.path}, {"verdict", "undecided"}, {"reason", std::get<NotAudited>(entry.found).reason}};
}

constexpr std::size_t refused = 3;

std::size_t outcome(const AuditEntry& entry) {
  if (const auto* audited = std::get_if<AuditedInstance>(&entry.found))
    return static_cast<std::size_t>(audited->certified.solution.feasibility);
  return std::holds_alternative<InputError>(entry.found) ? refused
                                                         : static_cast<std::size_t>(Feasibility::undecided);
}

constexpr std::size_t most_full = 3;  // instances; of more, the verdicts

}  // namespace

std::vector<AuditPart> audit_parts(const AuditAnswer& answer, bool json_wanted) {
  std::vector<AuditPart> parts;
  for (const AuditEntry& entry : answer.instances) {
    parts.push_back({entry.number,
                     entry.exit_status(),
                     outcome(entry),
                     audit_text(entry, answer.asked <= most_full),
                     json_wanted ? json_value(entry) : Json(),
                     entry.path,
                     {},
                     {},
                     {}});
  }
  return parts;
}

Json packed(const AuditPart& part) {
  return {{"number", part.number},   {"exit_status", part.exit_status},
          {"outcome", part.outcome}, {"text", part.text},
          {"json", part.json},       {"path", part.path},
          {"word", part.word},       {"words", part.words},
          {"page", part.page}};
}

AuditPart unpacked(const Json& value) {
  return {value.at("number"), value.at("exit_status"), value.at("outcome"),
          value.at("text"),   value.at("json"),        value.at("path"),
          value.at("word"),   value.at("words"),       value.at("page")};
}

std::string json(const std::vector<AuditPart>& parts) {
  Json list = Json::array();
  for (const AuditPart& part : parts) list.push_back(part.json);
  return written({{"instances", std::move(list)}});
}

int exit_status(const std::vector<AuditPart>& parts) {
  std::vector<int> each;
  for (const AuditPart& part : parts) each.push_back(part.exit_status);
  return worst_exit_status(each);
}

}  // namespace attest
