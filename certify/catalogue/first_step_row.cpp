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
  BallMatrix descent(data.left_dimension, data.right_dimension);
  std::vector<Constraint> open;
  std::optional<Interval> least;
  // Is the constraint's sign known to be what it should be, or may it yet be?
  const auto look_at = [&](const Constraint& c, const Interval& margin) {
    if (margin.hi <= 0) {
      result.verdict = Verdict::fails;
      result.detail = "token " + show(c) + ": n (x_t - x_opt)' grad L(0) z in " + show(margin);
      return false;
    }
    if (margin.lo <= 0) {
      open.push_back(c);
    } else {
      least = least ? lower_of(*least, margin) : margin;
    }
    return true;
  };
  for (long bits = kFirstPrecision; bits <= kLargestPrecision; bits *= 4) {
    bool evaluated = true;
    if (bits == kFirstPrecision) {
      evaluated = step.enclose(descent, loss, bits);
      if (evaluated) step.margins(descent, best, bits, look_at);
    } else {
      const std::vector<Constraint> left = std::move(open);
      open.clear();
      for (const Constraint& c : left) {
        const std::optional<Interval> margin = step.careful_margin(best, c, loss, bits);
        evaluated = margin.has_value();
        if (!evaluated || !look_at(c, *margin)) break;
      }
    }
    if (!evaluated) {
      result.detail = "precision: |l'| at a mean score is beyond the range that is evaluated";
      return result;
    }
    if (result.verdict == Verdict::fails) return result;
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
