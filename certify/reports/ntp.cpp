#include "certify/reports/ntp.hpp"

#include <algorithm>
#include <cstdio>

#include "certify/numbers/decimal_enclosure.hpp"
#include "certify/reports/json_parts.hpp"
#include "certify/reports/lines.hpp"
#include "certify/reports/ntp_training.hpp"
#include "certify/reports/run_json.hpp"
#include "certify/reports/short_number.hpp"

namespace attest {
namespace {

const char* word(CollocationSearch::Verdict verdict) {
  constexpr const char* words[] = {"given", "found", "conflict", "undecided"};
  return words[static_cast<std::size_t>(verdict)];
}

const char* word(CollocationConflict::Kind kind) {
  constexpr const char* words[] = {"two-next",           "two-before",  "no-candidate",
                                   "too-few-candidates", "given-order", "no-order"};
  return words[static_cast<std::size_t>(kind)];
}

const char* word(Feasibility feasibility) {
  switch (feasibility) {
    case Feasibility::feasible:
      return "feasible";
    case Feasibility::infeasible:
      return "infeasible";
    default:
      return "undecided";
  }
}

std::string verdict(const NtpAnswer& answer) {
  if (answer.collocation.verdict == CollocationSearch::Verdict::undecided) return "undecided";
  if (!answer.fits()) return "conflict";
  if (!answer.problems_decided()) return "undecided";
  const bool feasible = answer.attention->solution.feasibility == Feasibility::feasible &&
                        answer.feed_forward->solution.feasibility == Feasibility::feasible;
  return feasible ? "feasible" : "infeasible";
}

// "lines 3, 8, 12", the first ones.
std::string lines_text(const NtpAnswer& answer, const std::vector<std::size_t>& sentences) {
  constexpr std::size_t most = 6;
  std::string text = sentences.size() == 1 ? "line" : "lines";
  for (std::size_t k = 0; k < std::min(most, sentences.size()); ++k) {
    const std::size_t line = answer.line[sentences[k]];
    text += (k == 0 ? " " : ", ") + (line == 0 ? std::string("of --collocation") : std::to_string(line));
  }
  return sentences.size() > most ? text + ", ..." : text;
}

class NtpText {
 public:
  explicit NtpText(const NtpAnswer& answer) : answer_(answer) {}

  std::string run() {
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < answer_.sentences; ++k) pairs += answer_.text.sentence[k].size() == 2 ? 1 : 0;
    fact("text", answer_.file);
    fact("sentences", std::to_string(answer_.sentences) + ", " + std::to_string(answer_.tokens) +
                          " tokens, " + std::to_string(answer_.vocabulary->size()) + " different; " +
                          std::to_string(pairs) + (pairs == 1 ? " is a pair" : " are pairs") +
                          " (context of one token)");
    describe_collocation();
    if (answer_.fits() || answer_.cycle) describe_orders();
    if (answer_.fits()) {
      describe_stage("feed-forward stage", *answer_.feed_forward);
      describe_stage("attention stage", *answer_.attention);
      for (const auto& [what, value] : training_lines(answer_)) fact(what, value);
      describe_shift();
      if (!answer_.instance.empty()) fact("instance", answer_.instance);
      describe_training_file();
    }
    describe_theorems();
    char line[64];
    std::snprintf(line, sizeof line, "c total %.3f s\n", answer_.total_seconds);
    return std::move(out_) + line + verdict_line(verdict(answer_));
  }

 private:
  void fact(const std::string& what, const std::string& value) { out_ += fact_line(what, value); }
  void more(const std::string& value) { fact("", value); }
  std::string label(TokenId token) const { return answer_.vocabulary->label(token); }

  std::string labels(const std::vector<TokenId>& tokens) const {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t k = 0; k < std::min(most, tokens.size()); ++k)
      text += (k == 0 ? "" : ", ") + label(tokens[k]);
    return tokens.size() > most ? text + ", ... (" + std::to_string(tokens.size()) + ")" : text;
  }

