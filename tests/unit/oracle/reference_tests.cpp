// The reference against brute force: every subset of constraints tried as the active set, every claim kind
// judged on hand-written certificates whose truth is evident.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/oracle/families.hpp"
#include "tests/oracle/judge.hpp"
#include "tests/oracle/linear_algebra.hpp"
#include "tests/oracle/producer.hpp"
#include "tests/oracle/smoothness.hpp"

using namespace reference;

namespace {

// The optimum by trying every independent subset of constraints as equalities; nothing when none is optimal.
std::optional<Row> brute_force(const MarginAnswer& answer) {
  const std::size_t m = answer.constraints.size();
  for (std::size_t subset = 0; subset < (std::size_t{1} << m); ++subset) {
    std::vector<std::size_t> chosen;
    for (std::size_t c = 0; c < m; ++c)
      if (subset >> c & 1) chosen.push_back(c);
    Matrix G(chosen.size(), Row(chosen.size()));
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t j = 0; j < chosen.size(); ++j)
        G[i][j] = dot(answer.differences[chosen[i]], answer.differences[chosen[j]]);
    if (rank(G) < G.size()) continue;
    const Row lambda = solve(G, Row(G.size(), 1));
    Row w(answer.differences[0].size());
    bool optimal = true;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      optimal = optimal && lambda[k] >= 0;
      for (std::size_t j = 0; j < w.size(); ++j) w[j] += lambda[k] * answer.differences[chosen[k]][j];
    }
    for (std::size_t c = 0; c < m && optimal; ++c) optimal = dot(answer.differences[c], w) >= 1;
    if (optimal) return w;
  }
  return std::nullopt;
}

// One group, keys (0,0), (-1,0), (-1,-1): w* = (1,0), both constraints tight, the second with multiplier 0
// always.
Dataset corner() {
  Dataset data;
  data.kind = Kind::prompt;
  data.K = {{{0, 0}, {-1, 0}, {-1, -1}}};
  data.X = {{{2}, {1}, {1}}};
  data.Y = {1};
  data.v = {1};
  return data;
}

Number parse_any(const std::string& text) {
  Number value(text);
  value.canonicalize();
  return value;
}

std::string with_claims(const std::string& claims, std::size_t count, const std::string& loss = "none") {
  const std::string text = "attest-certificate 1\nproducer test 1\ninstance sha256 " + std::string(64, '0') +
                           "\nproblem 1\nsetting prompt\nnorm euclidean\nloss " + loss + "\nselection 1 0\n" +
                           claims;
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  return text + "end problems 1 claims " + std::to_string(count) + " lines " + std::to_string(lines) + "\n";
}

const std::string optimal = "claim 1 optimal problem 1 norm-squared 1\nvector multipliers 1 over 1\n0 1 1\n";

}  // namespace

TEST_CASE("the dual method agrees with trying every active set") {
  std::size_t tried = 0;
  for (const Case& one : families()) {
    const MarginAnswer answer = solve_margin(one.data, one.choice);
    if (answer.constraints.empty() || answer.constraints.size() > 8) continue;
    CAPTURE(one.name);
    const auto expected = brute_force(answer);
    REQUIRE(answer.feasible == expected.has_value());
    if (expected) CHECK(answer.solution == *expected);
    ++tried;
  }
  CHECK(tried > 80);
}

TEST_CASE("the families contain every kind of answer") {
  std::size_t infeasible = 0, not_strict = 0, not_local = 0, local_only = 0, vacuous = 0;
  for (const Case& one : families()) {
    const MarginAnswer answer = solve_margin(one.data, one.choice);
    infeasible += !answer.feasible;
    vacuous += answer.constraints.empty();
    if (!answer.feasible) continue;
    not_strict += !strictly_complementary(answer);
    not_local += !answer.locally_optimal;
    local_only += answer.locally_optimal && !answer.globally_optimal;
  }
  CHECK(infeasible >= 8);
  CHECK(not_strict >= 2);
  CHECK(not_local >= 20);
  CHECK(local_only >= 5);
  CHECK(vacuous >= 3);
}

TEST_CASE("permuting groups and tokens changes nothing") {
  for (const Case& one : families()) {
    if (one.data.X.size() > 5) continue;
    CAPTURE(one.name);
    const Case other = permuted(one, 5);
    const MarginAnswer a = solve_margin(one.data, one.choice), b = solve_margin(other.data, other.choice);
    CHECK(a.feasible == b.feasible);
    CHECK(a.support.size() == b.support.size());
    CHECK(a.locally_optimal == b.locally_optimal);
    if (a.feasible) CHECK(a.solution == b.solution);
  }
}

