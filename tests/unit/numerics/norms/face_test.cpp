// All solutions of a margin problem in another norm: faces, and how near to a rank.
#include <doctest/doctest.h>

#include "numerics/norms/near_rank.hpp"
#include "numerics/norms/solution_face.hpp"
#include "numerics/norms/solution_matrix.hpp"
#include "tests/unit/numerics/norms/norm_cases.hpp"

using namespace attest;
using namespace attest_test;

namespace {

// W is a column whose products with these rows are at least 1; the other token of each group is 0.
std::optional<NormCase> column_case(const std::vector<std::vector<double>>& rows) {
  TokenData data;
  data.left_dimension = rows[0].size();
  data.right_dimension = 1;
  data.first_row.push_back(0);
  std::vector<double> tokens;
  for (const std::vector<double>& row : rows) {
    tokens.insert(tokens.end(), row.begin(), row.end());
    tokens.resize(tokens.size() + row.size());
    data.first_row.push_back(data.first_row.back() + 2);
    data.scores.push_back(Rational(1));
    data.scores.push_back(Rational(0));
  }
  data.token_factor = ExactArray::from_binary64(tokens);
  data.query_factor = ExactArray::from_binary64(std::vector<double>(rows.size(), 1));
  return norm_case(std::move(data));
}

std::optional<SolutionFace> face(const NormCase& asked, const std::string& norm) {
  NormAnswer answer = asked.solve(norm);
  REQUIRE(answer.optimum);
  return solution_face(asked.data, asked.selection, *parse_norm(norm), *answer.optimum, Budget());
}

void check_face(const std::vector<std::vector<double>>& constraints, const std::string& norm,
                std::size_t dimension, std::size_t tight) {
  CAPTURE(norm);
  const auto asked = column_case(constraints);
  REQUIRE(asked);
  const auto found = face(*asked, norm);
  REQUIRE(found);
  CHECK(found->dimension_at_least == dimension);
  CHECK(found->dimension_at_most == dimension);
  CHECK(found->tight.size() == tight);
  CHECK(found->unique() == std::optional<bool>(dimension == 0));
  REQUIRE(found->evidence);
  CHECK(found->evidence->others.size() == dimension);
  CHECK(found->evidence->entries.size() == dimension);
  CHECK(found->evidence->tight.size() == tight);
}

}  // namespace

TEST_CASE("faces that are seen by hand") {
  check_face({{1, 1}}, "l1", 1, 1);            // all (t, 1 - t), 0 <= t <= 1
  check_face({{1, 1, 1}}, "l1", 2, 1);         // a triangle
  check_face({{2, 1}}, "l1", 0, 1);            // (1/2, 0)
  check_face({{1, 0}, {0, 1}}, "l1", 0, 2);    // (1, 1)
  check_face({{1, 1}}, "linf", 0, 1);          // (1/2, 1/2)
  check_face({{1, 0}}, "linf", 1, 1);          // all (1, t), |t| <= 1
  check_face({{1, 0, 0}}, "linf", 2, 1);       // a square
  check_face({{1, 0}, {0, 1}}, "linf", 0, 2);  // (1, 1)
  check_face({{1, 0}, {1, 2}}, "linf", 1, 1);  // (1, t), 0 <= t <= 1
  // The first row alone has the value, the others leave one point: (1, 1), (1/6, 1/6).
  check_face({{1, 0}, {1, 1}, {0, 1}}, "linf", 0, 2);
  check_face({{3, 3}, {6, 0}, {0, 6}}, "l1", 0, 3);
  check_face({{3, 3, 0}, {6, 0, 0}, {0, 6, 0}}, "l1", 0, 3);
}

TEST_CASE("strictly convex norms and the nuclear one have no face here") {
  const auto asked = column_case({{1, 1}});
  REQUIRE(asked);
  CHECK(!face(*asked, "l3"));
  CHECK(!face(*asked, "nuc"));
}

TEST_CASE("every solution in the nuclear norm is near a matrix of small rank") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    const auto asked = norm_case(gaussian_instance({3, 3, 2}, 4, 4, seed));
    if (!asked) continue;
    const NormAnswer answer = asked->solve("nuc");
    REQUIRE(answer.optimum);
    const auto found = near_rank(asked->data, asked->selection, *answer.optimum);
    REQUIRE(found);
    CHECK(found->rank >= 1);
    CHECK(found->rank <= largest_solution_rank(asked->data));
    CHECK(found->distance <= Rational(1, pow(Integer(10), 25)) * answer.optimum->value.hi);
    REQUIRE(found->evidence.has_value() == (found->rank < largest_solution_rank(asked->data)));
    if (!found->evidence) continue;
    CHECK(found->evidence->left.columns == found->rank);
    CHECK(found->evidence->distance >= found->distance);
    CHECK(found->evidence->distance <= Rational(1, pow(Integer(10), 12)) * answer.optimum->value.hi);
  }
}

TEST_CASE("one matrix stands for the solutions in each norm, and it is said which") {
  const auto matrix = [](const std::vector<std::vector<double>>& rows, const std::string& norm) {
    CAPTURE(norm);
    const auto asked = column_case(rows);
    REQUIRE(asked);
    std::string reason;
    auto found =
        solution_matrix(asked->data, asked->selection, asked->euclidean, *parse_norm(norm), Budget(), reason);
    REQUIRE(found);
    CHECK(reason.empty());
    CHECK((found->gap > 0) == (found->standing == SolutionStanding::nearly));
    return *found;
  };
  const auto is = [](const SolutionMatrix& found, std::size_t entry, const Rational& value) {
    const Ball off = sub(found.entries.at(entry), Ball(value, 300), 300);
    return off.contains_zero() && abs(off).upper_double() < 1e-12;
  };
  CHECK(matrix({{1, 1}}, "l1").standing == SolutionStanding::several);
  const SolutionMatrix vertex = matrix({{2, 1}}, "l1");
  CHECK(vertex.standing == SolutionStanding::only);
  CHECK((is(vertex, 0, Rational(1, 2)) && is(vertex, 1, 0)));
  CHECK(matrix({{1, 0}}, "linf").standing == SolutionStanding::several);
  const SolutionMatrix corner = matrix({{1, 1}}, "linf");
  CHECK(corner.standing == SolutionStanding::only);
  CHECK((is(corner, 0, Rational(1, 2)) && is(corner, 1, Rational(1, 2))));
  for (const char* norm : {"fro", "l3"}) {
    const SolutionMatrix found = matrix({{1, 1}}, norm);
    CHECK(found.standing == SolutionStanding::only);
    CHECK((is(found, 0, Rational(1, 2)) && is(found, 1, Rational(1, 2))));
  }
  // A column's nuclear norm is its Euclidean one.
  const SolutionMatrix nuclear = matrix({{3, 4}}, "nuc");
  CHECK(nuclear.gap <= Rational(1, pow(Integer(10), 30)));
  CHECK(abs(sub(nuclear.entries.at(0), Ball(Rational(3, 25), 300), 300)).upper_double() < 1e-14);
  CHECK(abs(sub(nuclear.entries.at(1), Ball(Rational(4, 25), 300), 300)).upper_double() < 1e-14);
}
