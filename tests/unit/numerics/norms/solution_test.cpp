// The only solution in the nuclear norm, enclosed: against the optimum, and where there are several.
#include <doctest/doctest.h>

#include "numerics/norms/least_singular_value.hpp"
#include "numerics/norms/nuclear_solution.hpp"
#include "tests/unit/numerics/norms/norm_cases.hpp"

using namespace attest;
using namespace attest_test;

namespace {

Enclosure enclosure(const NormCase& asked) {
  const NormRequest request{*parse_norm("nuc"), 0};
  return enclose_solution(asked.data, asked.selection, request, asked.solve("nuc"), Budget());
}

Entries factor_product(const NuclearSolution& solution) {
  NormOptimum matrices;
  matrices.left = solution.left;
  matrices.right = solution.right;
  return primal(matrices);
}

// Groups of two tokens, the second of them 0: the rows are x z'.
std::optional<NormCase> outer_case(const std::vector<std::vector<double>>& x,
                                   const std::vector<std::vector<double>>& z) {
  TokenData data;
  data.left_dimension = x[0].size();
  data.right_dimension = z[0].size();
  data.first_row.push_back(0);
  std::vector<double> tokens, queries;
  for (std::size_t i = 0; i < x.size(); ++i) {
    tokens.insert(tokens.end(), x[i].begin(), x[i].end());
    tokens.resize(tokens.size() + x[i].size());
    queries.insert(queries.end(), z[i].begin(), z[i].end());
    data.first_row.push_back(data.first_row.back() + 2);
    data.scores.push_back(Rational(1));
    data.scores.push_back(Rational(0));
  }
  data.token_factor = ExactArray::from_binary64(tokens);
  data.query_factor = ExactArray::from_binary64(queries);
  return norm_case(std::move(data));
}

}  // namespace

TEST_CASE("random problems have one solution in the nuclear norm, near the optimum found") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const auto asked = norm_case(gaussian_instance({3, 3, 2}, 4, 4, seed));
    if (!asked) continue;
    const Enclosure found = enclosure(*asked);
    REQUIRE(std::holds_alternative<NuclearSolution>(found));
    const auto& solution = std::get<NuclearSolution>(found);
    CHECK(solution.distance < Rational(1, pow(Integer(10), 25)));
    const Entries w = factor_product(solution), near = primal(*asked->solve("nuc").optimum);
    Rational apart;
    for (std::size_t j = 0; j < w.size(); ++j) apart += (w[j] - near[j]) * (w[j] - near[j]);
    CHECK(apart < Rational(1, pow(Integer(10), 40)));
    std::size_t listed = 0;
    for (const Constraint& c : constraints(asked->data, asked->selection)) {
      const Entries row = constraint_entries(asked->data, asked->selection, c);
      const Rational above = product(row, w) - 1;
      const bool support = listed < solution.support().size() && solution.support()[listed] == c;
      if (support) ++listed;
      const Rational reach = solution.distance * solution.distance * product(row, row);
      CHECK((support ? above * above <= reach : above > 0 && above * above > reach));
    }
    CHECK(listed == solution.support().size());
  }
}

TEST_CASE("two rows that meet in one entry, exactly") {
  const auto asked = outer_case({{1, 0}, {2, -3}}, {{1, 0}, {1, 0}});
  REQUIRE(asked);
  const Enclosure found = enclosure(*asked);
  REQUIRE(std::holds_alternative<NuclearSolution>(found));
  const auto& solution = std::get<NuclearSolution>(found);
  CHECK(solution.rank() == 1);
  CHECK(solution.support().size() == 1);
}

TEST_CASE("features of other sizes") {
  for (const double size : {0x1p-12, 0x1p-7, 0x1p9, 0x1p14}) {
    CAPTURE(size);
    const auto asked =
        outer_case({{3 * size, 4 * size}, {-3 * size, 4 * size}, {5 * size, 0}}, {{3, 4}, {-3, 4}, {5, 0}});
    REQUIRE(asked);
    const Enclosure found = enclosure(*asked);
    REQUIRE(std::holds_alternative<NuclearSolution>(found));
    CHECK(std::get<NuclearSolution>(found).rank() == 2);
    CHECK(std::get<NuclearSolution>(found).distance * Rational(size) < Rational(1, pow(Integer(10), 20)));
  }
}

TEST_CASE("of several solutions, or several multipliers, none is enclosed") {
  const auto several = outer_case({{1, 0}, {0, 1}}, {{1, 0}, {0, 1}});
  const auto twice = outer_case({{1, 0}, {1, 0}}, {{1, 0}, {1, 0}});
  const auto touched = outer_case({{1, 0}, {1, 5}}, {{1, 0}, {1, 0}});
  for (const auto& asked : {several, twice, touched}) {
    REQUIRE(asked);
    const Enclosure found = enclosure(*asked);
    REQUIRE(std::holds_alternative<NoEnclosure>(found));
    CHECK(std::get<NoEnclosure>(found).why != NoEnclosure::Why::limit);
  }
}

TEST_CASE("a lower bound of the least singular value") {
  const Eigen::MatrixXd matrix = Eigen::Vector3d(3, 0.5, -2).asDiagonal();
  const double bound = least_singular_value(matrix, 0);
  CHECK(bound <= 0.5);
  CHECK(bound > 0.4);
  CHECK(least_singular_value(matrix, 0.1) <= 0.4);
  CHECK(least_singular_value(matrix, 1) == 0);
  CHECK(least_singular_value(Eigen::MatrixXd::Ones(2, 2), 0) == 0);
}
