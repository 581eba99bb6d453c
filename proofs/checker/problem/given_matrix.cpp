// A matrix that a certificate writes out: see given_matrix.hpp.
#include "proofs/checker/problem/given_matrix.hpp"

namespace attest_check {
namespace {

std::vector<Integer> times(const ExactMatrix& matrix, const std::vector<Integer>& vector) {
  std::vector<Integer> result(matrix.rows);
  for (std::size_t a = 0; a < matrix.rows; ++a) {
    for (std::size_t b = 0; b < matrix.columns; ++b) {
      mpz_addmul(result[a].get_mpz_t(), matrix.numerator[a * matrix.columns + b].get_mpz_t(),
                 vector[b].get_mpz_t());
    }
  }
  return result;
}

std::vector<Integer> transpose_times(const ExactMatrix& matrix, const std::vector<Integer>& vector) {
  std::vector<Integer> result(matrix.columns);
  for (std::size_t a = 0; a < matrix.rows; ++a) {
    for (std::size_t b = 0; b < matrix.columns; ++b) {
      mpz_addmul(result[b].get_mpz_t(), matrix.numerator[a * matrix.columns + b].get_mpz_t(),
                 vector[a].get_mpz_t());
    }
  }
  return result;
}

}  // namespace

std::vector<Rational> GivenMatrix::entries() const {
  std::vector<Rational> result;
  for (const ExactMatrix* matrix : {&left, &right}) {
    for (std::size_t k = 0; k < matrix->numerator.size(); ++k) result.push_back(matrix->entry(k));
  }
  return result;
}

std::vector<Integer> GivenMatrix::margins(const Problem& problem, std::size_t group) const {
  const Features& features = *problem.features;
  const std::vector<Integer> query = features.queries().row(group);
  const std::vector<Integer> image = times(left, factored() ? transpose_times(right, query) : query);
  const Integer reference = features.tokens().dot(features.row(group, problem.selection[group]), image);
  std::vector<Integer> result;
  for (std::size_t t = 0; t < features.tokens_of(group); ++t)
    result.push_back(reference - features.tokens().dot(features.row(group, t), image));
  return result;
}

Integer GivenMatrix::scale(const Problem& problem) const {
  const Features& features = *problem.features;
  return left.denominator * right.denominator * features.tokens().denominator() *
         features.queries().denominator();
}

}  // namespace attest_check
