// B.C: does the first gradient step from W = 0 separate the optimal tokens?
//
// In the notation of first_step.hpp the condition on constraint (j, t) is
// sum_i |l'(mean_i)| (z_i.z_j) <C_i, x_j,opt - x_jt> > 0. A ball pass over structured matrices settles all
// constraints but near-ties; those are added exactly, terms with the same mean (the same slope) before the
// slope's enclosure comes in, with escalating precision.
#include <vector>

#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/first_step.hpp"
#include "certify/numbers/decimal.hpp"

namespace attest {
namespace {

constexpr long kFirstPrecision = 128;
constexpr long kLargestPrecision = 8192;

Hypothesis first_step_separates(const TokenData& data, const Selection& best, Loss loss,
                                const Budget& budget) {
  Hypothesis result{"first step separates", Verdict::undecided, ""};
  const FirstStep step(data, budget);
  std::vector<Constraint> open = constraints(data, best);
  std::optional<Interval> least;
  for (long bits = kFirstPrecision; bits <= kLargestPrecision; bits *= 4) {
    const std::optional<std::vector<Interval>> slope = step.slopes(loss, bits);
    if (!slope) {
      result.detail = "precision: |l'| at a mean score is beyond the range that is evaluated";
      return result;
    }
    std::vector<Interval> margin;
    if (bits == kFirstPrecision) {
      margin = step.margins(best, open, *slope, bits);
    } else {
      for (const Constraint& c : open) {
        budget.poll();
        margin.push_back(step.careful_margin(best, c, *slope, loss == Loss::correlation));
      }
    }
    std::vector<Constraint> still_open;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (margin[k].hi <= 0) {
        result.verdict = Verdict::fails;
        result.detail = "token " + show(open[k]) + ": n (x_t - x_opt)' grad L(0) z in " + show(margin[k]);
        return result;
      }
      if (margin[k].lo <= 0) {
        still_open.push_back(open[k]);
      } else {
        least = least ? lower_of(*least, margin[k]) : margin[k];
      }
    }
    open = std::move(still_open);
    if (open.empty()) {
      result.verdict = Verdict::holds;
      result.detail = least ? "the least value, times n, is in " + show(*least) : "no constraints";
      return result;
    }
  }
  result.detail = "precision: the sign at token " + show(open.front()) + " is open at " +
                  std::to_string(kLargestPrecision) + " bits";
  return result;
}

}  // namespace

void decide_first_step(CatalogueContext& context, Row& row) {
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  if (row.hypotheses.back().verdict == Verdict::holds) {
    row.require(
        first_step_separates(context.data(), context.best(), context.options().loss, context.budget()));
  }
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "-grad L(0), scaled up, satisfies every constraint of SVM(opt) with the " +
                     std::string(name(context.options().loss)) + " loss (checked)";
  }
}

}  // namespace attest
