// Verdict algebra of catalogue rows.
#include "certify/catalogue/row.hpp"

#include <utility>

namespace attest {

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "fails";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Verdict both(Verdict a, Verdict b) {
  if (a == Verdict::fails || b == Verdict::fails) return Verdict::fails;
  if (a == Verdict::undecided || b == Verdict::undecided) return Verdict::undecided;
  return Verdict::holds;
}

Verdict either(Verdict a, Verdict b) {
  if (a == Verdict::holds || b == Verdict::holds) return Verdict::holds;
  if (a == Verdict::undecided || b == Verdict::undecided) return Verdict::undecided;
  return Verdict::fails;
}

void Row::require(std::string hypothesis, Verdict hypothesis_verdict, std::string detail) {
  hypotheses.push_back({std::move(hypothesis), hypothesis_verdict, std::move(detail)});
}

void settle(Row& row, Verdict conclusion_verdict, const std::string& conclusion_reason) {
  for (const Verdict sought : {Verdict::fails, Verdict::undecided}) {
    for (const Hypothesis& hypothesis : row.hypotheses) {
      if (hypothesis.verdict != sought) continue;
      row.verdict = sought;
      row.reason = hypothesis.name + ": " + hypothesis.detail;
      return;
    }
    if (conclusion_verdict == sought) {
      row.verdict = sought;
      row.reason = conclusion_reason;
      return;
    }
  }
  row.verdict = Verdict::holds;
  row.reason.clear();
}

Row not_applicable(Row row, const std::string& why) {
  row.hypotheses.clear();
  row.conclusion.clear();
  row.verdict = Verdict::undecided;
  row.reason = "not applicable: " + why;
  return row;
}

}  // namespace attest
