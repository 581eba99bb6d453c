// `attest selections INSTANCE`: the locally optimal selections with their margins.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/audits/selection_search.hpp"
#include "certify/catalogue/context.hpp"
#include "certify/certificates/margin.hpp"
#include "certify/commands/clock.hpp"
#include "certify/commands/command.hpp"
#include "certify/commands/input.hpp"
#include "certify/process/file_bytes.hpp"
#include "certify/process/output_files.hpp"
#include "certify/reports/decimal.hpp"

namespace attest {
namespace {

constexpr int kJsonDigits = 40;

struct SelectionsOptions {
  std::string instance, certificate;
  std::size_t memory_limit = 0;
  double time_limit = 0;
  long precision = 192;
  std::size_t budget = 0;
  CLI::Option* budget_given = nullptr;
  bool json = false, force = false;
};

constexpr std::size_t kCountDigits = 40;  // of a number of selections; longer ones are rounded

// "d.d" and the exponent of ten, rounded down.
std::pair<std::string, std::size_t> leading_digits(const std::string& digits) {
  return {digits.substr(0, 1) + "." + digits.substr(1, 1), digits.size() - 1};
}

// A number of selections for people.
std::string shown_count(const Integer& count) {
  const std::string digits = count.str();
  if (digits.size() <= kCountDigits) return digits;
  const auto [mantissa, exponent] = leading_digits(digits);
  return "~" + mantissa + "e" + std::to_string(exponent);
}

// The exact digits as a string, or {"about": "1.2e4012"}.
nlohmann::ordered_json json_count(const Integer& count) {
  const std::string digits = count.str();
  if (digits.size() <= kCountDigits) return digits;
  const auto [mantissa, exponent] = leading_digits(digits);
  return {{"about", mantissa + "e" + std::to_string(exponent)}};
}

// Why the search says less than it might; empty when it was ended by nothing but its own budget of margin
// problems.
std::string why_undecided(const SelectionSearch& search, std::size_t budget) {
  if (!search.stopped_by.empty()) return search.stopped_by;
  if (search.counts.examined + search.counts.partial == 0 && !search.complete) {
    return "budget: no margin problem was solved, --budget " + std::to_string(budget) +
           (budget == 0 ? " (the default for instances that take long; give a larger one)" : "");
  }
  if (search.counts.undecided > 0) {
    return "budget: " + std::to_string(search.counts.undecided) +
           " of the selections visited stayed undecided";
  }
  return {};
}

Interval norm_of(const FoundSelection& found) {
  return square_root(found.solution.norm_squared, 256);
}

nlohmann::ordered_json enclosure(const Interval& x) {
  return {{"lo", plain_decimal_down(x.lo, kJsonDigits)}, {"hi", plain_decimal_up(x.hi, kJsonDigits)}};
}

// One problem with its claims for every selection found.
Certificate certificate_of(const SelectionSearch& search, const Instance& instance, const TokenData& data) {
  std::vector<CertifiedFacts> facts;
  for (const FoundSelection& found : search.found) {
    CertifiedFacts one;
    one.instance = &instance;
    one.data = &data;
    one.selection = &found.selection;
    one.solution = &found.solution;
    facts.push_back(one);
  }
  return write_certificate(facts);
}

void print_json(const SelectionSearch& search, const Instance& instance, std::size_t budget,
                const std::string& certificate) {
  nlohmann::ordered_json value;
  value["setting"] = name(instance.setting);
  value["norm"] = "euclidean";
  value["complete"] = search.complete;
  value["method"] = search.method;
  value["total"] = json_count(search.total);
  value["budget"] = budget;
  value["visited"] = search.counts.examined;
  value["partial"] = search.counts.partial;
  value["pruned"] = json_count(search.counts.pruned);
  value["infeasible"] = search.counts.infeasible;
  value["undecided"] = search.counts.undecided;
  value["time_limit_reached"] = search.time_limit_reached;
  const std::string reason = why_undecided(search, budget);
  if (!reason.empty()) value["reason"] = reason;
  value["selections"] = nlohmann::ordered_json::array();
  for (const FoundSelection& found : search.found) {
    nlohmann::ordered_json entry;
    entry["selection"] = found.selection;
    const Interval norm = norm_of(found);
    if (norm.lo > 0) {
      entry["margin"] = enclosure(point(1) / norm);
    } else {
      entry["margin"] = {{"lo", "Infinity"}, {"hi", "Infinity"}};
    }
    entry["norm_value"] = enclosure(norm);
    entry["locally_optimal"] = true;
    entry["globally_optimal"] = found.globally_optimal;
    entry["level"] = "checked";
    value["selections"].push_back(std::move(entry));
  }
  value["undecided_selections"] = search.open;
  if (certificate.empty()) {
    value["certificate"] = nullptr;
  } else {
    value["certificate"] = certificate;
  }
  std::printf("%s\n", value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_text(const SelectionSearch& search, const std::string& path, std::size_t budget,
                const std::string& certificate) {
  std::printf("locally optimal selections of %s, by decreasing margin (level: checked)\n\n", path.c_str());
  std::printf("%-28s%-9s%s\n", "margin", "optimal", "selection");
  for (const FoundSelection& found : search.found) {
    const Interval norm = norm_of(found);
    const std::string margin =
        norm.lo > 0 ? decimal_down((point(1) / norm).lo, 20) : "infinite (no constraints)";
    std::printf("%-28s%-9s%s\n", margin.c_str(), found.globally_optimal ? "global" : "local",
                show(found.selection).c_str());
  }
  if (search.found.empty()) std::printf("none found\n");
  for (const Selection& open : search.open) std::printf("%-28s%-9s%s\n", "", "open", show(open).c_str());
  std::printf("\nmargins are rounded down; %s search\n", search.method.c_str());
  if (!certificate.empty()) std::printf("c certificate %s\n", certificate.c_str());
  std::printf("c total %s visited %zu infeasible %zu pruned %s partial %zu undecided %zu\n",
              shown_count(search.total).c_str(), search.counts.examined, search.counts.infeasible,
              shown_count(search.counts.pruned).c_str(), search.counts.partial, search.counts.undecided);
  const std::string reason = why_undecided(search, budget);
  if (!reason.empty()) std::printf("c undecided: %s\n", reason.c_str());
  std::printf("s SELECTIONS %s found %zu\n", search.complete ? "COMPLETE" : "INCOMPLETE",
              search.found.size());
}

int selections(const SelectionsOptions& given) {
  CommandClock clock(given.time_limit, given.json ? AnswerShape::object : AnswerShape::text);
  OutputFiles files(given.force);
  files.input(given.instance);
  files.output(given.certificate, FileKind::certificate);
  if (const auto error = files.check()) return report_input_error(*error, given.json);
  int exit_code = exit_decided;
  const auto instance = read_or_report(given.instance, given.memory_limit, given.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  MarginOptions options;
  options.outer = &clock.budget();
  options.memory_limit_bytes = given.memory_limit;
  options.precision_bits = given.precision;
  const std::size_t budget = given.budget_given->count() > 0 ? given.budget : default_search_budget(data);
  const SelectionSearch search =
      find_locally_optimal(data, budget, options, [&] { clock.something_is_proved(); });
  clock.answering();
  std::string written;  // only proved claims are written; without any there is no file
  if (!given.certificate.empty()) {
    const Certificate certificate = certificate_of(search, *instance, data);
    if (!certificate.claims.empty()) {
      const bool compressed = given.certificate.ends_with(".gz");
      const std::string& text = certificate.text;
      if (const auto error = files.write(given.certificate, compressed ? gzip(text) : text)) {
        return report_input_error(*error, given.json);
      }
      written = given.certificate;
    }
  }
  if (given.json) {
    print_json(search, *instance, budget, written);
  } else {
    print_text(search, given.instance, budget, written);
  }
  return why_undecided(search, budget).empty() ? exit_decided : exit_undecided;
}

}  // namespace

std::function<int()> configure_selections(CLI::App& app) {
  const auto options = std::make_shared<SelectionsOptions>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")
      ->required();
  app.add_option("-o,--output", options->certificate,
                 "Certificate of the selections found; .gz compresses it");
  options->budget_given = app.add_option("--budget", options->budget,
                                         "Margin problems to solve at most (default: some seconds' worth)");
  app.add_option("--precision", options->precision, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  app.add_option("--time-limit", options->time_limit, "Seconds for all of it, reading included")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, memory_limit_help);
  app.add_flag("--force", options->force, "Replace an existing file that is not a certificate");
  app.add_flag("--json", options->json, "Print one JSON value");
  return [options] { return selections(*options); };
}

}  // namespace attest
