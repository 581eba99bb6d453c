// What is told of one margin problem of several, whose rows have senses: as lines for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "certify/numbers/decimal_enclosure.hpp"
#include "certify/reports/json.hpp"
#include "numerics/margin/solution.hpp"

namespace attest {

// "feasible", "infeasible" or "undecided".
const char* verdict_word(Feasibility feasibility);

// The solution's norm and its inverse, with at least 40 digits and as many as the bits ask for; none unless
// it is solved.
struct NormFacts {
  DecimalEnclosure norm, margin;
};
std::optional<NormFacts> norm_facts(const MarginSolution& solution, long precision_bits);

// Both as lines; nothing unless it is solved.
std::string norm_lines(const std::string& norm, const std::string& margin, const MarginSolution& solution,
                       long precision_bits);

// "no W satisfies the rows of the tokens (0,2) (1,3) together", cut after a few.
std::string not_together(const std::vector<Constraint>& rows);
// The same of rows that contradict each other, as a line; nothing unless it is infeasible.
std::string conflict_lines(const MarginSolution& solution);

// "yes", "no: multiplier always 0 at (0,1)" or "undecided".
std::string complementarity_text(const MarginSolution& solution);

// "3 of 12: (0,1) (2,0) ..." or what is open of it.
std::string support_text(const MarginSolution& solution, std::size_t rows);

// {"verdict", "reason", "norm_value", "margin", "support", "support_undecided", "strictly_complementary",
// "witness"}: what they mean is said in certify/JSON.md.
Json json_margin_facts(const MarginSolution& solution, long precision_bits);

}  // namespace attest
