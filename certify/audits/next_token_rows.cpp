#include "certify/audits/next_token_rows.hpp"

#include <algorithm>
#include <utility>

#include "certify/numbers/decimal.hpp"
#include "certify/numbers/exact_number.hpp"
#include "numerics/forever/ball_number.hpp"

namespace attest {
namespace {

constexpr const char* paper_e = "2409.17335";

Row row_of(const char* id, const char* statement, const char* head) {
  return {id, paper_e, statement, Mark::recalled, head};
}

Hypothesis collocated(const NtpAnswer& answer) {
  const CollocationSearch& search = answer.collocation;
  Hypothesis found{"collocation: every token has one next token, no two the same", Verdict::holds, ""};
  switch (search.verdict) {
    case CollocationSearch::Verdict::given:
    case CollocationSearch::Verdict::found:
      found.detail = std::to_string(search.collocation.pairs().size()) + " pairs, " +
                     (search.verdict == CollocationSearch::Verdict::given ? "given" : "found");
      break;
    case CollocationSearch::Verdict::conflict:
      found.verdict = Verdict::fails;
      found.detail = "the sentences contradict every collocation:";
      for (const std::size_t sentence : search.conflict->sentences)
        found.detail += " line " + std::to_string(answer.line[sentence]);
      break;
    case CollocationSearch::Verdict::undecided:
      found.verdict = Verdict::undecided;
      found.detail = search.reason;
  }
  return found;
}

Hypothesis strictly_ordered(const NtpAnswer& answer) {
  Hypothesis found{"each query's order is a strict partial order", Verdict::holds, ""};
  if (answer.cycle) {
    found.verdict = Verdict::fails;
    found.detail = "with query " + answer.vocabulary->label(answer.cycle->query) + ":";
    for (const OrderRow& row : answer.cycle->rows)
      found.detail += " " + answer.vocabulary->label(row.winner) + " >";
    found.detail += " " + answer.vocabulary->label(answer.cycle->rows.front().winner);
  } else if (!answer.fits()) {
    found.verdict = Verdict::undecided;
    found.detail = "not applicable: there is no collocation to make orders with";
  } else {
    found.detail = std::to_string(answer.orders.size()) +
                   " queries, and in every context the token to be selected is maximal";
  }
  return found;
}

// Of a stage, which may not be there.
Hypothesis separable(const std::string& which, const std::optional<CertifyAnswer>& stage) {
  Hypothesis found{which + "'s margin problem feasible", Verdict::undecided,
                   "not applicable: there is no collocation"};
  if (!stage) return found;
  const MarginSolution& solution = stage->solution;
  if (solution.feasibility == Feasibility::infeasible) {
    found.verdict = Verdict::fails;
    found.detail = "rows contradict each other (checked)";
  } else if (solution.feasibility == Feasibility::undecided) {
    found.detail = solution.reason;
  } else {
    found.verdict = Verdict::holds;
    found.detail =
        "||W*||^2 in " + show(solution.exact ? point(solution.exact->norm_squared) : solution.norm_squared);
  }
  return found;
}

// That the run of a stage with given embeddings tends to the direction of its margin problem's solution.
Hypothesis directed(const NtpAnswer& answer, const char* which, const std::optional<RunAnswer>& run,
                    const std::optional<CertifyAnswer>& stage) {
  Hypothesis found{std::string("a theorem about all later steps of ") + which, Verdict::undecided, ""};
  if (const std::string none = answer.nothing_to_train(); !run && !none.empty()) {
    found.detail = "not applicable: " + none;
  } else if (const std::string nothing = answer.nothing_to_attend(); !run && !nothing.empty()) {
    found.detail = "not applicable: " + nothing;
  } else if (!run) {
    found.detail = answer.embedded ? answer.embedded->reason : "budget: not trained (--steps)";
  } else if (run->forever.proofs.empty()) {
    found.detail = "steps: " + run->forever.reason;
  } else if (run->forever.selection != stage->selection) {
    found.verdict = Verdict::fails;
    found.detail = "its limit selects other tokens (" + run->forever.theorem + ", checked)";
  } else {
    found.verdict = Verdict::holds;
    found.detail = run->forever.theorem + " from step " + std::to_string(*run->forever.t0) + " on";
  }
  return found;
}

// "from W(0) = 0 ... 1 - corr = O(rate)" of such a run, with what is known of its loss.
std::string directed_words(const RunAnswer& run) {
  std::string text = "from W(0) = 0 with step " + show(run.spec.step) +
                     " the direction tends to W*, 1 - corr = O(" + run.forever.rate + ")";
  if (!run.forever.loss_bounds.empty()) {
    const ForeverAnswer::LossBound& last = run.forever.loss_bounds.back();
    text += ", L - L* <= " + decimal_up(last.loss_gap, 4) + " at every t >= " + std::to_string(last.from);
  }
  return text + " (checked)";
}

const std::optional<RunAnswer>& run_of(const std::optional<EmbeddedTraining>& training,
                                       std::optional<RunAnswer> EmbeddedTraining::*stage) {
  static const std::optional<RunAnswer> none;
  return training ? *training.*stage : none;
}

// The closed form of the feed-forward stage: it needs one-hot embeddings and some pair.
Hypothesis one_hot(const NtpAnswer& answer) {
  const bool known = answer.fits() && answer.one_hot && answer.vocabulary->size() > 1 &&
                     !answer.collocation.collocation.pairs().empty();
  Hypothesis found{"one-hot embeddings, some pair", Verdict::holds,
                   std::to_string(answer.vocabulary->size()) + " tokens"};
  if (known) return found;
  const std::string none = answer.nothing_to_train();
  found.verdict = Verdict::undecided;
  found.detail =
      none.empty() ? "budget: the stage is only trained in closed form" : "not applicable: " + none;
  return found;
}

Row data_row(const NtpAnswer& answer) {
  Row row = row_of("E.data",
                   "the sentences have a collocation, and the orders of their queries are realisable", "any");
  row.require(collocated(answer));
  row.require(strictly_ordered(answer));
  settle(row);
  if (row.verdict == Verdict::holds)
    row.conclusion = row.hypotheses[0].detail + "; " + row.hypotheses[1].detail;
  return row;
}

// Along W* all wrong outputs stay equal, and so do all groups: -grad L is a positive multiple of W*.
Row feed_forward_row(const NtpAnswer& answer) {
  Row row = row_of("E.ov",
                   "feed-forward stage: normalised gradient descent converges in direction to W_ov* = argmin "
                   "||W|| s.t. (e_n(x) - e_u)'W x >= 1",
                   "cross-entropy");
  row.require(separable("the feed-forward stage", answer.feed_forward));
  const std::optional<RunAnswer>& run = run_of(answer.embedded, &EmbeddedTraining::feed_forward);
  if (!answer.one_hot && answer.fits()) {
    row.require(directed(answer, "the stage's training", run, answer.feed_forward));
  } else {
    row.require(one_hot(answer));
  }
  settle(row);
  if (row.verdict == Verdict::holds && run) {
    row.conclusion = directed_words(*run);
  } else if (row.verdict == Verdict::holds) {
    row.conclusion =
        "from W(0) = 0 with step s: W(t) = s t W*/||W*|| and 1 - corr = 0 at every t >= 1 (checked)";
  }
  return row;
}

// What T23 proved of the attention stage.
Hypothesis locked_in(const NtpAnswer& answer) {
  Hypothesis found{"T23 at a step of the attention stage's training", Verdict::undecided, ""};
  if (!answer.training || !answer.training->attention) {
    const std::string nothing = answer.nothing_to_attend();
    found.detail = nothing.empty() ? "budget: not trained (--steps)" : "not applicable: " + nothing;
    return found;
  }
  const AttentionTraining& trained = *answer.training->attention;
  if (!trained.limit) {
    found.detail = trained.reason.empty() ? "steps: not at any of them (more with --steps, or shorter ones)"
                                          : trained.reason;
    return found;
  }
  found.verdict = Verdict::holds;
  found.detail = "from step " + std::to_string(trained.lock_in->from()) + " on";
  return found;
}

Row attention_row(const NtpAnswer& answer, const Row& data) {
  Row row = row_of("E.kq",
                   "attention stage with W_ov frozen: normalised gradient descent converges in direction to "
                   "W_kq* = argmin ||W|| s.t. (x - x')'W q >= 1 for x >_q x'",
                   "classifier");
  row.require("row E.data", data.verdict, data.verdict == Verdict::holds ? data.conclusion : data.reason);
  row.require(separable("the attention stage", answer.attention));
  if (!answer.one_hot && answer.fits()) {
    const std::optional<RunAnswer>& run = run_of(answer.embedded, &EmbeddedTraining::attention);
    row.require(directed(answer, "the stage's training", run, answer.attention));
    settle(row);
    if (row.verdict == Verdict::holds) row.conclusion = "W_ov frozen at doubles: " + directed_words(*run);
    return row;
  }
  row.require(locked_in(answer));
  settle(row);
  if (row.verdict != Verdict::holds) return row;
  const AttentionLimit& limit = *answer.training->attention->limit;
  const std::uint64_t later = 1000 * limit.from();
  row.conclusion = "from W(0) = 0 with step " + show(answer.attention_step) +
                   " the direction tends to W*, 1 - corr = O(1/t) and at most " +
                   decimal_up(limit.one_minus_cos_at(later).ball().upper(), 4) + " at step " +
                   std::to_string(later) + " (checked)";
  return row;
}

// Of an attention stage without rows.
std::string least_at_every_step(const NtpAnswer& answer) {
  return "; attention: " + answer.nothing_to_attend() + ", and L = L* at every t";
}

// With given embeddings the later steps of the two runs bound the loss, geometrically once margins rise.
void settle_embedded_loss(const NtpAnswer& answer, Row& row) {
  const auto& first = run_of(answer.embedded, &EmbeddedTraining::feed_forward)->forever.loss_rate;
  if (!answer.nothing_to_attend().empty()) {
    if (!first)
      return settle(row, Verdict::undecided,
                    "steps: margins need not rise yet at the last step of the feed-forward stage");
    row.conclusion =
        "feed-forward: the loss is " + words(*first) + least_at_every_step(answer) + " (checked)";
    return;
  }
  const auto& second = run_of(answer.embedded, &EmbeddedTraining::attention)->forever.loss_rate;
  if (!first || !second)
    return settle(row, Verdict::undecided,
                  std::string("steps: margins need not rise yet at the last step of the ") +
                      (first ? "attention" : "feed-forward") + " stage; rows E.ov and E.kq bound the loss");
  row.conclusion = "feed-forward: the loss is " + words(*first) +
                   "; attention, W_ov frozen at doubles: it is " + words(*second) + " (checked)";
}

Row loss_row(const NtpAnswer& answer, const Row& feed_forward, const Row& attention) {
  Row row = row_of("E.loss", "in both stages the cross-entropy decreases geometrically", "cross-entropy");
  row.require("row E.ov", feed_forward.verdict,
              feed_forward.verdict == Verdict::holds ? feed_forward.conclusion : feed_forward.reason);
  const bool attends = answer.nothing_to_attend().empty();
  if (attends)
    row.require("row E.kq", attention.verdict,
                attention.verdict == Verdict::holds ? attention.conclusion : attention.reason);
  if (!answer.one_hot && answer.fits()) {
    settle(row);
    if (row.verdict == Verdict::holds) settle_embedded_loss(answer, row);
    return row;
  }
  settle(row);
  std::string& said = row.verdict == Verdict::holds ? row.conclusion : row.reason;
  if (feed_forward.verdict != Verdict::holds) return row;
  const BallNumber norm = sqrt(number(answer.feed_forward->solution.exact->norm_squared));
  const auto ratio = interval_of(exp(-(number(answer.step) / norm)).ball());
  const std::string others = std::to_string(answer.vocabulary->size() - 1);
  const std::string fed = "feed-forward, step s = " + show(answer.step) + ": L(t) = log(1 + " + others +
                          " q^t) <= " + others + " q^t at every t, q = exp(-s/||W*||) in " + show(*ratio);
  if (row.verdict != Verdict::holds) {
    said += "; holds of the " + fed;
    return row;
  }
  if (!attends) {
    said = fed + least_at_every_step(answer) + " (checked)";
    return row;
  }
  const AttentionTraining& trained = *answer.training->attention;
  const AttentionLimit& limit = *trained.limit;
  said = fed + "; attention, step " + show(answer.attention_step) +
         ": L falls at every t >= " + std::to_string(trained.lock_in->from()) +
         ", L(t) - L* <= " + decimal_up(limit.loss_gap_at(limit.from()).ball().upper(), 4) + " r^(t - " +
         std::to_string(limit.from()) +
         ") at every t from there on, r = " + decimal_up(limit.conclusion().loss_ratio, 8) + " (checked)";
  return row;
}

// Since which step all of them are predicted so.
std::string predicted_from(const NtpAnswer& answer) {
  std::uint64_t from = 0;
  for (const ShiftedPrediction& one : answer.shift) {
    if (!one.from) return {};
    from = std::max(from, *one.from);
  }
  return ", and the trained model predicts them at every step from " + std::to_string(from) + " on";
}

Row shift_row(const NtpAnswer& answer, const Row& data) {
  Row row = row_of("E.shift", "other sentences are predicted by the extended partial order", "any");
  if (answer.shift.empty()) {
    if (answer.fits()) return not_applicable(std::move(row), "no shifted sentences (--shift)");
    return not_applicable(std::move(row), "there is no collocation");
  }
  if (data.verdict == Verdict::fails) {
    row.require("row E.data", data.verdict, data.reason);
    settle(row);
    return row;
  }
  const auto wrong = std::find_if(answer.shift.begin(), answer.shift.end(),
                                  [](const ShiftedPrediction& one) { return one.predicted != one.expected; });
  if (wrong == answer.shift.end()) {
    row.conclusion = std::to_string(answer.shift.size()) +
                     " sentences end in the token that attention along W* selects" + predicted_from(answer) +
                     " (checked)";
    settle(row);
  } else if (wrong->predicted) {
    settle(row, Verdict::fails,
           "line " + std::to_string(wrong->line) + " is predicted to end in " + *wrong->predicted +
               " and ends in " + wrong->expected);
  } else if (!answer.attention || !answer.attention->solution.exact) {
    settle(row, Verdict::undecided, "budget: predictions are decided where W* is known exactly");
  } else {
    settle(row, Verdict::fails,
           "line " + std::to_string(wrong->line) +
               ": W* leaves more than one token of the context on top, or "
               "what it selects has no next token, or a token no embedding");
  }
  return row;
}

}  // namespace

std::vector<Row> next_token_rows(const NtpAnswer& answer) {
  Row data = data_row(answer), feed_forward = feed_forward_row(answer);
  Row attention = attention_row(answer, data), loss = loss_row(answer, feed_forward, attention);
  Row shift = shift_row(answer, data);
  return {std::move(data), std::move(feed_forward), std::move(attention), std::move(loss), std::move(shift)};
}

}  // namespace attest
