// Every small change of claims about conflicts, groups left out and rows that move goes to the checker; what
// it accepts must be well-formed and true, as judged by trying (oracle/separability.hpp); the verified
// checker must agree.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "tests/mutation/judged.hpp"
#include "tests/mutation/mutations.hpp"
#include "tests/mutation/verified_checker.hpp"
#include "tests/oracle/producer.hpp"

using namespace mutation;
using reference::Choice;
using reference::Dataset;
using reference::Number;

namespace {

struct SeparabilityCase {
  Dataset data;
  Choice choice;
  std::string text;  // the certificate
};

// Problem 1 of the dataset and these claims.
SeparabilityCase with_claims(Dataset data, Choice choice, const std::string& claims) {
  std::string text = "attest-certificate 1\nproducer hand 1\ninstance sha256 " + instance_hash(data) +
                     "\nproblem 1\nsetting " + setting_words(data) +
                     "\nnorm euclidean\nloss none\nselection " + std::to_string(choice.size());
  for (const std::size_t token : choice) text += " " + std::to_string(token);
  text += "\n" + claims;
  std::size_t lines = 1, count = 0;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at) {
    ++lines;
    count += text.compare(at + 1, 6, "claim ") == 0;
  }
  text += "end problems 1 claims " + std::to_string(count) + " lines " + std::to_string(lines) + "\n";
  return {std::move(data), std::move(choice), std::move(text)};
}

// Differences (1,0) | (-1,0) | (0,1), (0,-2) | (1,1) | (-2,-2) | none: three conflicts, a separable rest.
SeparabilityCase conflicting() {
  Dataset data;
  data.kind = reference::Kind::prompt;
  data.K = {{{1, 0}, {0, 0}}, {{0, 1}, {1, 1}}, {{0, 0}, {0, -1}, {0, 2}},
            {{1, 1}, {0, 0}}, {{0, 0}, {2, 2}}, {{5, 5}}};
  for (const auto& group : data.K) {
    data.X.emplace_back(group.size(), reference::Row{1});
    data.Y.push_back(1);
  }
  data.v = {1};
  return with_claims(data, Choice(6, 0),
                     "claim 1 conflicts problem 1 at-least 3\nvector farkas 2 over 3\n0 1 2\n1 1 2\n"
                     "vector farkas 2 over 1\n2 1 2\n2 2 1\nvector farkas 2 over 2^2\n3 1 6\n4 1 3\n"
                     "claim 2 separable-without problem 1 groups 3 0 2 4\n"
                     "vector separator 2 over 1\n1 1 3\n3 1 2\n"
                     "claim 3 separable-without problem 1 groups 3 1 2 3\n"
                     "vector separator 2 over 2\n0 1 8\n4 1 3\n");
}

// A feasible problem in each setting, its radii nearly as large as they may be. "from F" are the claims of
// `solution`.
SeparabilityCase moving(reference::Kind kind) {
  Dataset data;
  data.kind = kind;
  data.X = {{{2, 1}, {0, 0}, {0, Number(1, 2)}}, {{0, 1}, {0, -2}}};
  data.Y = {1, 1};
  data.v = {1, 0};
  data.z = {{1, 2}, {0, 1}};
  data.K = {{{1, 1}, {0, 1}, {-1, 1}}, {{0, 3}, {0, 1}}};
  const Choice choice = {0, 0};
  const auto answer = reference::solve_margin(data, choice);
  REQUIRE(answer.feasible);
  const double norm = std::sqrt(answer.norm_squared.get_d());
  const double query = kind == reference::Kind::prompt ? 1 : std::sqrt(5.0), apart = std::sqrt(9.0);
  double radius = 1 / (2 * norm * query);
  if (kind == reference::Kind::self) {  // 2 R^2 + (2 Z + D) R < 1/N
    const double linear = 2 * query + apart;
    radius = (std::sqrt(linear * linear + 8 / norm) - linear) / 4;
  }
  mpz_class common = 2;
  for (const Number& x : answer.multipliers) common = lcm(common, x.get_den());
  std::string multipliers;
  std::size_t positive = 0;
  for (std::size_t k = 0; k < answer.multipliers.size(); ++k) {
    if (answer.multipliers[k] == 0) continue;
    const Number numerator = answer.multipliers[k] * common;
    ++positive;
    multipliers += std::to_string(answer.constraints[k].first) + " " +
                   std::to_string(answer.constraints[k].second) + " " + numerator.get_num().get_str() + "\n";
  }
  const std::string listed = std::to_string(positive) + " over ";
  const auto radius_text = [](double x) {
    return reference::number_text(Number(static_cast<long>(x * 4096), 4096));
  };
  return with_claims(
      data, choice,
      "claim 1 feasible problem 1\nvector separator " + listed + mpz_class(common / 2).get_str() + "\n" +
          multipliers + "claim 2 optimal problem 1 norm-squared " +
          reference::number_text(answer.norm_squared) + "\nvector multipliers " + listed + common.get_str() +
          "\n" + multipliers + "claim 3 robust-radius problem 1 from 1 radius " + radius_text(radius / 2) +
          "\nclaim 4 robust-radius problem 1 from 2 radius " + radius_text(radius) + "\n");
}

