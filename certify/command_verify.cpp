// `attest verify INSTANCE`: the theorem catalogue on one instance, as a table or as JSON.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/catalogue/catalogue.hpp"
#include "certify/command.hpp"
#include "certify/command_input.hpp"
#include "certify/selection_search.hpp"

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
    std::printf("%s%s\n", start == 0 ? "" : std::string(column, ' ').c_str(), text.substr(start, length).c_str());
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
  std::printf("%-11s%-11s%s\n", "row", "verdict", details ? "statement, hypotheses, findings" : "what was found");
  std::size_t count[3] = {0, 0, 0};
  for (const Row& row : rows) {
    print_row(row, details);
    ++count[static_cast<std::size_t>(row.verdict)];
  }
  std::printf("%ss CATALOGUE holds %zu fails %zu undecided %zu\n", details ? "" : "\n", count[0], count[1], count[2]);
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json entry;
    entry["id"] = row.id;
    entry["paper"] = row.paper;
    entry["statement"] = row.statement;
    entry["mark"] = row.mark == Mark::read ? "read" : "recalled";
    entry["verdict"] = name(row.verdict);
    entry["hypotheses"] = nlohmann::ordered_json::array();
    for (const Hypothesis& hypothesis : row.hypotheses) {
      entry["hypotheses"].push_back(
          {{"name", hypothesis.name}, {"verdict", name(hypothesis.verdict)}, {"detail", hypothesis.detail}});
    }
    entry["conclusion"] = row.conclusion;
    entry["reason"] = row.reason;
    list.push_back(std::move(entry));
  }
  std::printf("%s\n", list.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

// A row that more time, memory or precision might have decided.
bool stopped_by_budget(const Row& row) {
  if (row.verdict != Verdict::undecided) return false;
  const auto begins = [](const std::string& text) {
    return text.rfind("time", 0) == 0 || text.rfind("memory", 0) == 0 || text.rfind("precision", 0) == 0;
  };
  return begins(row.reason) || std::any_of(row.hypotheses.begin(), row.hypotheses.end(), [&](const Hypothesis& h) {
           return h.verdict == Verdict::undecided && begins(h.detail);
         });
}

struct VerifyOptions {
  std::string instance, selection, loss = "logistic";
  std::size_t memory_limit = 0;
  double time_limit = 0;
  long precision = 128;
  std::size_t budget = 0;
  CLI::Option* budget_given = nullptr;
  bool json = false, details = false;
};

int verify(const VerifyOptions& given) {
  int exit_code = exit_decided;
  const auto instance = read_or_report(given.instance, given.memory_limit, given.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  const Result<Selection> selection = choose_selection(*instance, data, given.selection);
  if (const auto* error = std::get_if<InputError>(&selection)) return report_input_error(*error, given.json);

  CatalogueOptions options;
  options.loss = *parse_loss(given.loss);
  options.margin.time_limit_seconds = given.time_limit;
  options.margin.memory_limit_bytes = given.memory_limit;
  options.margin.precision_bits = given.precision;
  options.enumeration_budget = given.budget_given->count() > 0 ? given.budget : default_search_budget(data);
  CatalogueContext context(*instance, std::get<Selection>(selection), options);
  const std::vector<Row> rows = check_catalogue(context);
  if (given.json) {
    print_json(rows);
  } else {
    print_text(rows, *instance, context, given.instance, given.details);
  }
  return std::any_of(rows.begin(), rows.end(), stopped_by_budget) ? exit_undecided : exit_decided;
}

}  // namespace

std::function<int()> configure_verify(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")->required();
  app.add_option("--loss", options->loss, "Training loss")
      ->check(CLI::IsMember({"logistic", "exponential", "correlation"}))
      ->capture_default_str();
  app.add_option("--select", options->selection, "Selected token of each sequence: 2,0,1,...")
      ->check([](const std::string& given) { return given.empty() ? "names no token" : ""; });
  app.add_option("--precision", options->precision, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  options->budget_given =
      app.add_option("--budget", options->budget, "Margin problems that row B.D may solve (default: some seconds' worth)");
  app.add_option("--time-limit", options->time_limit, "Seconds for the whole catalogue")->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, "Bytes, by predicted sizes");
  app.add_flag("--details", options->details, "Statements and every hypothesis");
  app.add_flag("--json", options->json, "Print one JSON value");
  return [options] { return verify(*options); };
}

}  // namespace attest