  void describe_collocation() {
    const CollocationSearch& search = answer_.collocation;
    const auto& pairs = search.collocation.pairs();
    if (search.conflict) return describe_conflict(*search.conflict);
    if (search.verdict == CollocationSearch::Verdict::undecided)
      return fact("collocation",
                  "undecided: " + search.reason + " (more pairs with --collocation make it easier)");
    std::string text = std::string(word(search.verdict)) + ": " + std::to_string(pairs.size()) + " pairs, as";
    std::size_t shown = 0;
    for (const auto& [x, next] : pairs) {
      if (++shown > 3) break;
      text += (shown == 1 ? " " : ", ") + label(x) + " -> " + label(next);
    }
    fact("collocation", pairs.empty() ? "given: no pairs" : text);
  }

  void describe_conflict(const CollocationConflict& conflict) {
    const std::string at = lines_text(answer_, conflict.sentences);
    const std::string token = labels(conflict.tokens);
    switch (conflict.kind) {
      case CollocationConflict::Kind::two_next:
        return fact("collocation", "conflict: " + token + " has two next tokens (" + at + ")");
      case CollocationConflict::Kind::two_before:
        return fact("collocation", "conflict: " + token + " comes next to two tokens (" + at + ")");
      case CollocationConflict::Kind::no_candidate:
        return fact("collocation", "conflict: no token can have " + token +
                                       " next: the contexts that end so (" + at +
                                       ") share none that is free");
      case CollocationConflict::Kind::too_few:
        return fact("collocation", "conflict: fewer candidates than next tokens: " + token + " (" + at + ")");
      case CollocationConflict::Kind::given_order:
        return fact("collocation", "conflict: the pairs given already make an order with a cycle");
      case CollocationConflict::Kind::no_order:
        return fact("collocation", "conflict: with every choice for " + token + " some order has a cycle");
    }
  }

  void describe_orders() {
    std::size_t rows = 0;
    for (const TokenOrder& order : answer_.orders) rows += order.rows.size();
    const std::string size =
        std::to_string(answer_.orders.size()) + " queries, " + std::to_string(rows) + " rows";
    if (!answer_.cycle) return fact("orders", "strict: " + size);
    const OrderCycle& cycle = *answer_.cycle;
    fact("orders", "not strict (" + size + "): with query " + label(cycle.query));
    for (const OrderRow& row : cycle.rows) {
      const std::size_t sentence = answer_.groups[row.group].sentence;
      more(label(row.winner) + " > " + label(row.loser) + "  (" + lines_text(answer_, {sentence}) +
           " ends in " + label(answer_.text.sentence[sentence].back()) + ", which is next to " +
           label(row.winner) + ")");
    }
    describe_components();
  }

  void describe_components() {
    if (!answer_.components) return;
    const ComponentForm& form = *answer_.components;
    std::string text =
        std::to_string(form.components) + " components of " + std::to_string(form.tokens) + " tokens";
    if (form.solved) {
      text += ": = 0 inside, >= 1 across has ||W*|| " + short_root(form.norm_squared);
    } else {
      text += ": " + form.reason;
    }
    fact("component form", text);
    describe_finite_part();
  }

  void describe_finite_part() {
    const FiniteLogits& finite = *answer_.finite;
    if (!finite.reason.empty()) return fact("finite part", finite.reason);
    fact("finite part", "||W_fin|| " + short_number(finite.norm, 12));
    constexpr std::size_t most = 4;
    for (std::size_t k = 0; k < std::min(most, finite.components.size()); ++k) {
      const ComponentLogits& one = finite.components[k];
      std::string text = "with query " + label(one.query) + ":";
      for (std::size_t x = 0; x < std::min(most, one.tokens.size()); ++x)
        text += (x == 0 ? " " : ", ") + label(one.tokens[x]) + " " + short_number(one.logits[x]);
      more(one.tokens.size() > most ? text + ", ..." : text);
    }
    if (finite.components.size() > most) more("...");
  }

