// Hand-made instances and certificates for the checker's tests.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/unit/proofs/checker/files.hpp"

namespace checker_tests {

// Cross-attention with d = e = 1: Delta = 1, W* = 1, the selected token 0 has the better score. Scores 2
// and 1.
inline const std::string one_constraint = R"({"X": [[[2], [1]]], "Y": [1], "v": [1], "z": [[1]]})";
// Tokens (0,0), (-1,0), (-1,-1), token 0 selected: Delta = (1,0), (1,1); W* = (1,0) with both margins 1,
// multipliers (1, 0) only. Scores 0, -1, -1.
inline const std::string idle_multiplier =
    R"({"X": [[[0, 0], [-1, 0], [-1, -1]]], "Y": [1], "v": [1, 0], "z": [[1]]})";
// Twice the same group: Delta_1 = Delta_2 = 1. Scores 0, -1.
inline const std::string twin_groups =
    R"({"X": [[[0], [-1]], [[0], [-1]]], "Y": [1, 1], "v": [1], "z": [[1], [1]]})";
// The selected token lies between the others: Delta = -1, 1: infeasible. Scores 0, 1, -1.
inline const std::string between = R"({"X": [[[0], [1], [-1]]], "Y": [1], "v": [1], "z": [[1]]})";
// Orthogonal constraints in two groups, tokens e1, e2 against 0, queries of length 2: Delta_i = 2 e_i; W* =
// (1/2, 1/2).
inline const std::string two_groups =
    R"({"X": [[[1, 0], [0, 0]], [[0, 1], [0, 0]]], "Y": [1, 1], "v": [1, 1], "z": [[2], [2]]})";
// One token per group.
inline const std::string no_constraints = R"({"X": [[[2]]], "Y": [1], "v": [1], "z": [[1]]})";

// A problem of the instance with the given selection ("1 0": count, then indices).
inline std::vector<std::string> problem(const std::string& selection, const std::string& loss = "none",
                                        const std::string& number = "1") {
  return {"problem " + number, "setting cross-attention", "norm euclidean", "loss " + loss,
          "selection " + selection};
}

inline std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Header, body and a correct end line.
inline std::vector<std::string> certificate(const std::string& instance,
                                            const std::vector<std::string>& body) {
  const std::string hash =
      attest_check::canonical_sha256(attest_check::read_instance(TemporaryFile(instance).path()));
  std::vector<std::string> lines = {"attest-certificate 1", "producer hand 1", "instance sha256 " + hash};
  int problems = 0, claims = 0;
  for (const std::string& line : body) {
    problems += line.starts_with("problem ");
    claims += line.starts_with("claim ");
    lines.push_back(line);
  }
  lines.push_back("end problems " + std::to_string(problems) + " claims " + std::to_string(claims) +
                  " lines " + std::to_string(lines.size() + 1));
  return lines;
}

struct Outcome {
  int status = 0;
  std::string message;
  std::vector<attest_check::VerifiedClaim> claims;
};

inline Outcome check_text(const std::string& instance, const std::string& text,
                          const std::vector<std::string>& required = {}) {
  const TemporaryFile instance_file(instance), certificate_file(text);
  try {
    const auto verdict = attest_check::check(instance_file.path(), certificate_file.path(), required);
    return {verdict.vacuous ? 3 : 0, "", verdict.claims};
  } catch (const attest_check::Failure& failure) {
    return {static_cast<int>(failure.status()), failure.what(), {}};
  }
}

inline Outcome check_body(const std::string& instance, const std::vector<std::string>& body) {
  return check_text(instance, join(certificate(instance, body)));
}

// The body with its first line equal to `from` replaced.
inline std::vector<std::string> replaced(std::vector<std::string> body, const std::string& from,
                                         const std::string& to) {
  for (std::string& line : body) {
    if (line == from) {
      line = to;
      return body;
    }
  }
  throw std::logic_error("no line " + from);
}

using Lines = std::vector<std::string>;

struct Change {
  std::string from;
  std::string to;
  int status;
};

// The body is verified; with each change alone it ends with the status given.
inline void examine(const std::string& instance, const Lines& body, const std::vector<Change>& changes) {
  const Outcome good = check_body(instance, body);
  CAPTURE(good.message);
  CHECK(good.status == 0);
  for (const Change& change : changes) {
    CAPTURE(change.from);
    CAPTURE(change.to);
    const Outcome outcome = check_body(instance, replaced(body, change.from, change.to));
    CAPTURE(outcome.message);
    CHECK(outcome.status == change.status);
    if (outcome.status != 0) CHECK_FALSE(outcome.message.empty());
  }
}

}  // namespace checker_tests
