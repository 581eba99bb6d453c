// The order of the catalogue.
#include "certify/catalogue/catalogue.hpp"

#include <utility>

namespace attest {

namespace {

constexpr Row (*checks[])(CatalogueContext& context) = {
    check_margin_problem,     check_single_prompt,  check_loss_assumption, check_feasible_dimension,
    check_rank,               check_infimum,        check_smoothness,      check_all_tight,
    check_equal_scores,       check_first_step,     check_no_other_local,  check_no_stationary,
    check_global_convergence, check_nearly_equal,   check_zero_start,      check_local_convergence,
    check_cone,               check_cone_lemma,     check_data_conditions,
};

// A row that the budget ends in the middle is undecided for that reason; the others stand.
Row check_within_budget(CatalogueContext& context, Row (*check)(CatalogueContext& context)) {
  try {
    Row row = check(context);
    context.close();
    return row;
  } catch (const BudgetReached& reached) {
    Row row = context.close();
    row.reason = reached.reason;
    return row;
  }
}

}  // namespace

std::vector<Row> check_catalogue(CatalogueContext& context, const std::function<void()>& proved) {
  std::vector<Row> rows;
  for (const auto check : checks) {
    rows.push_back(check_within_budget(context, check));
    if (proved && rows.size() == 1) proved();
  }
  for (Row& row : check_rates(context)) rows.push_back(std::move(row));
  context.close();
  return rows;
}

}  // namespace attest