  void describe_stage(const std::string& what, const CertifyAnswer& stage) {
    const MarginSolution& solution = stage.solution;
    const std::size_t rows = constraint_count(stage.data);
    std::string text = word(solution.feasibility);
    if (solution.feasibility == Feasibility::undecided) return fact(what, text + ": " + solution.reason);
    text += ": " + std::to_string(stage.data.groups()) + " groups, " + std::to_string(rows) + " rows";
    if (solution.exact || solution.enclosed || solution.gap) {
      constexpr std::size_t digits = 40, shown = 12;
      const Interval squared = solution.exact
                                   ? Interval{solution.exact->norm_squared, solution.exact->norm_squared}
                                   : solution.norm_squared;
      text += ", ||W*|| " + shared_digits(decimal_square_root(squared, digits), shown);
      if (rows > 0) text += ", margin " + shared_digits(decimal_inverse_square_root(squared, digits), shown);
    }
    if (solution.support) text += ", " + std::to_string(solution.support->size()) + " support tokens";
    fact(what, text);
    if (!stage.file.path.empty()) more(certificate_words(stage.file, stage.certificate.claims.size()));
  }

  void describe_training_file() {
    const CertificateFile& file = answer_.training_file;
    if (!answer_.training_reason.empty())
      fact("training certificate", "without the attention stage: " + answer_.training_reason);
    if (file.path.empty()) return;
    fact("training certificate", certificate_words(file, answer_.training_certificate.claims.size()));
    fact("re-check", check_command(answer_.instance, file));
  }

  static std::string short_root(const Rational& squared) {
    constexpr std::size_t digits = 40, shown = 12;
    return shared_digits(decimal_square_root({squared, squared}, digits), shown);
  }

  void describe_shift() {
    if (answer_.shift.empty()) return;
    std::size_t certified = 0, right = 0;
    for (const ShiftedPrediction& one : answer_.shift) {
      certified += one.predicted ? 1 : 0;
      right += one.predicted == one.expected ? 1 : 0;
    }
    fact("shifted sentences", std::to_string(answer_.shift.size()) + ", certified " +
                                  std::to_string(certified) + ", as they end " + std::to_string(right));
    constexpr std::size_t most = 8;
    for (std::size_t k = 0; k < std::min(most, answer_.shift.size()); ++k) {
      const ShiftedPrediction& one = answer_.shift[k];
      more("line " + std::to_string(one.line) + ": " + (one.predicted ? *one.predicted : "undetermined") +
           (one.from ? " from step " + std::to_string(*one.from) + " on" : "") + ", ends in " + one.expected);
    }
    if (answer_.shift.size() > most) more("...");
  }

  void describe_theorems() {
    for (const Row& row : answer_.theorems) {
      const std::string& found = row.verdict == Verdict::holds ? row.conclusion : row.reason;
      fact(row.id, padded(name(row.verdict), 11) + found);
    }
  }

  const NtpAnswer& answer_;
  std::string out_;
};

Json json_tokens(const NtpAnswer& answer, const std::vector<TokenId>& tokens) {
  Json list = Json::array();
  for (const TokenId token : tokens) list.push_back(answer.vocabulary->label(token));
  return list;
}

Json json_line(const NtpAnswer& answer, std::size_t sentence) {
  return answer.line[sentence] == 0 ? Json(nullptr) : Json(answer.line[sentence]);
}

Json json_collocation(const NtpAnswer& answer) {
  const CollocationSearch& search = answer.collocation;
  Json value{{"verdict", word(search.verdict)}};
  if (!search.reason.empty()) value["reason"] = search.reason;
  value["pairs"] = Json::array();
  for (const auto& [x, next] : search.collocation.pairs())
    value["pairs"].push_back(json_tokens(answer, {x, next}));
  value["conflict"] = nullptr;
  if (search.conflict) {
    Json lines = Json::array();
    for (const std::size_t sentence : search.conflict->sentences)
      lines.push_back(json_line(answer, sentence));
    value["conflict"] = {{"kind", word(search.conflict->kind)},
                         {"tokens", json_tokens(answer, search.conflict->tokens)},
                         {"lines", std::move(lines)}};
  }
  return value;
}