TEST_CASE("linear programming finds the largest entry") {
  // x0 + x1 = 1, x1 + x2 = 1
  const Matrix A{{1, 1, 0}, {0, 1, 1}};
  CHECK((*maximise_entry(A, {1, 1}, 1))[1] == 1);
  CHECK((*maximise_entry(A, {1, 1}, 0))[0] == 1);
  CHECK_FALSE(maximise_entry(A, {-1, 1}, 0).has_value());
  CHECK((*maximise_entry({{1, -1}}, {0}, 0))[0] > 0);  // unbounded
  CHECK(positive_semidefinite({{2, 2}, {2, 2}}));
  CHECK_FALSE(positive_semidefinite({{2, 3}, {3, 2}}));
  CHECK_FALSE(positive_semidefinite({{0, 1}, {1, 5}}));
}

TEST_CASE("true claims are called true and false ones false") {
  struct Example {
    std::string claims;
    std::size_t count;
    bool truth;
  };
  const std::string support = optimal + "claim 2 support problem 1 from 1 size 2\n0 1\n0 2\n";
  const std::vector<Example> examples{
      {optimal, 1, true},
      {"claim 1 optimal problem 1 norm-squared 2\nvector multipliers 1 over 1\n0 1 1\n", 1, false},
      {"claim 1 optimal problem 1 norm-squared 1\nvector multipliers 1 over 1\n0 2 1\n", 1, false},
      {"claim 1 feasible problem 1\nvector separator 1 over 1\n0 1 1\n", 1, true},
      {"claim 1 infeasible problem 1\nvector farkas 1 over 1\n0 1 1\n", 1, false},
      {support, 2, true},
      {optimal + "claim 2 support problem 1 from 1 size 1\n0 1\n", 2, false},
      {support + "claim 3 strictly-complementary problem 1 from 2\nevidence cited\n", 3, false},
      {support +
           "claim 3 not-strictly-complementary problem 1 from 2 at 0 2\nvector direction 1 over 1\n0 1 1\n",
       3, true},
      {support +
           "claim 3 not-strictly-complementary problem 1 from 2 at 0 1\nvector direction 1 over 1\n0 1 1\n",
       3, false},
      {support + "claim 3 locally-optimal problem 1 from 2\n", 3, true},
      {support + "claim 3 not-locally-optimal problem 1 from 2 at 0 1\n", 3, false},
      {optimal + "claim 2 locally-optimal problem 1 from 1\n", 2, false},  // cites the wrong kind
      {"claim 1 globally-optimal problem 1\n", 1, true},
      {"claim 1 not-globally-optimal problem 1 at 0 1\n", 1, false},
      {"claim 1 score-tie problem 1 group 0 tokens 1 2\n", 1, false},  // token 0 scores more
      {optimal + "claim 2 rank problem 1 from 1 equals 1\nlower modulus 7\nupper groups\n", 2, true},
      {optimal + "claim 2 rank problem 1 from 1 equals 2\nlower modulus 7\nupper groups\n", 2, false},
      {"claim 1 optimal-enclosure problem 1 form gap norm-squared 1 1 distance-squared 0\n"
       "vector primal 1 over 1\n0 1 1\nvector dual 1 over 1\n0 1 1\n",
       1, true},
      {"claim 1 optimal-enclosure problem 1 form gap norm-squared 1 1 distance-squared 1*2^-9\n"
       "vector primal 1 over 1\n0 1 2\nvector dual 1 over 1\n0 1 1\n",
       1, false},
      {"claim 1 optimal-enclosure problem 1 form lambda-min norm-squared 1 1 radius 1 multiplier-radius 1\n"
       "lambda-min 1 bits 29\nvector multipliers 1 over 1\n0 1 1\n",
       1, false},  // the support has two constraints
  };
  Judge judge(corner());
  for (const Example& example : examples) {
    CAPTURE(example.claims);
    const Certificate certificate = parse_certificate(with_claims(example.claims, example.count));
    CHECK(judge.first_false(certificate).empty() == example.truth);
  }
}

