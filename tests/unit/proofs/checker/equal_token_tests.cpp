// Equal tokens of a group are one: classes, multiplicities, mean scores, and what claims may say of them.
#include <doctest/doctest.h>

#include "proofs/checker/problem/problem.hpp"
#include "tests/unit/proofs/checker/claims.hpp"

using namespace attest_check;
using namespace checker_tests;

namespace {

// Tokens 1, 0, 1 in one group; z = 1, so Delta_1 = 1. `counts` as JSON, or empty.
std::string repeated(const std::string& counts) {
  return R"({"X": [[[1], [0], [1]]], "Y": [1], "v": [1], "z": [[1]])" +
         (counts.empty() ? "}" : ", \"counts\": " + counts + "}");
}

std::vector<std::string> optimum() {
  return {"claim 1 optimal problem 1 norm-squared 1", "vector multipliers 1 over 1", "0 1 1"};
}

struct Loaded {
  explicit Loaded(const std::string& text)
      : instance(read_instance(TemporaryFile(text).path())), features(instance) {}
  Instance instance;
  Features features;
};

}  // namespace

TEST_CASE("the first of equal tokens stands for all, with their counts") {
  const Loaded plain(repeated("")), counted(repeated("[5, 7, 2147483647]"));
  for (const Loaded* one : {&plain, &counted}) {
    CHECK(one->features.different(0) == 2);
    CHECK(one->features.representative(0, 2) == 0);
    CHECK(one->features.present(0, 0));
    CHECK(one->features.present(0, 1));
    CHECK_FALSE(one->features.present(0, 2));
    Problem problem;
    problem.features = &one->features;
    problem.selection = {0};
    CHECK(problem.constraint_count() == 1);
    CHECK(problem.is_constraint({0, 1}));
    CHECK_FALSE(problem.is_constraint({0, 2}));
  }
  CHECK(plain.features.multiplicity(0, 0) == 2);
  CHECK(counted.features.multiplicity(0, 0) == 2147483652);
  CHECK(counted.features.multiplicity(0, 1) == 7);
}

TEST_CASE("rows are equal when their numbers are, however they are written, and only in one group") {
  const Loaded one(
      R"({"X": [[["1/3", 0], ["2/6", "0x0p0"], [0, "1/3"]], [["1/3", 0]]], "Y": [1, 1], "v": [1, 1]})");
  CHECK(one.features.different(0) == 2);
  CHECK(one.features.representative(0, 1) == 0);
  CHECK(one.features.multiplicity(1, 0) == 1);
  // Rows, not features: where the query is 0 tokens stay different.
  const Loaded still(R"({"X": [[[1], [2]]], "Y": [1], "v": [1], "z": [[0]]})");
  CHECK(still.features.different(0) == 2);
}

TEST_CASE("equal keys have the mean of their scores, by their counts") {
  const std::string text =
      R"({"X": [[[1], [2], [4]]], "K": [[[1], [1], [0]]], "Y": [-1], "v": ["1/2"], "counts": [1, 2, 3]})";
  const Loaded one(text);
  CHECK(one.features.exact_score(0, 0) == fraction(-5, 6));
  CHECK(one.features.exact_score(0, 1) == fraction(-5, 6));
  CHECK(one.features.exact_score(0, 2) == -2);
  // A mean may tie with another token's score.
  const std::string tie = R"({"X": [[[1], [3], [2]]], "K": [[[1], [1], [0]]], "Y": [1], "v": [1]})";
  const auto claim = [](const std::string& tokens) {
    return std::vector<std::string>{"problem 1",      "setting prompt",
                                    "norm euclidean", "loss none",
                                    "selection 1 0",  "claim 1 score-tie problem 1 group 0 tokens " + tokens};
  };
  CHECK(check_body(tie, claim("0 2")).status == 0);
  CHECK(check_body(tie, claim("0 1")).status == 2);
  CHECK(check_body(tie, claim("1 2")).status == 2);
}

TEST_CASE("claims speak of the tokens that stand for their equals") {
  for (const char* counts : {"", "[1, 1, 1]", "[1, 4, 2]"}) {
    CAPTURE(counts);
    const std::string text = repeated(counts);
    CHECK(check_body(text, problem("1 0") + optimum()).status == 0);
    const Outcome other = check_body(text, problem("1 2") + optimum());
    CHECK(other.status == 1);
    CHECK(other.message.find("token 2 equals an earlier one, which stands for both") != std::string::npos);
    CHECK(check_body(text, problem("1 0") + replaced(optimum(), "0 1 1", "0 2 1")).status == 2);
  }
  // Without constraints.
  const std::string equal = R"({"X": [[[1], [1]]], "Y": [1], "v": [1], "z": [[1]]})";
  CHECK(check_body(equal, problem("1 0") + std::vector<std::string>{"claim 1 globally-optimal problem 1"})
            .status == 3);
}

