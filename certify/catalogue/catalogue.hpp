// The theorem catalogue: a table of the papers' statements, each decided on one instance.
//
// A new row is one line of the table in catalogue.cpp and one function that decides it. CATALOGUE.md
// documents for each row what is checked, exactly how, and what `holds` means.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "certify/catalogue/context.hpp"
#include "certify/catalogue/row.hpp"

namespace attest {

// Lists the hypotheses of `row`, whose statement is filled in, and settles it.
using Decide = void(CatalogueContext& context, Row& row);

// margin_rows.cpp: statements about SVM(selection) and SVM(opt).
Decide decide_margin_problem, decide_feasible_dimension, decide_rank;
// loss_rows.cpp: statements about the loss and its smoothness.
Decide decide_loss_assumption, decide_infimum, decide_smoothness;
// assumption_rows.cpp, first_step_row.cpp: the papers' assumptions on data.
Decide decide_all_tight, decide_equal_scores, decide_no_other_local, decide_data_conditions,
    decide_first_step;
// global_rows.cpp: convergence from every starting point (hypotheses, and the limit of one run).
Decide decide_single_prompt, decide_no_stationary, decide_global_convergence, decide_nearly_equal,
    decide_zero_start;
// local_rows.cpp: convergence near a locally optimal selection.
Decide decide_local_convergence, decide_cone, decide_cone_lemma;
// finite_part_row.cpp: several tokens of a sequence selected together.
Decide decide_selected_sets;
// joint_rows.cpp: a decoder that is trained with the attention.
Decide decide_decoder_problem, decide_label_margins, decide_joint_path, decide_joint_path_in_norm;
// joint_training_row.cpp: runs that train both.
Decide decide_joint_training;
// path_row.cpp: minimisers over growing balls, and over growing parts of a cone.
Decide decide_regularisation_path, decide_matrix_path, decide_local_path;
// rank_rows.cpp: factors of few columns.
Decide decide_rank_bounded;
// mirror_rows.cpp: mirror descent.
Decide decide_mirror_iteration, decide_mirror_problem, decide_mirror_local, decide_mirror_rate,
    decide_mirror_path, decide_mirror_cross;
// rate_rows.cpp: how fast, on runs.
Decide decide_normalised_rate, decide_polyak_rate, decide_sparsity_rate;

// Adds to B.L1's conclusion what is known of the nuclear norm's solutions.
void add_nuclear_rank(CatalogueContext& context, Row& row);
// That T21 is about the best tokens: they are unique; of several outputs they have gaps over all others,
// which of ReLU units last.
Hypothesis best_token_alone(const CatalogueContext& context);
// Settles a row about the regularisation path in another norm than the Euclidean one, SVM(opt) being
// feasible.
void settle_path_in_norm(CatalogueContext& context, Row& row, const Norm& norm);

// The row of that id, decided once. Aborts when the table has none.
const Row& check_row(std::string_view id, CatalogueContext& context);

// Every row, in the table's order: by paper and number. Throws nothing of the budget: rows that it ends are
// undecided. `proved` (may be empty) is called once there is a row that ending the process would lose.
std::vector<Row> check_catalogue(CatalogueContext& context, const std::function<void()>& proved = {});

}  // namespace attest