TEST_CASE("radii, eigenvalue bounds and multipliers of an enclosure are judged") {
  Dataset data = corner();
  data.K = {{{0, 0}, {-1, 0}, {-2, -1}}};  // one support constraint, multiplier 1, Gram matrix 1
  Judge judge(data);
  const auto truth = [&](const std::string& numbers, const std::string& lambda,
                         const std::string& multiplier) {
    return judge
        .first_false(parse_certificate(with_claims(
            "claim 1 optimal-enclosure problem 1 form lambda-min norm-squared " + numbers + "\nlambda-min " +
                lambda + " bits 29\nvector multipliers 1 over 4\n0 1 " + multiplier + "\n",
            1)))
        .empty();
  };
  CHECK(truth("1 1 radius 1*2^-2 multiplier-radius 1/4", "1", "5"));
  CHECK_FALSE(truth("1 1 radius 1*2^-3 multiplier-radius 1/4", "1", "5"));
  CHECK_FALSE(truth("1 1 radius 1*2^-2 multiplier-radius 1/5", "1", "5"));
  CHECK_FALSE(truth("1 1 radius 1*2^-2 multiplier-radius 1/4", "1001/1000", "5"));
  CHECK_FALSE(truth("1 1 radius -1 multiplier-radius 1", "1", "5"));
  CHECK_FALSE(truth("1 1 radius 1 multiplier-radius -1", "1", "5"));
  CHECK_FALSE(truth("1001/1000 2 radius 1 multiplier-radius 1", "1", "5"));
}

TEST_CASE("a gradient of e^-2^32 is one") {
  Judge judge(corner());
  const auto stationary = [&](const std::string& start) {
    const std::string claim = "claim 1 stationary problem 1\nstart 2 " + start + "\n";
    return judge.first_false(parse_certificate(with_claims(claim, 1, "logistic"))).empty();
  };
  CHECK_FALSE(stationary("1*2^32 1*2^32"));
  CHECK_FALSE(stationary("1*2^40 1*2^39"));
}

// Values 1, v, tokens of which margins ask w_1 >= 1 and, times a half, w_2 >= 1: the solution is 1, 2 in
// every norm but the nuclear one, where it is of one column and has the Euclidean norm.
TEST_CASE("least norms are judged on both sides") {
  Dataset data = corner();
  data.K = {{{0, 0}, {-1, 0}, {0, Number(-1, 2)}}};
  Judge judge(data);
  const auto truth = [&](const std::string& norm, const std::string& value, const std::string& more = "") {
    const bool nuclear = norm == "nuclear", bits = nuclear || (norm != "l1" && norm != "linf");
    const std::string matrix = nuclear ? "matrix left 2 1 over 1\n1\n2\nmatrix right 1 1 over 1\n1\n"
                                       : "matrix primal 2 1 over 1\n1\n2\n";
    const std::string claim = "claim 1 norm-optimum problem 1 norm " + norm + " value " + value +
                              (nuclear ? " rank-at-most 1" : "") + "\n" + matrix +
                              "vector multipliers 1 over 1\n0 1 1\ndual-norm 1" + (bits ? " bits 29" : "") +
                              "\n" + more;
    return judge.first_false(parse_certificate(with_claims(claim, more.empty() ? 1 : 2))).empty();
  };
  const std::vector<std::tuple<std::string, std::string, std::string>> below_and_above{
      {"l1", "3", "3"},
      {"linf", "2", "2"},
      {"nuclear", "2236067977/1000000000", "2236067978/1000000000"},
      {"l2", "2236067977/1000000000", "2236067978/1000000000"},
      {"l3", "2080083823/1000000000", "2080083824/1000000000"},
      {"l3/2", "2447260/1000000", "2447261/1000000"}};
  for (const auto& [name, below, above] : below_and_above) {
    const std::string& norm = name;
    CAPTURE(norm);
    const std::string lower = number_text(parse_any(below)), upper = number_text(parse_any(above));
    const std::string beyond = number_text(parse_any(above) + Number(1, 1000000));
    const std::string short_of = number_text(parse_any(below) - Number(1, 1000000));
    CHECK(truth(norm, lower + " " + upper));
    CHECK_FALSE(truth(norm, beyond + " 9"));
    CHECK_FALSE(truth(norm, "1 " + short_of));
    CHECK_FALSE(truth(norm, "-1 9"));
  }
  CHECK(truth("l3", "2 3 distance 0"));
  CHECK_FALSE(truth("l3", "2 3 distance -1"));
  const std::string within = "claim 2 norm-support-within problem 1 norm l3 from 1 size ";
  CHECK(truth("l3", "2 3 distance 0", within + "2\n0 1\n0 2\n"));
  CHECK_FALSE(truth("l3", "2 3 distance 0", within + "1\n0 1\n"));
  CHECK_FALSE(truth("l3", "2 3", within + "2\n0 1\n0 2\n"));
  CHECK(truth("l3", "2 3 distance 0", "claim 2 norm-locally-optimal problem 1 norm l3 from 1\n"));
  CHECK_FALSE(truth("l3", "2 3 distance 0", "claim 2 norm-locally-optimal problem 1 norm l4 from 1\n"));
}