TEST_CASE("counts make another instance unless all are 1") {
  const auto hash = [](const std::string& text) { return canonical_sha256(Loaded(text).instance); };
  CHECK(hash(repeated("")) == hash(repeated("[1, 1, 1]")));
  CHECK(hash(repeated("")) == hash(repeated("[[1, 1, 1]]")));
  CHECK(hash(repeated("[1, 2, 1]")) == hash(repeated("[[1, 2, 1]]")));
  CHECK(hash(repeated("")) != hash(repeated("[1, 2, 1]")));
  CHECK(hash(repeated("[2, 1, 1]")) != hash(repeated("[1, 2, 1]")));
}

TEST_CASE("counts that are none are malformed") {
  for (const char* counts :
       {"[1, 1]", "[1, 1, 1, 1]", "[[1, 1]]", "[[1], [1], [1]]", "[1, 0, 1]", "[1, -1, 1]", "[1, 1.5, 1]",
        "[1, 2147483648, 1]", "\"1\"", "1", "[[[1], [1], [1]]]"}) {
    CAPTURE(counts);
    CHECK(instance_status(repeated(counts)) == 2);
  }
}

TEST_CASE("a point is stationary for the mean by counts") {
  // At W = 0 the gradient is the covariance of scores and tokens: scores 1, 1, 0 and tokens in the plane.
  const auto claim = [](const std::string& loss) {
    return problem("2 0 0", loss) + std::vector<std::string>{"claim 1 stationary problem 1", "start zero"};
  };
  // Opposite groups whose counts agree, or not.
  const auto text = [](const std::string& counts) {
    return R"({"X": [[[1], [0]], [[1], [0]]], "Y": [1, 1], "v": [1], "z": [[1], [-1]], "counts": )" + counts +
           "}";
  };
  CHECK(check_body(text("[3, 2, 3, 2]"), claim("correlation")).status == 0);
  CHECK(check_body(text("[3, 2, 3, 2]"), claim("logistic")).status == 0);
  CHECK(check_body(text("[3, 2, 2, 3]"), claim("correlation")).status == 0);  // 6/25 both
  CHECK(check_body(text("[3, 2, 2, 3]"), claim("logistic")).status == 1);
  CHECK(check_body(text("[3, 2, 1, 1]"), claim("correlation")).status == 1);
}

TEST_CASE("the regularisation path depends on how often tokens stand there") {
  // gamma = gap = 1, |l'| = 1: theta = kappa e^-R, and the constant is -log(1 - theta).
  const auto status = [](const std::string& counts, const std::string& radius, const std::string& constant) {
    const std::string text =
        R"({"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]], "counts": )" + counts + "}";
    return check_body(text, problem("1 0", "correlation") + optimum() +
                                std::vector<std::string>{
                                    "claim 2 regularisation-path problem 1 from 1 from-radius " + radius +
                                    " rate-constant " + constant})
        .status;
  };
  CHECK(status("[1, 1]", "1", "1*2^-1") == 0);  // 0.4587
  CHECK(status("[4, 4]", "1", "1*2^-1") == 0);
  CHECK(status("[1, 4]", "1", "1000") == 1);     // theta = 1.47
  CHECK(status("[1, 4]", "2", "25*2^-5") == 0);  // 0.7793 of 0.78125
  CHECK(status("[1, 4]", "2", "3*2^-2") == 1);
  CHECK(status("[4, 1]", "1", "3*2^-5") == 1);  // 0.0965 against 0.0938
  CHECK(status("[4, 1]", "1", "25*2^-8") == 0);
}

TEST_CASE("offsets of the logits: rows, counts and rational scores stay what they are") {
  const Loaded one(
      R"({"X": [[[1], [0], [1]]], "scores": [[4, "1/3", 4]], "z": [[1]], "offsets": [[0.5, -1, "7/3"]]})");
  CHECK(one.instance.offset(2) == Rational(7, 3));
  CHECK(one.features.multiplicity(0, 0) == 2);
  CHECK(one.features.exact_score(0, 0) == 4);
  // The mean of different scores, where the offsets are the same.
  const Loaded mean(
      R"({"X": [[[1], [0], [1]]], "scores": [[4, 0, 1]], "z": [[1]], "counts": [1, 1, 2], "offsets": [[3, 0, 3]]})");
  CHECK(mean.features.exact_score(0, 0) == 2);
  CHECK_THROWS_WITH_AS(
      Loaded(R"({"X": [[[1], [0], [1]]], "scores": [[4, 0, 1]], "z": [[1]], "offsets": [[3, 0, 2]]})"),
      doctest::Contains("their mean is not rational"), Failure);
  // Neither differs from the first token of its class alone.
  CHECK_THROWS_AS(
      Loaded(R"({"X": [[[1], [1], [1]]], "scores": [[4, 3, 4]], "z": [[1]], "offsets": [[3, 3, 2]]})"),
      Failure);
  const Loaded none(R"({"X": [[[1], [0]]], "scores": [[4, 0]], "z": [[1]], "offsets": [[0, "0/5"]]})");
  CHECK(none.instance.offsets.size() == 0);
}
