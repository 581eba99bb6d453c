// Why a margin problem is infeasible: the rows that no W satisfies together.
#pragma once

#include <string>
#include <vector>

#include "certify/reports/json.hpp"
#include "numerics/margin/conflict_rows.hpp"

namespace attest {

// The groups that rows of conflict_rows lie in, increasing.
std::vector<std::size_t> conflict_groups(const std::vector<Constraint>& rows);

// "tokens (0,1) (4,2) of 2 sequences: no W separates them together", cut after a few.
std::string conflict_text(const std::vector<Constraint>& rows);

// "token 3 of sequence 0"
std::string place(const Constraint& c);
// "(group,token)"
std::string short_place(const Constraint& c);
// [group, token], and a list of them.
Json json_place(const Constraint& c);
Json json_places(const std::vector<Constraint>& constraints);
// {"rows": [[group, token], ...], "groups": [...]}
Json json_conflict(const std::vector<Constraint>& rows);

}  // namespace attest
