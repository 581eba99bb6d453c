#include "numerics/next_token/component_logits.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "numerics/numbers/ball_matrix.hpp"
#include "numerics/numbers/working_ball.hpp"

namespace attest {
namespace {

constexpr long working_bits = 256;
constexpr int most_newton_steps = 300;

// How often a token of a component was selected from these tokens of it, counted as they stand in the
// context.
struct Choice {
  std::size_t selected = 0;
  std::vector<std::pair<std::size_t, std::uint64_t>> tokens;  // place in the component, count
};

// f(h) = mean over n sentences of log sum_t k_t e^{h_t} - h_selected, on the vectors of sum 0.
class ChoiceLoss {
 public:
  ChoiceLoss(std::size_t tokens, std::vector<Choice> choices, std::size_t sentences)
      : size_(tokens), choices_(std::move(choices)), weight_(Rational(1, Integer(sentences)), working_bits) {}

  // Gradient, and the second derivative with 11' added, which is it on vectors of sum 0.
  void evaluate(std::vector<WorkingBall>& h, BallMatrix& gradient, BallMatrix& hessian) const {
    arb_mat_zero(gradient.raw());
    arb_mat_ones(hessian.raw());
    std::vector<WorkingBall> share;
    WorkingBall total, part;
    for (const Choice& choice : choices_) {
      share.resize(choice.tokens.size());
      arb_zero(total);
      for (std::size_t k = 0; k < share.size(); ++k) {
        arb_sub(part, h[choice.tokens[k].first], h[choice.selected], working_bits);
        arb_exp(share[k], part, working_bits);
        arb_mul_ui(share[k], share[k], choice.tokens[k].second, working_bits);
        arb_add(total, total, share[k], working_bits);
      }
      for (std::size_t k = 0; k < share.size(); ++k) {
        const std::size_t x = choice.tokens[k].first;
        arb_div(share[k], share[k], total, working_bits);
        arb_addmul(gradient.entry(x, 0), weight_, share[k], working_bits);
        arb_mul(part, weight_, share[k], working_bits);
        arb_add(hessian.entry(x, x), hessian.entry(x, x), part, working_bits);
        for (std::size_t j = 0; j <= k; ++j) {
          const std::size_t y = choice.tokens[j].first;
          arb_submul(hessian.entry(x, y), part, share[j], working_bits);
          if (j != k) arb_submul(hessian.entry(y, x), part, share[j], working_bits);
        }
      }
      arb_sub(gradient.entry(choice.selected, 0), gradient.entry(choice.selected, 0), weight_, working_bits);
    }
  }

  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::vector<Choice> choices_;
  WorkingBall weight_;
};

// A positive number that the matrix's least eigenvalue is certainly not below.
std::optional<Ball> least_eigenvalue_bound(BallMatrix& matrix, std::size_t size, const Budget& budget) {
  BallMatrix shifted(size, size), factor(size, size);
  WorkingBall bound;
  arb_set(bound, matrix.entry(0, 0));
  for (std::size_t k = 1; k < size; ++k) arb_min(bound, bound, matrix.entry(k, k), working_bits);
  mag_zero(arb_radref(bound.raw()));
  for (int halvings = 0; halvings < 200; ++halvings) {
    budget.poll();
    arb_mul_2exp_si(bound, bound, -1);
    arb_mat_set(shifted.raw(), matrix.raw());
    for (std::size_t k = 0; k < size; ++k)
      arb_sub(shifted.entry(k, k), shifted.entry(k, k), bound, working_bits);
    if (arb_mat_cho(factor.raw(), shifted.raw(), working_bits) != 0) return bound;
  }
  return std::nullopt;
}

// The minimiser to within r = 2 ||gradient||/lambda in each entry: while 4 r <= log 2 the second derivative
// within r is at least lambda/2, so the gradient points outward at that distance.
std::optional<std::vector<Ball>> enclose_around(const ChoiceLoss& loss, std::vector<WorkingBall>& h,
                                                const Budget& budget) {
  const std::size_t size = loss.size();
  BallMatrix gradient(size, 1), hessian(size, size);
  loss.evaluate(h, gradient, hessian);
  const auto lambda = least_eigenvalue_bound(hessian, size, budget);
  if (!lambda) return std::nullopt;
  WorkingBall square, radius, limit;
  for (std::size_t k = 0; k < size; ++k)
    arb_addmul(square, gradient.entry(k, 0), gradient.entry(k, 0), working_bits);
  arb_nonnegative_part(square, square);
  arb_sqrt(radius, square, working_bits);
  arb_mul_2exp_si(radius, radius, 1);
  arb_div(radius, radius, lambda->raw(), working_bits);
  arb_const_log2(limit, working_bits);
  arb_mul_2exp_si(limit, limit, -2);
  if (arb_le(radius.raw(), limit.raw()) == 0) return std::nullopt;
  Magnitude reach;
  arb_get_mag(reach, radius);
  std::vector<Ball> enclosed(h.begin(), h.end());
  WorkingBall mean;
  for (const Ball& entry : enclosed) arb_add(mean, mean, entry.raw(), working_bits);
  arb_div_ui(mean, mean, size, working_bits);
  for (Ball& entry : enclosed) {
    arb_sub(entry.raw(), entry.raw(), mean, working_bits);
    arb_add_error_mag(entry.raw(), reach);
  }
  return enclosed;
}

// Newton's steps, shortened where they are long, from 0.
std::optional<std::vector<Ball>> minimiser(const ChoiceLoss& loss, const Budget& budget) {
  const std::size_t size = loss.size();
  std::vector<WorkingBall> h(size);
  BallMatrix gradient(size, 1), hessian(size, size), step(size, 1);
  for (int done = 0; done < most_newton_steps; ++done) {
    budget.poll();
    loss.evaluate(h, gradient, hessian);
    if (arb_mat_spd_solve(step.raw(), hessian.raw(), gradient.raw(), working_bits) == 0) return std::nullopt;
    double least = 0, most = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double entry = arf_get_d(arb_midref(step.entry(k, 0)), ARF_RND_NEAR);
      least = std::min(least, entry);
      most = std::max(most, entry);
    }
    const double spread = most - least;
    WorkingBall length;
    arb_set_d(length, spread > 0x1p-10 ? std::log1p(spread) / spread : 1);
    WorkingBall mean;
    for (std::size_t k = 0; k < size; ++k) {
      arb_submul(h[k], length, step.entry(k, 0), working_bits);
      mag_zero(arb_radref(h[k].raw()));
      arb_add(mean, mean, h[k], working_bits);
    }
    arb_div_ui(mean, mean, size, working_bits);
    mag_zero(arb_radref(mean.raw()));
    for (WorkingBall& entry : h) {
      arb_sub(entry, entry, mean, working_bits);
      mag_zero(arb_radref(entry.raw()));
    }
    if (spread < 0x1p-100) return enclose_around(loss, h, budget);
  }
  return std::nullopt;
}

}  // namespace

