// What one row of the theorem catalogue says about an instance: hypotheses, conclusion and a verdict
// (CATALOGUE.md lists the rows; theory.md section 8 defines the verdicts).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numerics/problem/selection_problem.hpp"

namespace attest {

struct Observation;  // observation.hpp

// `holds` and `fails` are proved in exact or outward-rounded arithmetic; everything else is `undecided`.
enum class Verdict { holds, fails, undecided };

// "holds", "fails" or "undecided".
const char* name(Verdict verdict);

// Conjunction: fails as soon as one fails, else undecided as soon as one is undecided.
Verdict both(Verdict a, Verdict b);

// Disjunction: holds as soon as one holds, else undecided as soon as one is undecided.
Verdict either(Verdict a, Verdict b);

// One separately checked hypothesis. `detail` has the value found, the witness of a failure or the obstacle.
struct Hypothesis {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::string detail;
  std::vector<Constraint> conflict = {};  // of a margin problem that is infeasible: the rows that contradict
};

// How sure the wording of the paper's statement is: read in the paper, or recalled (then nothing in it,
// constants and conditions included, is to be quoted as the paper's).
enum class Mark { read, recalled };

struct Row {
  std::string id;
  std::string paper;      // arXiv number
  std::string statement;  // one line
  Mark mark = Mark::read;
  std::string head;  // that it speaks of: "scalar", or "any"

  Verdict verdict = Verdict::undecided;
  std::vector<Hypothesis> hypotheses = {};
  std::string conclusion =
      {};  // certified observation, or what follows and by whose theorem; empty when nothing does
  std::string reason = {};  // of `fails` (with its witness) and `undecided`; empty when the row holds
  std::shared_ptr<const Observation> observation = {};  // of the run that the conclusion is about; often none

  void require(std::string hypothesis, Verdict hypothesis_verdict, std::string detail);
  void require(Hypothesis hypothesis) { hypotheses.push_back(std::move(hypothesis)); }
};

// Sets verdict and reason from the hypotheses and the check of the conclusion: the first failure decides,
// then the first undecided one. Without hypotheses the verdict is that of the conclusion.
void settle(Row& row, Verdict conclusion_verdict = Verdict::holds, const std::string& conclusion_reason = {});

// The row does not speak about this instance's setting: undecided, reason "not applicable: " + why.
Row not_applicable(Row row, const std::string& why);

}  // namespace attest
