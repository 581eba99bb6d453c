#include "certify/audits/selected_sets.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "certify/audits/margin_audit.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {
namespace {

// The token that stands for each (T18): per row of the instance.
std::vector<std::size_t> representatives(const TokenData& data) {
  std::vector<std::size_t> token;
  for (std::size_t i = 0; i < data.groups(); ++i)
    for (std::size_t t = 0; t < data.tokens(i); ++t) token.push_back(t);
  for (const TokenClass& merged : equal_tokens(data))
    for (const std::size_t t : merged.tokens) token[data.row(merged.group, t)] = merged.tokens.front();
  return token;
}

Result<SelectedSets> read_sets(const std::string& path, const TokenData& data) {
  const auto error = [&](const std::string& index, const std::string& message) {
    return InputError{InputError::Kind::malformed, path, {}, index, message};
  };
  std::ifstream file(path);
  if (!file) return error({}, "cannot be read");
  const nlohmann::json lists = nlohmann::json::parse(file, nullptr, false);
  if (!lists.is_array()) return error({}, "expected a list of lists of tokens, as [[0,2],[1]]");
  if (lists.size() != data.groups()) {
    return error({}, "has " + std::to_string(lists.size()) + " lists, expected one for each of the " +
                         std::to_string(data.groups()) + " sequences");
  }
  const std::vector<std::size_t> stands_for = representatives(data);
  SelectedSets sets;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    if (!lists[i].is_array() || lists[i].empty())
      return error(index, "expected a list of one token at least");
    std::vector<std::size_t>& set = sets.emplace_back();
    for (const nlohmann::json& token : lists[i]) {
      if (!token.is_number_unsigned() || token.get<std::uint64_t>() >= data.tokens(i))
        return error(index, "the sequence has no token " + token.dump());
      set.push_back(stands_for[data.row(i, token.get<std::size_t>())]);
    }
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return sets;
}

void solve(SelectedSetsAnswer& answer, const MarginOptions& options, const Budget& budget) {
  const std::vector<MarginRow> rows = margin_rows(answer.data, answer.sets);
  answer.equalities = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const MarginRow& row) { return row.sense == Sense::equal_to_zero; }));
  answer.rows = rows.size() - answer.equalities;
  answer.solution = solve_margin_rows(answer.data, rows, options);
  if (answer.vacuous() || (!answer.solution.exact && !answer.solution.enclosed)) return;
  const Selection first = first_tokens(answer.sets);
  try {
    answer.rank = rank_of_optimum(answer.data, first, answer.solution, budget);
  } catch (const BudgetReached&) {  // what is not found in time is left out
  }
}

Certificate certificate_of(const SelectedSetsAnswer& answer) {
  const Selection first = first_tokens(answer.sets);
  CertifiedFacts facts;
  facts.instance = &answer.instance;
  facts.data = &answer.data;
  facts.selection = &first;
  facts.solution = &answer.solution;
  facts.rows.sets = answer.sets;
  facts.rank = answer.rank;
  return write_certificate(facts);
}

}  // namespace

Selection first_tokens(const SelectedSets& sets) {
  Selection first;
  for (const std::vector<std::size_t>& set : sets) first.push_back(set.front());
  return first;
}

Result<SelectedSetsAnswer> certify_selected_sets(const SelectedSetsRequest& request, AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  files.input(request.sets);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  SelectedSetsAnswer answer;
  answer.precision_bits = request.precision_bits;
  answer.file.wanted = request.certificate;
  if (auto error = read_data(answer, request, watch)) return std::move(*error);
  Result<SelectedSets> sets = read_sets(request.sets, answer.data);
  if (auto* error = std::get_if<InputError>(&sets)) return std::move(*error);
  answer.sets = std::get<SelectedSets>(std::move(sets));
  answer.read_seconds = seconds_since(start);

  const Clock::time_point solving = Clock::now();
  MarginOptions options = margin_options(request, watch);
  options.form = request.form;
  options.precision_bits = request.precision_bits;
  solve(answer, options, watch.budget());
  watch.computed();
  answer.solve_seconds = seconds_since(solving);
  if (auto error = files.unchanged()) return std::move(*error);
  answer.certificate = certificate_of(answer);
  if (auto error = write_certificate_file(answer.certificate, files, answer.file)) return std::move(*error);
  answer.total_seconds = seconds_since(start);
  if (auto error = write_report(request.report, answer, files)) return std::move(*error);
  return answer;
}

}  // namespace attest
