// Cholesky factorisation by tiles on all cores; the factor does not depend on how many there are.
#pragma once

#include <Eigen/Core>

#include "numerics/numbers/budget.hpp"

namespace attest {

// Replaces the lower half of `matrix` (symmetric; only its lower half with diagonal is read, the strictly
// upper half is left as it is) by its Cholesky factor in double precision. False when a pivot is not
// positive: the matrix is then in no useful state. A NaN is let through, as in Eigen's factorisation. Where
// there is a budget it is polled by columns of tiles.
bool factorise_cholesky(Eigen::Ref<Eigen::MatrixXd> matrix, const Budget* budget = nullptr);

// The same; false also where the factor has an entry that is not finite or a pivot that is not positive: when
// it is true, the factorisation ran to completion as error bounds of it assume.
bool has_cholesky_factor(Eigen::Ref<Eigen::MatrixXd> matrix);

}  // namespace attest
