// B.C: does the first gradient step from W = 0 separate the optimal tokens?
//
// At W = 0 attention is uniform, f_i is the mean score of group i, and
//   -n grad L(0) = sum_i |l'(mean_i)| C_i z_i',   C_i = (1/T_i) sum_t (g_it - mean_i) x_it.
// The condition on constraint (j, t) is sum_i |l'(mean_i)| (z_i.z_j) <C_i, x_j,opt - x_jt> > 0. A ball pass over
// structured matrices settles all constraints but near-ties; those are added exactly, terms with the same mean (the
// same slope) before the slope's enclosure comes in, with escalating precision.
#include <algorithm>
#include <map>
#include <vector>

#include "certify/catalogue/ball_matrix.hpp"
#include "certify/catalogue/catalogue.hpp"
#include "certify/catalogue/enclosure.hpp"

namespace attest {
namespace {

constexpr long kFirstPrecision = 128;
constexpr long kLargestPrecision = 8192;

class FirstStep {
 public:
  explicit FirstStep(const TokenData& data)
      : data_(data),
        x_(over_common_denominator(data.token_factor, data.first_row.back(), data.left_dimension)),
        z_(over_common_denominator(data.query_factor, data.groups(), data.right_dimension)) {
    for (const Rational& score : data.scores) {
      score_scale_ = boost::multiprecision::lcm(score_scale_, Integer(denominator(score)));
    }
    const std::size_t d = data.left_dimension;
    direction_.assign(data.groups() * d, Integer(0));
    for (std::size_t i = 0; i < data.groups(); ++i) {
      const Integer count = data.tokens(i);
      Integer total = 0;
      for (std::size_t t = 0; t < data.tokens(i); ++t) total += scaled_score(i, t);
      for (std::size_t t = 0; t < data.tokens(i); ++t) {
        const Integer weight = count * scaled_score(i, t) - total;
        if (weight == 0) continue;
        for (std::size_t j = 0; j < d; ++j) {
          direction_[i * d + j] += weight * x_.numerators[data.row(i, t) * d + j];
        }
      }
      // C_i = direction_i / scale_i
      scale_.push_back(score_scale_ * x_.denominator * count * count);
      mean_.push_back(Rational(total, Integer(score_scale_ * count)));
    }
  }

  // |l'(mean_i)| for every group, or nothing when a mean is too large to evaluate.
  std::optional<std::vector<Interval>> slopes(Loss loss, long bits) const {
    std::map<Rational, Interval> known;
    std::vector<Interval> result;
    for (const Rational& u : mean_) {
      auto found = known.find(u);
      if (found == known.end()) {
        const std::optional<Interval> slope = slope_size(loss, u, bits);
        if (!slope) return std::nullopt;
        found = known.emplace(u, *slope).first;
      }
      result.push_back(found->second);
    }
    return result;
  }

  // Enclosures of the margins of -n grad L(0) for all constraints of the selection.
  std::vector<Interval> margins(const Selection& selection, const std::vector<Constraint>& wanted,
                                const std::vector<Interval>& slope, long bits) const {
    const std::size_t n = data_.groups(), d = data_.left_dimension, e = data_.right_dimension;
    BallMatrix weighted(d, n), queries(n, e), gradient(d, e), transposed(e, n), image(d, n);
    for (std::size_t i = 0; i < n; ++i) {
      const Interval factor = point(Rational(Integer(1), scale_[i])) * slope[i];
      const Ball weight(factor.lo, factor.hi, bits);
      for (std::size_t j = 0; j < d; ++j) weighted.set(j, i, mul(Ball(direction_[i * d + j]), weight, bits));
      for (std::size_t m = 0; m < e; ++m) queries.set(i, m, Ball(z_.numerators[i * e + m]));
    }
    arb_mat_mul(gradient.raw(), weighted.raw(), queries.raw(), bits);
    arb_mat_transpose(transposed.raw(), queries.raw());
    arb_mat_mul(image.raw(), gradient.raw(), transposed.raw(), bits);
    const Rational unit(Integer(1), Integer(x_.denominator * z_.denominator * z_.denominator));
    std::vector<Interval> result;
    for (const Constraint& c : wanted) {
      Ball sum;
      for (std::size_t j = 0; j < d; ++j) {
        arb_addmul(sum.raw(), Ball(token_difference(selection, c, j)).raw(), image.entry(j, c.group), bits);
      }
      result.push_back(point(unit) * to_interval(sum));
    }
    return result;
  }

  // The margin as an exact linear form in the distinct slopes, evaluated: exact when all slopes are.
  Interval careful_margin(const Selection& selection, const Constraint& c, const std::vector<Interval>& slope,
                          bool all_slopes_equal) const {
    const std::size_t d = data_.left_dimension, e = data_.right_dimension;
    std::map<Rational, std::pair<std::size_t, Rational>> terms;  // mean -> (a group with it, coefficient)
    for (std::size_t i = 0; i < data_.groups(); ++i) {
      Integer along = 0;
      for (std::size_t j = 0; j < d; ++j) along += direction_[i * d + j] * token_difference(selection, c, j);
      if (along == 0) continue;
      Integer queries = 0;
      for (std::size_t m = 0; m < e; ++m) queries += z_.numerators[i * e + m] * z_.numerators[c.group * e + m];
      const Rational coefficient(Integer(along * queries),
                                 Integer(scale_[i] * x_.denominator * z_.denominator * z_.denominator));
      auto& term = terms[all_slopes_equal ? Rational(0) : mean_[i]];
      term.first = i;
      term.second += coefficient;
    }
    Interval sum = point(0);
    for (const auto& [mean, term] : terms) sum = sum + point(term.second) * slope[term.first];
    return sum;
  }

 private:
  Integer scaled_score(std::size_t group, std::size_t token) const {
    const Rational& score = data_.score(group, token);
    return numerator(score) * (score_scale_ / denominator(score));
  }
  Integer token_difference(const Selection& selection, const Constraint& c, std::size_t j) const {
    const std::size_t d = data_.left_dimension;
    return x_.numerators[data_.row(c.group, selection[c.group]) * d + j] -
           x_.numerators[data_.row(c.group, c.token) * d + j];
  }

  const TokenData& data_;
  SharedDenominatorMatrix x_;
  SharedDenominatorMatrix z_;
  Integer score_scale_ = 1;
  std::vector<Integer> direction_;  // n x d
  std::vector<Integer> scale_;      // n
  std::vector<Rational> mean_;      // n
};

Hypothesis first_step_separates(const TokenData& data, const Selection& best, Loss loss) {
  Hypothesis result{"first step separates", Verdict::undecided, ""};
  const FirstStep step(data);
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

Row check_first_step(CatalogueContext& context) {
  Row row{"B.C", "2308.16898",
          "opt unique and the first gradient step from W = 0 separates: (x_it - x_i,opt)' grad L(0) z_i > 0"};
  if (context.instance().setting == Setting::prompt) {
    return not_applicable(row, "a statement about the attention matrix W, not about a prompt");
  }
  row.require(best_tokens_unique(context));
  row.require(some_constraint(context));
  if (row.hypotheses.back().verdict == Verdict::holds) {
    row.require(first_step_separates(context.data(), context.best(), context.options().loss));
  }
  settle(row);
  if (row.verdict == Verdict::holds) {
    row.conclusion = "-grad L(0), scaled up, satisfies every constraint of SVM(opt) with the " +
                     std::string(name(context.options().loss)) + " loss (checked)";
  }
  return row;
}

}  // namespace attest