FiniteLogits enclose_finite_logits(const Sentences& sentences, const std::vector<AttentionGroup>& groups,
                                   const Collocation& collocation, const Budget& budget) {
  FiniteLogits found;
  WorkingBall square;
  for (const TokenOrder& order : token_orders(groups, collocation)) {
    for (const std::vector<TokenId>& tokens : components(order)) {
      std::map<TokenId, std::size_t> place;
      for (const TokenId x : tokens) place.emplace(x, place.size());
      std::vector<Choice> choices;
      for (const AttentionGroup& group : groups) {
        const auto selected = selected_token(group, collocation);
        if (group.query != order.query || !selected || place.count(group.tokens[*selected]) == 0) continue;
        Choice& choice = choices.emplace_back();
        choice.selected = place.at(group.tokens[*selected]);
        const std::vector<TokenId>& sentence = sentences.sentence[group.sentence];
        for (const TokenId x : group.tokens) {
          const auto at = place.find(x);
          if (at == place.end()) continue;
          choice.tokens.emplace_back(at->second, std::count(sentence.begin(), sentence.end() - 1, x));
        }
      }
      const auto logits = minimiser(ChoiceLoss(tokens.size(), std::move(choices), groups.size()), budget);
      if (!logits) {
        found.reason =
            "precision: the minimiser of a component of " + std::to_string(tokens.size()) + " tokens";
        return found;
      }
      for (const Ball& entry : *logits) arb_addmul(square, entry.raw(), entry.raw(), working_bits);
      found.components.push_back({order.query, tokens, *logits});
    }
  }
  found.norm = sqrt(square, working_bits);
  return found;
}

}  // namespace attest
