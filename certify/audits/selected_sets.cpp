#include "certify/audits/selected_sets.hpp"

#include <algorithm>

#include "certify/audits/margin_audit.hpp"
#include "certify/audits/sets_file.hpp"
#include "numerics/numbers/clock.hpp"

namespace attest {

void solve_selected_sets(SelectedSetsAnswer& answer, const MarginOptions& options, const Budget& budget) {
  const std::vector<MarginRow> rows = margin_rows(answer.data, answer.sets);
  answer.equalities = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const MarginRow& row) { return row.sense == Sense::equal_to_zero; }));
  answer.rows = rows.size() - answer.equalities;
  for (const std::vector<std::size_t>& set : answer.sets) answer.first.push_back(set.front());
  answer.solution = solve_margin_rows(answer.data, rows, options);
  if (answer.vacuous() || (!answer.solution.exact && !answer.solution.enclosed)) return;
  try {
    answer.rank = rank_of_optimum(answer.data, answer.first, answer.solution, budget);
  } catch (const BudgetReached&) {  // what is not found in time is left out
  }
}

CertifiedFacts certified_facts(const SelectedSetsAnswer& answer) {
  CertifiedFacts facts;
  facts.instance = &answer.instance;
  facts.data = &answer.data;
  facts.selection = &answer.first;
  facts.solution = &answer.solution;
  facts.rows.sets = answer.sets;
  facts.rank = answer.rank;
  if (answer.proof) facts.finite = &*answer.proof;
  return facts;
}

Result<SelectedSetsAnswer> certify_selected_sets(const SelectedSetsRequest& request, AuditWatch& watch) {
  const Clock::time_point start = Clock::now();
  OutputFiles files(request.force, watch.signals());
  if (!request.held) files.input(request.instance);
  if (request.sets != own_sets) files.input(request.sets);
  if (!request.ratios.empty()) files.input(request.ratios);
  files.output(request.certificate, FileKind::certificate);
  files.output(request.report.path, FileKind::report);
  if (auto error = files.check()) return std::move(*error);
  SelectedSetsAnswer answer;
  answer.precision_bits = request.precision_bits;
  answer.file.wanted = request.certificate;
  if (auto error = read_data(answer, request, watch)) return std::move(*error);
  Result<SetsFile> sets = read_sets(request.sets, answer.instance, answer.data);
  if (auto* error = std::get_if<InputError>(&sets)) return std::move(*error);
  answer.sets = std::get<SetsFile>(sets).sets;
  if (!request.ratios.empty()) {
    const FiniteEquations equations(answer.data, answer.sets, watch.budget());
    auto ratios = read_ratios(request.ratios, answer.data, std::get<SetsFile>(sets).listed, equations);
    if (auto* error = std::get_if<InputError>(&ratios)) return std::move(*error);
    const auto& given = std::get<std::vector<Rational>>(ratios);
    answer.finite = solve_finite_part(equations, given, request.precision_bits + 64);
    answer.proof =
        prove_finite_part(equations, given, *answer.finite, request.precision_bits, watch.budget());
  }
  answer.read_seconds = seconds_since(start);

  const Clock::time_point solving = Clock::now();
  MarginOptions options = margin_options(request, watch);
  options.form = request.form;
  options.precision_bits = request.precision_bits;
  solve_selected_sets(answer, options, watch.budget());
  watch.computed();
  answer.solve_seconds = seconds_since(solving);
  if (auto error = files.unchanged()) return std::move(*error);
  answer.certificate = write_certificate(certified_facts(answer));
  if (auto error = write_answer(request.report, answer, files, start)) return std::move(*error);
  return answer;
}

}  // namespace attest
