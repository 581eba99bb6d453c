#include "numerics/numbers/decompositions.hpp"

namespace Eigen {

template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
template void LLT<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template void PartialPivLU<MatrixXd>::compute();
template void HouseholderQR<MatrixXd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();
template void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);
template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);

}  // namespace Eigen
