// A strict reader of the certificate language, written from proofs/statements/GRAMMAR.md alone.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/oracle/dataset.hpp"

namespace reference {

// The text departs from the grammar.
struct Malformed : std::runtime_error {
  Malformed(std::size_t line_number, const std::string& why)
      : std::runtime_error("line " + std::to_string(line_number) + ": " + why), line(line_number) {}
  std::size_t line;
};

struct SparseVector {
  std::string name;
  std::vector<std::pair<Pair, Number>> entries;  // increasing (group, token), values not zero
};

struct Problem {
  std::string setting;
  std::string loss;
  Choice selection;           // of selected sets the first token of each
  bool plain = true;          // a selection and rows >= 1, nothing else
  std::size_t equations = 0;  // of selected sets the tokens beside the first of each
};

// An optimiser, its first point and step sizes.
struct Iteration {
  std::string rule;      // gd, ngd, polyak
  std::string schedule;  // constant, inverse, invsqrt
  Number step;
  Row start;  // empty: zero
};

struct Band {
  Number lo, hi;
};

struct CheckpointClaim {
  std::size_t at = 0;
  Band norm, along, loss_gap, gradient, unselected;
  std::optional<Band> one_minus_corr;
};

struct RateClaim {
  std::string shape;
  std::size_t from = 0;
  Number constant;
};

struct RunClaim {
  Iteration iteration;
  std::size_t steps = 0;
  std::vector<CheckpointClaim> checkpoints;
  std::size_t loss_decreases_until = 0;
  std::vector<RateClaim> rates;
};

struct ForeverClaim {
  Iteration iteration;  // of a claim from a point
  std::size_t run = 0;  // cited run claim, 1-based; 0 when from a point
  std::size_t at = 0;
  std::string theorem;
  std::optional<std::size_t> dominates_from;
  Number path, excess, centre, height, growth;
  bool linear = false;
};

struct PathClaim {
  std::size_t run = 0;  // cited run claim, 1-based
  std::size_t from = 0, until = 0;
  Number constant;
};

// Of evidence about other norms, row by row.
struct GivenMatrix {
  std::size_t rows = 0, columns = 0;
  Row entries;
};

struct Claim {
  std::string kind;
  std::size_t problem = 0;          // 1-based
  std::size_t from = 0;             // cited claim, 1-based; 0 when the kind cites nothing
  std::string form;                 // optimal-enclosure: gap or lambda-min
  bool has_at = false;              // `at` is present
  Pair at;                          // the constraint named by `at`
  std::vector<Number> numbers;      // rationals of the claim line, in order; then lambda-min's S
  std::size_t count = 0;            // rank: equals; conflicts: at-least; norm-optimum: rank-at-most
  std::size_t group = 0;            // score-tie
  std::vector<std::size_t> tokens;  // score-tie
  std::vector<std::size_t> groups;  // separable-without
  bool evidence_cited = false;      // strictly-complementary
  std::vector<Pair> listed;         // support, norm-support-within, finite-part
  std::vector<std::pair<Pair, Number>> ratios;  // finite-part, no-finite-part
  std::string norm;                             // norm-optimum and what cites it
  std::vector<GivenMatrix> matrices;
  Number dual_norm;  // norm-optimum: what that of W(multipliers) is at most
  std::vector<SparseVector> vectors;
  std::optional<RunClaim> run;          // run; stationary: its start
  std::optional<ForeverClaim> forever;  // forever-from-point, forever-from-run
  std::optional<PathClaim> path;        // path-inequality
};

struct Certificate {
  std::string hash;
  std::vector<Problem> problems;
  std::vector<Claim> claims;
};

// Throws Malformed.
Certificate parse_certificate(const std::string& text);

// The value of a `rational` word; throws std::invalid_argument when it is not one.
Number parse_rational(const std::string& word);

}  // namespace reference
