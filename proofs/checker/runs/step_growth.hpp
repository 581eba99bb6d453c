// How much one step of an optimiser can stretch distances: an upper bound of the 2-norm of its Jacobian, in
// word-size fixed point.
//
// For a group put x~_t = x_t - sum_s s_s x_s and kappa = (l''/|l'|)/((1/n)|l'|). Differentiating V = -grad L,
// DV[H] = sum_i C_i H z_i z_i' with C_i = -sum_t omega_t x~_t x~_t' - kappa_i V_i V_i' and V = sum V_i z_i',
// V_i = -sum_t omega_t x~_t. The words stand for tokens over 2^a so that all distances within a group are at
// most 1, z_i over 2^b so that ||z_i|| <= 1, omega over the power of two above sum |omega|: then V has norm
// at most 1, and tau DV is `stretch` times the DV of the words. q_i = V z_i, T the tokens of a group, d =
// left, e = right. Lemmas G1 to G11 stand above the functions; they count errors of vectors in units. Of a
// classifier DV has, in the place of kappa V_i V_i', a part B_i of which only a bound is made (Lemma G11).
#pragma once

#include <functional>
#include <vector>

#include "proofs/checker/runs/specification.hpp"
#include "proofs/checker/runs/step_growth_outputs.hpp"
#include "proofs/checker/runs/step_growth_words.hpp"

namespace attest_check {

// What is known of every matrix of a convex set. Words are in units of 2^-52; rows are those of StepGrowth:
// the tokens of all groups one after another. One factor is left out of everything: V is this velocity times
// it.
struct GrowthPoint {
  std::vector<std::size_t> reference;  // per group: a token with the largest logit
  std::vector<Word> weight;            // per row: omega, within 2 units; the sum of |omega| is at most 1
  std::vector<Word> share;             // per row: the softmax, within 4 units; the reference's is not used
  std::vector<Word> velocity;  // groups x left: V_i over token_scale, each vector within 2 sqrt(left) units
  std::vector<Word> image;     // groups x left: V z_i over token_scale and query_scale^2, likewise
  std::vector<Interval> curvature;  // per group: (l''/|l'|) / ((1/n)|l'|) in these units; [0, 2^-24] if below
  std::vector<Interval> curved;     // per group: an upper bound of the curvature times (sum |omega|)^2
  std::vector<OutputBend> outputs;  // per group; empty where there are none
  Interval speed;                   // ||V|| over token_scale and query_scale
  Interval stretch;                 // tau (token_scale query_scale)^2 times the factor left out
  Interval step_size;               // eta
};

class StepGrowth {
 public:
  // `active`: the groups with more than one different token.
  StepGrowth(const Features& features, const std::vector<std::size_t>& active);

  long token_exponent() const { return token_exponent_; }
  long query_exponent() const { return query_exponent_; }
  std::size_t rows() const { return rows_; }
  // Of active group number i.
  std::size_t first_row(std::size_t i) const { return groups_[i].first; }

  // An upper bound of the Jacobian's 2-norm on the set. Throws Imprecise when V is not bounded away from 0 or
  // a number is beyond the words.
  Interval operator()(const UpdateRule& rule, const GrowthPoint& point);

 private:
  struct Group {
    std::size_t first = 0, tokens = 0;
    std::vector<Word> token;  // tokens x left: differences to the first token over token_scale
    std::vector<Word> query;  // right: z_i over query_scale
    std::vector<Word> gram;   // z_i.z_j over query_scale^2, for the groups j <= i; empty where there are many
    Word query_square = 0;    // upper bound of ||z_i||^2 over query_scale^2
    long error = 0;           // E_x: of the centred tokens, as vectors (Lemma G2)
  };
  struct Row {
    std::size_t group, index;
    Word weight;  // upper bound of omega > 0
  };
  struct Bend {
    Interval across;  // ||DV[V] - rho V|| for about the Rayleigh quotient rho, at most
    Interval along;   // <DV[V], V>
  };

  static constexpr Word weight_error = 2;  // of an omega, in units

  // z_i.z_j over query_scale^2, rounded down.
  Word query_product(std::size_t i, std::size_t j) const;
  Word scaled_query_product(std::size_t i, std::size_t j) const;
  // work(begin, end) for the groups of every part, on all threads (base/parallel.hpp).
  void for_parts(const std::function<void(std::size_t begin, std::size_t end)>& work) const;
  void centre(const GrowthPoint& point);
  // tokens x left: x~ of group number i, in `room`.
  const Word* centred_tokens(std::size_t i, std::vector<Word>& room) const;
  Interval output_part(std::size_t i, const OutputBend& bend, const std::vector<Word>& share) const;
  Interval bound_left_out() const;
  void scale(const GrowthPoint& point);
  void bound_signed_parts();
  Interval bound_by_groups(const std::vector<Word>& c) const;
  Interval bound_by_rows(const std::vector<Row>& rows, bool with_queries) const;
  std::vector<Row> falling_rows(std::size_t group) const;
  Interval bound_negative_part(const Interval& stretch) const;
  Bend bend(const GrowthPoint& point) const;
  Interval bend_group(std::size_t i, const GrowthPoint& point, std::vector<Word>& room, Word* bent) const;
  // The squared norm of sum_i w_i z_i', rounded down entry by entry, for the rows w (groups x left).
  WideWord squared_norm(const std::vector<Word>& rows) const;

  const Features& features_;
  const std::vector<std::size_t> active_;
  std::size_t left_, right_, rows_ = 0;
  long token_exponent_ = 0, query_exponent_ = 0;  // token_scale = 2^token_exponent etc.
  std::vector<Group> groups_;

  // At the last point:
  std::vector<Word> centre_;  // groups x left: x~_t is token t less this
  std::vector<Word> square_;  // rows: upper bounds of ||x~||^2
  std::vector<Word> reach_;   // groups: upper bounds of ||V_i||
  // The same for DV over 2^exponent_:
  long exponent_ = 0;
  std::vector<Word> weight_;               // rows: omega
  std::vector<Interval> curvature_;        // groups
  std::vector<Interval> curved_;           // groups: upper bounds of the curvature times ||V_i||^2
  std::vector<Interval> left_out_;         // groups: upper bounds of ||B_i||
  std::vector<Word> bent_;                 // groups: the sum of the two
  std::vector<Word> positive_, negative_;  // groups: upper bounds of the traces of the two parts of C_i
};

}  // namespace attest_check
