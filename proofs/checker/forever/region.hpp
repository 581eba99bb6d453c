// What the theorems about all later steps share: the constraints at the point they start from, and what every
// conclusion needs. A theorem derives the region it keeps the iteration in from it. Symbols:
// proofs/statements/GLOSSARY.md.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "proofs/checker/forever/theorem.hpp"

namespace attest_check {

// One constraint at the point w_0.
struct Row {
  std::size_t place = 0;  // of its group among the groups with more than one different token
  std::size_t group = 0, token = 0;
  Rational gap;           // as the head gives it
  bool inside = true;     // P
  Interval norm;          // ||Delta_c||
  Interval slope;         // gamma_c
  Interval spread2;       // delta_c^2
  Interval margin;        // m_c(w_0)
  Interval excess;        // m_c(w_0) - gamma y_0
  Interval lower, upper;  // bounds of b_c on P; on N upper bounds |b_c|
};

class Region {
 public:
  virtual ~Region() = default;
  // Rejects the claim unless the theorem implies the conclusion.
  void require();

 protected:
  // `outside`: constraints with a positive gap that are in N; `path`: M of the region.
  Region(const LaterSteps& where, const std::vector<Constraint>& outside, const Rational& path);

  // The theorem's own hypotheses.
  virtual void require_theorem() = 0;
  // Is the residual bounded, by the conclusion's excess, instead of growing with the path constant?
  virtual bool bounded_residual() const { return false; }
  // Is the region the one along the path of constant M, from the residual at the point on?
  virtual bool along_path() const { return true; }
  // At most m_c at all later steps.
  virtual Interval low(const Row& row) const {
    return row.margin - row.spread2 * path_ / (Interval(4) * row.slope);
  }
  // At most m_c(w_s) whenever y_s - y_0 >= risen.
  virtual Interval lowest_margin(const Row& row, const Interval& risen) const;

  // Rejects the claim unless the rule is one of these: a theorem names those it covers.
  void require_rule(std::initializer_list<Rule> covered) const;
  void read_rows(const std::vector<Constraint>& outside);
  // K and C from the bounds of b_c. Rejects the claim unless S is inside P.
  void gibbs();
  // T9s, normalised: eta (1 - cmin^2)/cmin.
  Interval normalised_spread() const;
  // E_i/(1 + E_i) <= eps_i.
  void require_attention(const std::vector<Rational>& attention) const;
  // The bounds of b_c of DYNAMICS.md section 6, and K, for the theorems whose N need not be empty.
  void local_bounds(const std::vector<Rational>& attention, const std::vector<Constraint>& outside);
  // ngd: the largest later step; gd: its length where no margin is below low(row).
  void require_step_bound(const Interval& odds_sum, const Rational& step_bound) const;
  // The bound, once it is proved to be one of the Gram matrix of S.
  Interval least_eigenvalue(const EigenvalueBound& bound) const;
  // T14, in this region: at most the conclusion's excess is left.
  void require_residual(const EigenvalueBound& eigenvalue, const Rational& step_bound) const;
  // From this step on, more than half of each group's attention is on its selected token.
  void domination(std::size_t from) const;
  // At most y_s - y_0 for all s >= `steps`.
  Interval rise_after(std::size_t steps) const;

  Interval number(const Rational& value) const { return Interval(value, bits_); }

  // x times kappa_c: a factor of b_c, and of e^-m_c wherever it stands for odds.
  Interval counted(const Row& row, const Interval& x) const {
    return by_multiplicity(features_, row.group, row.token, claim_.problem.selection[row.group], x, bits_);
  }
  static Constraint place_of(const Row& row) { return {row.group, row.token}; }
  // Bounds of b_c of a constraint in P. Rejects the claim where the head has none.
  WeightBounds bound(Row& row, const AttentionRange& range) const;
  // Rejects the claim where a unit of the head may change its sign while so much attention may be elsewhere.
  void require_signs(const std::vector<Rational>& attention) const;

  void at_most(const Interval& left, const Interval& right, const std::string& what) const {
    if (!certainly_at_most(left, right)) claim_.fail(what, left.upper(), "<=", right.lower());
  }
  void at_most(const Interval& left, const Rational& right, const std::string& what) const {
    if (left.upper() > right) claim_.fail(what, left.upper(), "<=", right);
  }
  void less(const Interval& left, const Interval& right, const std::string& what) const {
    if (!certainly_less(left, right)) claim_.fail(what, left.upper(), "<", right.lower());
  }

  const Row& row_of(const Constraint& c) const {
    return *std::lower_bound(rows_.begin(), rows_.end(), c, [](const Row& row, const Constraint& at) {
      return Constraint{row.group, row.token} < at;
    });
  }
  const Row& active_row(std::size_t k) const { return row_of(direction_.active[k]); }

  // cmin.
  Interval least_cosine() const {
    Interval least(1);
    for (const Row& row : rows_) least = -maximum(-least, -(row.slope / row.norm));
    return least;
  }

  void require_path(const Interval& needed) const {
    at_most(needed, region_path_, "path constant of the theorem against path");
  }
  void require_growth(const Interval& proved) const {
    at_most(number(conclusion_.growth), proved, "growth against the theorem's");
  }

  void require_all_gaps_positive() const {
    for (const Row& row : rows_) {
      if (row.gap <= 0)
        claim_.fail("score gap at " + show(Constraint{row.group, row.token}), row.gap, ">", 0);
    }
  }

  const Claim& claim_;
  const ReferenceDirection& direction_;
  const Specification& specification_;
  const std::size_t step_;  // index of w_0's step size
  const Rule rule_;
  const RunPoint& point_;
  const ForeverConclusion& conclusion_;
  const Features& features_;
  const unsigned bits_;
  const Interval gamma_;
  const Rational* constant_;  // eta where it does not change: exact
  const Interval eta_;        // at least every later step size
  const std::unique_ptr<const Head> head_;
  std::size_t groups_ = 0;
  std::vector<std::size_t> group_of_;  // groups with a row
  std::vector<Rational> best_;         // score of the selected token, per group with a row
  std::vector<Row> rows_;
  Interval diameter_;           // D
  const Rational region_path_;  // M
  const Interval path_;
  Interval floor_, gibbs_;
  Interval speed_;              // absorbing and local: g', at most <V,u>/Om
  std::vector<Rational> kept_;  // lock-in: at most the selected token's attention for ever, per group
};

}  // namespace attest_check
