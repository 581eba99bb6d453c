// `attest selections INSTANCE`: the locally optimal selections with their margins.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "certify/catalogue/context.hpp"
#include "certify/catalogue/enclosure.hpp"
#include "certify/certificate_writer.hpp"
#include "certify/command.hpp"
#include "certify/command_input.hpp"
#include "certify/file_bytes.hpp"
#include "certify/selection_search.hpp"

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
  bool json = false;
};

Interval norm_of(const FoundSelection& found) { return square_root(found.solution.norm_squared, 256); }

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
  value["total"] = search.total.str();
  value["budget"] = budget;
  value["visited"] = search.counts.examined;
  value["partial"] = search.counts.partial;
  value["pruned"] = search.counts.pruned.str();
  value["infeasible"] = search.counts.infeasible;
  value["undecided"] = search.counts.undecided;
  value["time_limit_reached"] = search.time_limit_reached;
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

void print_text(const SelectionSearch& search, const std::string& path, const std::string& certificate) {
  std::printf("locally optimal selections of %s, by decreasing margin (level: checked)\n\n", path.c_str());
  std::printf("%-28s%-9s%s\n", "margin", "optimal", "selection");
  for (const FoundSelection& found : search.found) {
    const Interval norm = norm_of(found);
    const std::string margin = norm.lo > 0 ? decimal_down((point(1) / norm).lo, 20) : "infinite (no constraints)";
    std::printf("%-28s%-9s%s\n", margin.c_str(), found.globally_optimal ? "global" : "local",
                show(found.selection).c_str());
  }
  if (search.found.empty()) std::printf("none found\n");
  for (const Selection& open : search.open) std::printf("%-28s%-9s%s\n", "", "open", show(open).c_str());
  std::printf("\nmargins are rounded down; %s search\n", search.method.c_str());
  if (!certificate.empty()) std::printf("c certificate %s\n", certificate.c_str());
  std::printf("c total %s visited %zu infeasible %zu pruned %s partial %zu undecided %zu\n", search.total.str().c_str(),
              search.counts.examined, search.counts.infeasible, search.counts.pruned.str().c_str(),
              search.counts.partial, search.counts.undecided);
  std::printf("s SELECTIONS %s found %zu\n", search.complete ? "COMPLETE" : "INCOMPLETE", search.found.size());
}

int selections(const SelectionsOptions& given) {
  int exit_code = exit_decided;
  const auto instance = read_or_report(given.instance, given.memory_limit, given.json, exit_code);
  if (!instance) return exit_code;
  const TokenData data = token_data(*instance);
  MarginOptions options;
  options.time_limit_seconds = given.time_limit;
  options.memory_limit_bytes = given.memory_limit;
  options.precision_bits = given.precision;
  const std::size_t budget = given.budget_given->count() > 0 ? given.budget : default_search_budget(data);
  const SelectionSearch search = find_locally_optimal(data, budget, options);
  std::string written;  // only proved claims are written; without any there is no file
  if (!given.certificate.empty()) {
    const Certificate certificate = certificate_of(search, *instance, data);
    if (!certificate.claims.empty()) {
      const bool compressed = given.certificate.ends_with(".gz");
      const auto failure =
          write_file_atomically(given.certificate, compressed ? gzip(certificate.text) : certificate.text);
      if (failure) {
        return report_input_error({InputError::Kind::malformed, {}, {}, {}, *failure}, given.json);
      }
      written = given.certificate;
    }
  }
  if (given.json) {
    print_json(search, *instance, budget, written);
  } else {
    print_text(search, given.instance, written);
  }
  return search.time_limit_reached || search.counts.undecided > 0 ? exit_undecided : exit_decided;
}

}  // namespace

std::function<int()> configure_selections(CLI::App& app) {
  const auto options = std::make_shared<SelectionsOptions>();
  app.add_option("instance", options->instance, "Instance: .npz, folder of .npy files, .json or .json.gz")->required();
  app.add_option("-o,--output", options->certificate, "Certificate of the selections found; .gz compresses it");
  options->budget_given =
      app.add_option("--budget", options->budget, "Margin problems to solve at most (default: some seconds' worth)");
  app.add_option("--precision", options->precision, "Bits of enclosures")
      ->check(CLI::Range(32, 1 << 20))
      ->capture_default_str();
  app.add_option("--time-limit", options->time_limit, "Seconds for the whole search")->check(CLI::NonNegativeNumber);
  app.add_option("--memory-limit", options->memory_limit, "Bytes, by predicted sizes");
  app.add_flag("--json", options->json, "Print one JSON value");
  return [options] { return selections(*options); };
}

}  // namespace attest
