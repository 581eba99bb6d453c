#include "certify/audits/selections.hpp"

#include "certify/audits/input.hpp"

namespace attest {
namespace {

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

}  // namespace

std::string SelectionsAnswer::reason() const {
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

Result<SelectionsAnswer> selections(const SelectionsRequest& request, AuditWatch& watch) {
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  files.output(request.certificate, FileKind::certificate);
  if (auto error = files.check()) return std::move(*error);
  Result<Instance> read = read_input(request.instance, request.held, request.memory_limit, watch);
  if (auto* error = std::get_if<InputError>(&read)) return std::move(*error);
  const Instance& instance = std::get<Instance>(read);
  const TokenData data = token_data(instance);
  SelectionsAnswer answer;
  answer.instance_path = request.instance;
  answer.setting = instance.setting;
  answer.merged = equal_tokens(data);
  answer.budget = request.budget.value_or(default_search_budget(data));
  answer.file.wanted = request.certificate;
  MarginOptions options;
  options.outer = &watch.budget();
  options.memory_limit_bytes = request.memory_limit;
  options.precision_bits = request.precision_bits;
  answer.search = find_locally_optimal(data, answer.budget, options, [&] { watch.something_is_proved(); });
  watch.computed();
  if (!request.certificate.empty() || request.held) {
    answer.certificate = certificate_of(answer.search, instance, data);
    if (auto error = write_certificate_file(answer.certificate, files, answer.file)) return std::move(*error);
  }
  return answer;
}

}  // namespace attest
