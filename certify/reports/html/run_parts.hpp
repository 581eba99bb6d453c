// What the pages of all runs have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certify/audits/followed_run.hpp"
#include "certify/reports/html/attention.hpp"
#include "certify/reports/html/cells.hpp"
#include "certify/reports/html/page.hpp"

namespace attest {

Fact enclosed_fact(const std::string& what, const Interval& ends);

// "0 2 1", cut where there are many; their number then.
std::string tokens(const Selection& selection);
// The tokens that dominate at the last step, or how many sequences have a proved one.
Fact dominating_tokens(const std::vector<std::optional<std::size_t>>& selection);

// What became of a run, in words.
struct RunStory {
  std::string iteration;  // "normalised gradient descent, step 1/10 (constant), logistic loss"
  std::uint64_t steps = 0;
  RunVerdict verdict = RunVerdict::undecided;
  std::string reason;               // why it ended early; empty when it did not
  std::vector<std::string> proved;  // sentences about all later steps; empty: nothing is
  std::string open;                 // why nothing is
};

void add_verdict(Page& page, const RunStory& story);

// The shapes that have a constant; perhaps without rows.
Table shape_table(const std::string& caption, const std::vector<RateShape>& shapes);

// 1 - corr by step. `described`: what is measured, and what the lines beside the band are.
void add_chart(Page& page, const RunPlot& plot, const std::string& described);

// The attention of every sequence's selected token, and what is left of it. Nothing without checkpoints.
void add_attention(Page& page, const std::vector<AttentionLeft>& checkpoints,
                   const std::vector<std::size_t>& groups);

// The page of a run of another iteration than that of W.
struct FollowedRunPage {
  std::string what;  // "Mirror descent": with the dataset's name the title
  RunStory story;
  std::vector<Fact> facts;
  std::string chart;  // as for add_chart
  std::vector<AttentionLeft> attention;
  std::vector<Table> tables;
};

std::string followed_run_page(const FollowedRunAnswer& answer, const FollowedRunPage& told);

}  // namespace attest
