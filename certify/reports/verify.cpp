#include "certify/reports/verify.hpp"

#include "certify/catalogue/context.hpp"
#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"
#include "certify/reports/conflict.hpp"
#include "certify/reports/json_parts.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/merged.hpp"
#include "certify/reports/run_json.hpp"

namespace attest {
namespace {

constexpr std::size_t table_width = 110;
constexpr std::size_t reason_column = 22;

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string row_text(const Row& row, bool details) {
  std::string out = padded(row.id, 11) + padded(name(row.verdict), 11);
  const std::string& found = row.verdict == Verdict::holds ? row.conclusion : row.reason;
  if (!details) return out + shortened(found.empty() ? row.statement : found, 2 * table_width) + "\n";
  const auto part = [&](const std::string& what, const std::string& said) {
    out += std::string(11, ' ') + padded(what, 11) + wrapped(said, reason_column, table_width);
  };
  out += wrapped(row.statement + " [arXiv " + row.paper + ", " + row.head + " head" +
                     (row.mark == Mark::recalled ? ", recalled wording]" : "]"),
                 reason_column, table_width);
  for (const Hypothesis& hypothesis : row.hypotheses)
    part(name(hypothesis.verdict), hypothesis.name + ": " + hypothesis.detail);
  if (!row.conclusion.empty()) part("found", row.conclusion);
  if (!row.reason.empty()) part("reason", row.reason);
  return out + "\n";
}

Json json_bound(const std::optional<Rational>& bound) {
  return bound ? Json(plain_decimal_up(*bound, json_digits)) : Json(nullptr);
}

Json json_least_constant(const RateShape& shape) {
  return {{"name", shape.name},
          {"least_constant", json_enclosure(shape.whole)},
          {"valid_from", shape.whole.from},
          {"valid_to", shape.whole.to}};
}

Json json_forever(const Observation& seen) {
  Json forever{{"verdict", seen.proofs.empty() ? "undecided" : "holds"}};
  if (seen.proofs.empty()) forever["reason"] = seen.reason;
  forever["proofs"] = Json::array();
  for (const Observation::Proof& proof : seen.proofs) {
    forever["proofs"].push_back({{"theorem", proof.theorem}, {"t0", proof.t0}, {"rate", proof.rate}});
  }
  forever["bounds"] = Json::array();
  for (const Observation::Later& later : seen.later) {
    forever["bounds"].push_back({{"from", later.from},
                                 {"one_minus_corr", json_bound(later.one_minus_corr)},
                                 {"max_one_minus_s", json_bound(later.max_one_minus_s)}});
  }
  return forever;
}

Json json_observation(const Observation& seen) {
  Json value{{"optimizer", seen.spec.rule->word()}, {"loss", name(seen.spec.loss)}};
  const auto canonical = [](const Rational& x) {
    std::string text;
    append_canonical(text, x);
    return text;
  };
  value["step"] = canonical(seen.spec.step);
  if (seen.first_step) value["first_step"] = canonical(*seen.first_step);
  value["start"] = seen.start;
  if (seen.start_radius > 0) value["start_radius"] = plain_decimal_down(seen.start_radius, json_digits);
  value["t"] = seen.step;
  value["selection"] = seen.selection ? Json(*seen.selection) : Json(nullptr);
  value["norm"] = json_enclosure(seen.norm);
  value["one_minus_corr"] = json_enclosure(seen.one_minus_corr);
  value["max_one_minus_s"] = json_enclosure(seen.max_one_minus_s);
  value["forever"] = json_forever(seen);
  value["shapes"] = Json::array();
  for (const RateShape& shape : seen.shapes) {
    if (shape.whole.to > 0) value["shapes"].push_back(json_least_constant(shape));
  }
  value["sparsity"] = Json::array();
  for (const auto* sparsity : {&seen.sparsity, &seen.late_sparsity}) {
    if (!*sparsity) continue;
    value["sparsity"].push_back(
        {{"from", (*sparsity)->from}, {"to", (*sparsity)->to}, {"c", json_enclosure((*sparsity)->c)}});
  }
  return value;
}

// What the data have that the reader should know of before the rows.
std::string notes(const VerifyAnswer& answer) {
  std::string out;
  if (!answer.merged.empty()) out += "equal tokens: " + merged_text(answer.merged) + "\n";
  if (answer.tie) {
    out += "score tie: " + wrapped("sequence " + std::to_string(answer.tie->group) + ": tokens " +
                                       std::to_string(answer.tie->first_token) + " and " +
                                       std::to_string(answer.tie->second_token) +
                                       " share the best score; attest selections finds what training can "
                                       "select, --select asks about one of them",
                                   11, table_width);
  }
  return out;
}

}  // namespace

std::string text(const VerifyAnswer& answer, bool details) {
  std::string out = "catalogue of " + answer.instance_path + ": " + name(answer.setting) + ", " +
                    name(answer.loss) + " loss, alpha " + show(answer.selection) + "\n" +
                    "level of every verdict and number: checked (exact or outward-rounded arithmetic)\n" +
                    notes(answer) + "\n" + padded("row", 11) + padded("verdict", 11) +
                    (details ? "statement, hypotheses, findings" : "what was found") + "\n";
  std::size_t count[3] = {0, 0, 0};
  for (const Row& row : answer.rows) {
    out += row_text(row, details);
    ++count[static_cast<std::size_t>(row.verdict)];
  }
  return out + (details ? "" : "\n") + "s CATALOGUE holds " + std::to_string(count[0]) + " fails " +
         std::to_string(count[1]) + " undecided " + std::to_string(count[2]) + "\n";
}

std::string json(const VerifyAnswer& answer) {
  return written(json_value(answer.rows));
}

Json json_value(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json entry;
    entry["id"] = row.id;
    entry["paper"] = row.paper;
    entry["statement"] = row.statement;
    entry["head"] = row.head;
    entry["mark"] = row.mark == Mark::read ? "read" : "recalled";
    entry["verdict"] = name(row.verdict);
    entry["hypotheses"] = Json::array();
    for (const Hypothesis& hypothesis : row.hypotheses) {
      Json one{
          {"name", hypothesis.name}, {"verdict", name(hypothesis.verdict)}, {"detail", hypothesis.detail}};
      if (!hypothesis.conflict.empty()) one["witness"] = json_conflict(hypothesis.conflict);
      entry["hypotheses"].push_back(std::move(one));
    }
    entry["conclusion"] = row.conclusion;
    entry["reason"] = row.reason;
    if (row.observation) entry["observation"] = json_observation(*row.observation);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace attest
