// `attest verify INSTANCE`: the theorem catalogue on one instance, as a table or as JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/audits/selection_search.hpp"
#include "certify/catalogue/catalogue.hpp"
#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/instance/exact_number.hpp"
#include "certify/reports/decimal.hpp"

namespace attest {
namespace {

constexpr std::size_t kLineWidth = 110;
constexpr std::size_t kReasonColumn = 22;

// Prints `text` behind `column` spaces (the first line's are already there), broken at spaces.
void print_wrapped(const std::string& text, std::size_t column) {
  const std::size_t width = kLineWidth - column;
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t length = text.size() - start;
    if (length > width) {
      const std::size_t space = text.rfind(' ', start + width);
      length = space == std::string::npos || space <= start ? width : space - start;
    }
    std::printf("%s%s\n", start == 0 ? "" : std::string(column, ' ').c_str(),
                text.substr(start, length).c_str());
    start += length;
    while (start < text.size() && text[start] == ' ') ++start;
  }
  if (text.empty()) std::printf("\n");
}

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

void print_row(const Row& row, bool details) {
  std::printf("%-11s%-11s", row.id.c_str(), name(row.verdict));
  const std::string& found = row.verdict == Verdict::holds ? row.conclusion : row.reason;
  if (!details) {
    const std::string line = found.empty() ? row.statement : found;
    std::printf("%s\n", shortened(line, 2 * kLineWidth).c_str());
    return;
  }
  print_wrapped(row.statement + (row.mark == Mark::recalled ? " [arXiv " + row.paper + ", recalled wording]"
                                                            : " [arXiv " + row.paper + "]"),
                kReasonColumn);
  for (const Hypothesis& hypothesis : row.hypotheses) {
    std::printf("           %-11s", name(hypothesis.verdict));
    print_wrapped(hypothesis.name + ": " + hypothesis.detail, kReasonColumn);
  }
  if (!row.conclusion.empty()) {
    std::printf("           %-11s", "found");
    print_wrapped(row.conclusion, kReasonColumn);
  }
  if (!row.reason.empty()) {
    std::printf("           %-11s", "reason");
    print_wrapped(row.reason, kReasonColumn);
  }
  std::printf("\n");
}

void print_text(const std::vector<Row>& rows, const Instance& instance, const CatalogueContext& context,
                const std::string& path, bool details) {
  std::printf("catalogue of %s: %s, %s loss, alpha %s\n", path.c_str(), name(instance.setting),
              name(context.options().loss), show(context.selection()).c_str());
  std::printf("level of every verdict and number: checked (exact or outward-rounded arithmetic)\n\n");
  std::printf("%-11s%-11s%s\n", "row", "verdict",
              details ? "statement, hypotheses, findings" : "what was found");
  std::size_t count[3] = {0, 0, 0};
  for (const Row& row : rows) {
    print_row(row, details);
    ++count[static_cast<std::size_t>(row.verdict)];
  }
  std::printf("%ss CATALOGUE holds %zu fails %zu undecided %zu\n", details ? "" : "\n", count[0], count[1],
              count[2]);
}

using Json = nlohmann::ordered_json;
constexpr int kJsonDigits = 40;

Json json_enclosure(const std::optional<Interval>& x) {
  if (!x) return nullptr;
  return {{"lo", plain_decimal_down(x->lo, kJsonDigits)}, {"hi", plain_decimal_up(x->hi, kJsonDigits)}};
}

Json json_bound(const std::optional<Rational>& bound) {
  return bound ? Json(plain_decimal_up(*bound, kJsonDigits)) : Json(nullptr);
}

Json json_shape(const RateShape& shape) {
  Json value{{"name", shape.name},
             {"least_constant", nullptr},
             {"valid_from", shape.whole.from},
             {"valid_to", shape.whole.to}};
  if (std::isfinite(shape.whole.hi)) {
    value["least_constant"] = json_enclosure(Interval{Rational(shape.whole.lo), Rational(shape.whole.hi)});
  }
  return value;
}

Json json_observation(const Observation& seen) {
  Json value{{"optimizer", name(seen.spec.rule)}, {"loss", name(seen.spec.loss)}};
  const auto canonical = [](const Rational& x) {
    std::string text;
    append_canonical(text, x);
    return text;
  };
  value["step"] = canonical(seen.spec.step);
  if (seen.first_step) value["first_step"] = canonical(*seen.first_step);
  value["start"] = seen.start;
  if (seen.start_radius > 0) value["start_radius"] = plain_decimal_down(seen.start_radius, kJsonDigits);
  value["t"] = seen.step;
  value["selection"] = seen.selection ? Json(*seen.selection) : Json(nullptr);
  value["norm"] = json_enclosure(seen.norm);
  value["one_minus_corr"] = json_enclosure(seen.one_minus_corr);
  value["max_one_minus_s"] = json_enclosure(seen.max_one_minus_s);
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
  value["forever"] = std::move(forever);
  value["shapes"] = Json::array();
  for (const RateShape& shape : seen.shapes) {
    if (shape.whole.to > 0) value["shapes"].push_back(json_shape(shape));
  }
  value["sparsity"] = Json::array();
  for (const auto* sparsity : {&seen.sparsity, &seen.late_sparsity}) {
    if (!*sparsity) continue;
    value["sparsity"].push_back(
        {{"from", (*sparsity)->from}, {"to", (*sparsity)->to}, {"c", json_enclosure((*sparsity)->c)}});
  }
  return value;
}

void print_json(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) {
    Json entry;
    entry["id"] = row.id;
    entry["paper"] = row.paper;
    entry["statement"] = row.statement;
    entry["mark"] = row.mark == Mark::read ? "read" : "recalled";
    entry["verdict"] = name(row.verdict);
    entry["hypotheses"] = Json::array();
    for (const Hypothesis& hypothesis : row.hypotheses) {
      entry["hypotheses"].push_back(
          {{"name", hypothesis.name}, {"verdict", name(hypothesis.verdict)}, {"detail", hypothesis.detail}});
    }
    entry["conclusion"] = row.conclusion;
    entry["reason"] = row.reason;
    if (row.observation) entry["observation"] = json_observation(*row.observation);
    list.push_back(std::move(entry));
  }
  std::printf("%s\n", list.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

// A row that more time, memory or precision might have decided.
bool stopped_by_budget(const Row& row) {
  if (row.verdict != Verdict::undecided) return false;
  const auto begins = [](const std::string& text) {
    return text.rfind("time", 0) == 0 || text.rfind("memory", 0) == 0 || text.rfind("precision", 0) == 0 ||
           text.rfind("interrupted", 0) == 0;
  };
  return begins(row.reason) ||
         std::any_of(row.hypotheses.begin(), row.hypotheses.end(), [&](const Hypothesis& h) {
           return h.verdict == Verdict::undecided && begins(h.detail);
         });
}

struct VerifyOptions {
  std::string instance, selection, loss = "logistic", descent_step, normalised_step = "1/10";
  std::size_t memory_limit = 0;
  double time_limit = 0;
  long precision = 128;
  std::size_t budget = 0;
  std::uint64_t steps = 0;
  CLI::Option *budget_given = nullptr, *steps_given = nullptr;
  bool json = false, details = false, no_runs = false;
};

// A positive exact number.
Result<Rational> parse_step(const std::string& option, const std::string& text) {
  const auto error = [&](const std::string& message) {
    return InputError{InputError::Kind::malformed, {}, option, {}, message};
  };
  const ParsedNumber parsed = parse_number(text);
  if (const auto* reason = std::get_if<std::string>(&parsed)) return error(*reason);
  const Rational step = std::holds_alternative<double>(parsed) ? Rational(std::get<double>(parsed))
                                                               : std::get<Rational>(parsed);
  if (step <= 0) return error("must be positive");
  return step;
}

int verify(const VerifyOptions& given) {
  CommandClock clock(given.time_limit, given.json ? AnswerShape::list : AnswerShape::text);
  int exit_code = exit_decided;
  const auto instance = read_or_report(given.instance, given.memory_limit, given.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  const Result<Selection> selection = choose_selection(*instance, data, given.selection);
  if (const auto* error = std::get_if<InputError>(&selection)) return report_input_error(*error, given.json);

  CatalogueOptions options;
  options.loss = *parse_loss(given.loss);
  options.margin.outer = &clock.budget();
  options.margin.memory_limit_bytes = given.memory_limit;
  options.margin.precision_bits = given.precision;
  options.enumeration_budget = given.budget_given->count() > 0 ? given.budget : default_search_budget(data);
  if (!given.no_runs)
    options.run_steps = given.steps_given->count() > 0 ? given.steps : default_run_steps(data);
  if (!given.descent_step.empty()) {
    const Result<Rational> step = parse_step("--gd-step", given.descent_step);
    if (const auto* error = std::get_if<InputError>(&step)) return report_input_error(*error, given.json);
    options.descent_step = std::get<Rational>(step);
  }
  const Result<Rational> step = parse_step("--ngd-step", given.normalised_step);
  if (const auto* error = std::get_if<InputError>(&step)) return report_input_error(*error, given.json);
  options.normalised_step = std::get<Rational>(step);
  std::vector<Row> rows;
  try {
    CatalogueContext context(*instance, std::get<Selection>(selection), options);
    rows = check_catalogue(context, [&] { clock.something_is_proved(); });
    clock.answering();
    if (given.json) {
      print_json(rows);
    } else {
      print_text(rows, *instance, context, given.instance, given.details);
    }
  } catch (const BudgetReached& reached) {
    return clock.unfinished(reached);
  }
  return std::any_of(rows.begin(), rows.end(), stopped_by_budget) ? exit_undecided : exit_decided;
}

}  // namespace

std::function<int()> configure_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("--loss", options->loss, "Training loss")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}))
      ->capture_default_str();
  app.add_option("--select", options->selection, "Selected token of each sequence: 2,0,1,...")
      ->check([](const std::string& given) { return given.empty() ? "names no token" : ""; });
  app.add_option("--precision", options->precision, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  options->budget_given = app.add_option(
      "--budget", options->budget, "Margin problems that row B.D may solve (default: some seconds' worth)");
  options->steps_given = app.add_option(
      "--steps", options->steps, "Steps of each run (default: a second or two's worth, at most 10000)");
  app.add_option("--gd-step", options->descent_step,
                 "Exact step of gradient descent (default: just below 1/beta)");
  app.add_option("--ngd-step", options->normalised_step, "Exact step of normalised gradient descent")
      ->capture_default_str();
  app.add_flag("--no-runs", options->no_runs, "No training runs: rows about their limits stay undecided");
  app.add_option("--time-limit", options->time_limit, "Seconds for all of it, reading included")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_flag("--details", options->details, "Statements and every hypothesis");
  app.add_flag("--json", options->json, "Print one JSON value");
  return [options] { return verify(*options); };
}

}  // namespace attest