// Margins ask w_1 >= 1 and 2 w_2 >= 1: in linf all of 1 and a number from 1/2 to 1.
TEST_CASE("faces of solutions are judged on both sides") {
  Dataset data = corner();
  data.K = {{{0, 0}, {-1, 0}, {0, -2}}};
  Judge judge(data);
  const auto truth = [&](const std::string& norm, const std::string& dimension, const std::string& tight) {
    const std::string solved =
        "claim 1 norm-optimum problem 1 norm " + norm + " value 1*2^-1 2\n" +
        "matrix primal 2 1 over 1\n1\n1\nvector multipliers 1 over 1\n0 1 1\ndual-norm 1\n";
    std::string entries, others;
    for (int k = 0; k < dimension[2] - '0'; ++k) entries += std::to_string(k) + " 0\n";
    for (int k = 0; k < dimension[0] - '0'; ++k) others += "matrix other 2 1 over 2\n2\n1\n";
    const std::string size = std::to_string(std::count(tight.begin(), tight.end(), '\n'));
    return judge
        .first_false(parse_certificate(with_claims(solved + "claim 2 norm-face problem 1 norm " + norm +
                                                       " from 1 dimension " + dimension + " size " + size +
                                                       "\n" + tight + "modulus 7\n" + entries + others,
                                                   2)))
        .empty();
  };
  CHECK(truth("linf", "1 1", "0 1\n"));
  CHECK(truth("linf", "0 1", ""));
  CHECK(truth("linf", "0 2", "0 1\n"));
  CHECK_FALSE(truth("linf", "0 0", "0 1\n"));
  CHECK_FALSE(truth("linf", "2 2", "0 1\n"));
  CHECK_FALSE(truth("linf", "1 1", "0 1\n0 2\n"));
  CHECK(truth("l1", "0 0", "0 1\n0 2\n"));
  CHECK_FALSE(truth("l1", "1 1", "0 1\n"));
}

TEST_CASE("the smoothness constant is decided on both sides") {
  const Dataset data = gaussian(Kind::cross, 3, {3, 2}, 3, 3);
  for (const std::string loss : {"logistic", "exponential", "correlation"}) {
    const double value = approximate_smoothness_constant(data, loss);
    CHECK(at_least_smoothness_constant(data, loss, Number(value) * Number(1000001, 1000000)));
    CHECK_FALSE(at_least_smoothness_constant(data, loss, Number(value) * Number(999999, 1000000)));
  }
}

TEST_CASE("text that departs from the grammar is malformed") {
  const std::string good = with_claims(optimal, 1);
  CHECK_NOTHROW(parse_certificate(good));
  for (std::size_t end = 0; end < good.size(); ++end)
    CHECK_THROWS_AS(parse_certificate(good.substr(0, end)), Malformed);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"norm-squared 1", "norm-squared 2/2"},
                                                        {"norm-squared 1", "norm-squared 2*2^1"},
                                                        {"norm-squared 1", "norm-squared 1*2^0"},
                                                        {"norm-squared 1", "norm-squared -0"},
                                                        {"norm-squared 1", "norm-squared 01"},
                                                        {"norm-squared 1", "norm-squared +1"},
                                                        {"norm-squared 1", "norm-squared 1*2^65537"},
                                                        {"over 1", "over 0"},
                                                        {"over 1", "over -1"},
                                                        {"0 1 1\n", "0 1 0\n"},
                                                        {"0 1 1\n", "0  1 1\n"},
                                                        {"claims 1", "claims 2"},
                                                        {"claim 1", "claim 2"},
                                                        {"problem 1 norm", "problem 2 norm"},
                                                        {"optimal", "optimum"},
                                                        {"selection 1 0", "selection 2 0"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_certificate(bad), Malformed);
  }
}

TEST_CASE("everything the independent producer writes is well-formed and true") {
  std::size_t enclosures = 0;
  for (const Case& one : families()) {
    if (one.data.X.size() > 5) continue;
    Judge judge(one.data);
    for (const Evidence evidence : {Evidence::exact, Evidence::gap, Evidence::lambda_min}) {
      CAPTURE(one.name);
      const std::string text = certificate_text(one.data, one.choice, evidence, "logistic");
      const Certificate certificate = parse_certificate(text);
      CHECK(judge.first_false(certificate) == "");
      enclosures += text.find("form lambda-min") != std::string::npos;
    }
  }
  CHECK(enclosures > 80);
}
