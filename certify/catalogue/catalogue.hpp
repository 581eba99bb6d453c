// The theorem catalogue: every row, its check on one instance, and the order in which reports list them.
// CATALOGUE.md documents for each row what is checked, exactly how, and what `holds` means.
#pragma once

#include <functional>
#include <vector>

#include "certify/catalogue/context.hpp"
#include "certify/catalogue/row.hpp"

namespace attest {

// margin_rows.cpp: statements about SVM(selection) and SVM(opt).
Row check_margin_problem(CatalogueContext& context);     // A.svm
Row check_feasible_dimension(CatalogueContext& context);  // B.T1
Row check_rank(CatalogueContext& context);               // B.L1

// loss_rows.cpp: statements about the loss and its smoothness.
Row check_loss_assumption(CatalogueContext& context);  // B.A
Row check_infimum(CatalogueContext& context);          // B.L2
Row check_smoothness(CatalogueContext& context);       // B.L4 beside theory.md T6

// assumption_rows.cpp: the papers' assumptions on data.
Row check_all_tight(CatalogueContext& context);        // B.B1
Row check_equal_scores(CatalogueContext& context);     // B.B2
Row check_no_other_local(CatalogueContext& context);   // B.D
Row check_data_conditions(CatalogueContext& context);  // C.global

// first_step_row.cpp
Row check_first_step(CatalogueContext& context);  // B.C

// global_rows.cpp: convergence from every starting point (hypotheses, and the limit of one run).
Row check_single_prompt(CatalogueContext& context);       // A.global
Row check_no_stationary(CatalogueContext& context);       // B.T3
Row check_global_convergence(CatalogueContext& context);  // B.T4
Row check_nearly_equal(CatalogueContext& context);        // B.T5
Row check_zero_start(CatalogueContext& context);          // B.T6

// local_rows.cpp: convergence near a locally optimal selection.
Row check_local_convergence(CatalogueContext& context);  // B.T7 with its explicit constants
Row check_cone(CatalogueContext& context);               // B.Def3
Row check_cone_lemma(CatalogueContext& context);         // B.L5

// rate_rows.cpp: how fast, on runs.
std::vector<Row> check_rates(CatalogueContext& context);  // C.ngd, C.polyak, C.sparse

// Every row, in the order above by paper and number. Throws nothing of the budget: rows that it ends are undecided.
// `proved` (may be empty) is called once there is a row that ending the process would lose.
std::vector<Row> check_catalogue(CatalogueContext& context, const std::function<void()>& proved = {});

}  // namespace attest
