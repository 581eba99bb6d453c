// Eigen's decompositions of MatrixXd, compiled once, in decompositions.cpp: each costs the compiler seconds
// in every file that makes one for itself. To be included in place of Eigen's own headers.
#pragma once

#include <Eigen/Dense>

namespace Eigen {

extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template void LLT<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template void PartialPivLU<MatrixXd>::compute();
extern template void HouseholderQR<MatrixXd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();
extern template void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);

}  // namespace Eigen
