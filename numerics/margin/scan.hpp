// One pass over all rows of a margin problem, in doubles with a proved error: which of them a W leaves open.
// What is certainly slack needs no more; the rest is few, and a problem of its own (working_set.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/problem/scaled_constraints.hpp"
#include "numerics/problem/selection_problem.hpp"

namespace attest {

// A row of a selection, with its margin in doubles (-infinity if that is no number).
struct SeenRow {
  Constraint at;
  double margin = 0;
};

// By margin, then by row.
bool operator<(const SeenRow& a, const SeenRow& b);

// The matrices within `radius` of w in the Frobenius norm, and how many rows are to be told.
struct ScanRequest {
  RowMatrix w;  // d x e
  double radius = 0;
  std::size_t most = 0;
};

// Of the rows >= 1 of groups [first, last) those whose margin is not certainly above 1 for every matrix of
// the request: the `most` that come first by operator<. Every other row of these groups is slack, proved, or
// comes after the last one told. Data in binary64. O(tokens d + groups d e), on all cores; reads the numbers
// where they lie, of files a part for each core at a time, and keeps none.
std::vector<SeenRow> open_rows(const TokenData& data, const Selection& selection, std::size_t first,
                               std::size_t last, const ScanRequest& request, const Budget& budget);

// Who looks at all rows of a problem. Several may share the work, each some of the groups.
class MarginScan {
 public:
  virtual ~MarginScan() = default;
  // Of all groups, as open_rows() says.
  virtual std::vector<SeenRow> open_rows(const ScanRequest& request, const Budget& budget) = 0;
};

// Those of several scans as if of one.
std::vector<SeenRow> first_rows(std::vector<SeenRow> rows, std::size_t most);

}  // namespace attest
