// The Gram matrix of a problem's constraints: see constraint_gram.hpp.
#include "proofs/checker/problem/constraint_gram.hpp"

namespace attest_check {

std::vector<GramFactor> constraint_gram(const Problem& problem, const std::vector<Constraint>& listed) {
  const Features& features = *problem.features;
  GramFactor differences, queries;
  differences.denominator = features.tokens().denominator();
  queries.denominator = features.queries().denominator();
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const std::size_t group = listed[k].group;
    differences.index.push_back(k);
    differences.rows.push_back(problem.difference(listed[k]));
    if (k == 0 || listed[k - 1].group != group) {
      queries.rows.push_back(features.queries().row(group));
    }
    queries.index.push_back(queries.rows.size() - 1);
  }
  std::vector<GramFactor> factors;
  factors.push_back(std::move(differences));
  factors.push_back(std::move(queries));
  return factors;
}

}  // namespace attest_check
