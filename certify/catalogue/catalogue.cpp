// The order of the catalogue.
#include "certify/catalogue/catalogue.hpp"

#include <utility>

namespace attest {

std::vector<Row> check_catalogue(CatalogueContext& context) {
  std::vector<Row> rows = {
      check_margin_problem(context),     check_single_prompt(context),       check_loss_assumption(context),
      check_feasible_dimension(context), check_rank(context),                check_infimum(context),
      check_smoothness(context),         check_all_tight(context),           check_equal_scores(context),
      check_first_step(context),         check_no_other_local(context),      check_no_stationary(context),
      check_global_convergence(context), check_nearly_equal(context),        check_zero_start(context),
      check_local_convergence(context),  check_cone(context),                check_cone_lemma(context),
      check_data_conditions(context),
  };
  for (Row& row : check_rates(context)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace attest