// Nearly vanishing combinations: all three rows of an infeasible problem in the plane, two of them spanning;
// and a direction of which elimination finds that one row spans it. Beside it a bound of the margin.
SeparabilityCase nearly_vanishing(bool plane) {
  Dataset data;
  data.kind = reference::Kind::prompt;
  data.K =
      plane ? std::vector<std::vector<reference::Row>>{{{2, 0}, {0, 0}}, {{0, 2}, {0, 0}}, {{0, 0}, {1, 1}}}
            : std::vector<std::vector<reference::Row>>{{{1, 1}, {0, 0}}, {{0, 0}, {2, 2}}};
  for (const auto& group : data.K) {
    data.X.emplace_back(group.size(), reference::Row{1});
    data.Y.push_back(1);
  }
  data.v = {1};
  const std::string combination = plane ? "vector combination 3 over 2^4\n0 1 501\n1 1 499\n2 1 1000\n"
                                        : "vector combination 2 over 7\n0 1 200\n1 1 101\n";
  const std::string spanning = plane ? "spanning 3 bits 29 2\n0 1\n1 1\n" : "spanning 1/2 bits 64 1\n0 1\n";
  const std::size_t groups = data.K.size();
  return with_claims(
      std::move(data), Choice(groups, 0),
      "claim 1 infeasible problem 1\n" + combination + spanning +
          "claim 2 not-locally-optimal problem 1 from 1\nclaim 3 margin-at-most problem 1 bound "
          "1/32\n" +
          combination);
}

// Feasible, with margin 1: bounds of it that are sharp and not.
SeparabilityCase bounded_margin() {
  Dataset data;
  data.kind = reference::Kind::prompt;
  data.K = {{{1, 2}, {0, 0}}, {{1, -2}, {0, 0}}};
  data.X = {{{1}, {1}}, {{1}, {1}}};
  data.Y = {1, 1};
  data.v = {1};
  return with_claims(
      data, Choice(2, 0),
      "claim 1 margin-at-most problem 1 bound 1\nvector combination 2 over 3\n0 1 5\n1 1 5\n"
      "claim 2 margin-at-most problem 1 bound 5/4\nvector combination 2 over 1\n0 1 3\n1 1 2\n");
}

}  // namespace

TEST_CASE("separability: no accepted change is false, and the verified checker agrees") {
  const Folder folder;
  VerifiedChecker verified;
  std::size_t tried = 0, rejected = 0, passed = 0;
  for (const SeparabilityCase& one :
       {conflicting(), moving(reference::Kind::prompt), moving(reference::Kind::cross),
        moving(reference::Kind::self), nearly_vanishing(true), nearly_vanishing(false), bounded_margin()}) {
    const std::string instance = folder.write("instance.json", json_text(one.data, one.choice));
    const std::vector<std::string> inside = lines_of_kinds(
        one.text, {"conflicts", "separable-without", "robust-radius", "infeasible", "margin-at-most"});
    reference::Judge judge(one.data);
    CAPTURE(one.text);
    REQUIRE(check(instance, folder.write("original.attest", one.text)).code == 0);
    REQUIRE(objection(judge, one.text) == "");
    for (const Mutation& change : mutations(one.text)) {
      if (inside[change.line].empty()) continue;
      CAPTURE(change.description);
      const std::string path = folder.write("changed.attest", change.text);
      const int code = check(instance, path).code;
      rejected += code == 1;
      if (verified && (code != 2 || ++tried % 7 == 0)) {
        CHECK(verified.status(instance, path) == code);
      }
      if (!accepted(code)) continue;
      ++passed;
      CHECK(objection(judge, change.text) == "");
    }
  }
  MESSAGE(rejected, " changes rejected as false, ", passed, " accepted and true");
  CHECK(rejected > 100);
  CHECK(passed > 50);
}