Json json_finite_part(const NtpAnswer& answer) {
  const FiniteLogits& finite = *answer.finite;
  if (!finite.reason.empty()) return {{"norm", nullptr}, {"reason", finite.reason}};
  Json columns = Json::array();
  for (const ComponentLogits& one : finite.components) {
    Json logits = Json::array();
    for (const Ball& logit : one.logits) logits.push_back(json_enclosure(logit));
    columns.push_back({{"query", answer.vocabulary->label(one.query)},
                       {"tokens", json_tokens(answer, one.tokens)},
                       {"logits", std::move(logits)}});
  }
  return {{"norm", json_enclosure(finite.norm)}, {"components", std::move(columns)}};
}

Json json_order(const NtpAnswer& answer) {
  std::size_t rows = 0;
  for (const TokenOrder& order : answer.orders) rows += order.rows.size();
  Json value{
      {"verdict", answer.cycle ? "cycle" : "strict"}, {"queries", answer.orders.size()}, {"rows", rows}};
  value["cycle"] = nullptr;
  if (!answer.cycle) return value;
  Json cycle = Json::array();
  for (const OrderRow& row : answer.cycle->rows) {
    cycle.push_back({{"winner", answer.vocabulary->label(row.winner)},
                     {"loser", answer.vocabulary->label(row.loser)},
                     {"line", json_line(answer, answer.groups[row.group].sentence)}});
  }
  value["cycle"] = {{"query", answer.vocabulary->label(answer.cycle->query)}, {"rows", std::move(cycle)}};
  if (!answer.components) return value;
  const ComponentForm& form = *answer.components;
  value["components"] = {{"count", form.components}, {"tokens", form.tokens}, {"norm_value", nullptr}};
  if (form.solved) {
    const DecimalEnclosure norm =
        decimal_square_root({form.norm_squared, form.norm_squared}, std::size_t{json_digits});
    value["components"]["norm_value"] = {{"lo", norm.lo}, {"hi", norm.hi}};
  } else {
    value["components"]["reason"] = form.reason;
  }
  value["components"]["finite_part"] = json_finite_part(answer);
  return value;
}

Json json_stage(const CertifyAnswer& stage) {
  Json value = json_value(stage);
  value["setting"] = "next-token";
  return value;
}

}  // namespace

std::string text(const NtpAnswer& answer) {
  return NtpText(answer).run();
}

std::string json(const NtpAnswer& answer) {
  Json value{{"verdict", verdict(answer)},
             {"text", answer.file},
             {"sentences", answer.sentences},
             {"tokens", answer.tokens}};
  value["vocabulary"] = Json::array();
  const bool named = answer.vocabulary->kind() != TokenKind::ids;
  for (TokenId id = 0; named && id < answer.vocabulary->size(); ++id)
    value["vocabulary"].push_back(answer.vocabulary->label(id));
  value["collocation"] = json_collocation(answer);
  const bool fits = answer.fits();
  value["order"] = fits || answer.cycle ? json_order(answer) : Json(nullptr);
  value["feed_forward"] = fits ? json_stage(*answer.feed_forward) : Json(nullptr);
  value["attention"] = fits ? json_stage(*answer.attention) : Json(nullptr);
  value["training"] = json_training(answer);
  value["shift"] = Json::array();
  for (const ShiftedPrediction& one : answer.shift) {
    value["shift"].push_back({{"line", one.line},
                              {"sentence_ends_in", one.expected},
                              {"predicted", one.predicted ? Json(*one.predicted) : Json(nullptr)},
                              {"certified", one.predicted.has_value()},
                              {"from", one.from ? Json(*one.from) : Json(nullptr)}});
  }
  value["theorems"] = json_value(answer.theorems);
  value["claims"] = json_claims(answer.training_certificate.claims);
  value["certificate"] = json_file(answer.training_file);
  if (!answer.training_reason.empty()) value["reason"] = answer.training_reason;
  value["instance"] = answer.instance.empty() ? Json(nullptr) : Json(answer.instance);
  value["total_seconds"] = answer.total_seconds;
  return written(value);
}

}  // namespace attest
