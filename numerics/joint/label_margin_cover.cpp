#include "numerics/joint/label_margin_cover.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

#include "numerics/joint/nearest_point.hpp"

namespace attest {
namespace {

constexpr long cover_bits = 128;
constexpr std::size_t open = static_cast<std::size_t>(-1);
constexpr double close_enough = 0.98;
constexpr double cover_rounding = 1 - 0x1p-30;  // nu is claimed so much smaller, for a checker's own rounding
constexpr double weight_unit = 0x1p40;          // weights are integers over it

// A supporting sequence: its tokens' labelled values, and that of the selected one less each.
struct Sequence {
  std::size_t group = 0, selected = 0;
  std::vector<std::size_t> tokens;
  std::vector<std::vector<Ball>> short_of;  // selected less token
  std::vector<Ball> value;                  // of the selected token
  Eigen::MatrixXd points;                   // dimension x tokens
};

// Attention in which no sequence leaves its selected token more than X of (from, to], and one just X; by
// sequence the token that has it, the selected one for none, or any.
struct Piece {
  std::vector<std::size_t> token;
  double from = 0, to = 1;
  double bound = 0;           // nu on it
  std::size_t widest = open;  // sequence to open up; `open`: halve (from, to]
  std::size_t node = 0;       // of the tree
  CoverNode proof;            // of `bound`
};

// A piece that was judged: what proves its own bound, and its parts once it is split.
struct TreeNode {
  double bound = 0;
  CoverNode proof, split;
  std::vector<std::size_t> parts;
};

struct LowestFirst {
  bool operator()(const Piece& a, const Piece& b) const { return a.bound > b.bound; }
};

class Cover {
 public:
  Cover(const JointFeatures& features, const Selection& selection, const Direction& decoder,
        std::vector<MultiplierChoice> multipliers, const std::vector<std::size_t>& supporting)
      : dimension_(features.decoder_dimension), margin_(round(decoder.margin, cover_bits)) {
    for (const Ball& entry : decoder.entries) along_.push_back(mul(entry, margin_, cover_bits));
    for (const MultiplierChoice& one : multipliers) {
      std::vector<Ball>& own = multipliers_.emplace_back();
      for (const std::size_t i : supporting) own.push_back(round(one.values[i], cover_bits));
    }
    found_.multipliers = std::move(multipliers);
    for (const std::size_t i : supporting) {
      const JointGroup& group = features.groups[i];
      Sequence& own = sequences_.emplace_back();
      own.group = i;
      own.tokens = group.tokens;
      own.selected = static_cast<std::size_t>(
          std::find(group.tokens.begin(), group.tokens.end(), selection[i]) - group.tokens.begin());
      const auto value = [&](std::size_t t) { return group.value.data() + t * dimension_; };
      for (std::size_t j = 0; j < dimension_; ++j)
        own.value.push_back(round(value(own.selected)[j], cover_bits));
      own.points.resize(static_cast<Eigen::Index>(dimension_),
                        static_cast<Eigen::Index>(group.tokens.size()));
      for (std::size_t t = 0; t < group.tokens.size(); ++t) {
        std::vector<Ball>& short_of = own.short_of.emplace_back();
        for (std::size_t j = 0; j < dimension_; ++j) {
          short_of.push_back(sub(value(own.selected)[j], value(t)[j], cover_bits));
          own.points(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(t)) = value(t)[j].approx_mid();
        }
      }
    }
  }

  LabelMarginCover refine(std::size_t most_pieces, const Budget& budget) {
    std::priority_queue<Piece, std::vector<Piece>, LowestFirst> pieces;
    found_.attained = HUGE_VAL;
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      for (std::size_t t = 0; t < sequences_[k].short_of.size(); ++t) {
        if (t == sequences_[k].selected) continue;
        budget.poll();
        Piece piece;
        piece.token.assign(sequences_.size(), open);
        piece.token[k] = t;
        see_near_zero(piece, k);
        judge(piece);
        roots_.push_back(piece.node);
        pieces.push(std::move(piece));
      }
    }
    found_.pieces = pieces.size();
    while (!pieces.empty()) {
      budget.poll();
      const Piece piece = pieces.top();
      found_.proved = piece.bound * (piece.bound > 0 ? cover_rounding : 1);
      found_.finished = !(found_.attained > 0) || piece.bound >= close_enough * found_.attained;
      if (found_.finished || found_.pieces >= most_pieces) break;
      pieces.pop();
      tree_[piece.node].split = split(piece);
      for (Piece& part : parts(piece)) {
        judge(part);
        tree_[piece.node].parts.push_back(part.node);
        part.bound = std::max(part.bound, piece.bound);
        pieces.push(std::move(part));
      }
      found_.pieces = pieces.size();
    }
    if (found_.proved > 0) write_proof();
    return found_;
  }

 private:
  // The tree down to the pieces whose own bounds suffice.
  void write_proof() {
    std::vector<std::size_t> left(roots_.rbegin(), roots_.rend());
    while (!left.empty()) {
      TreeNode& node = tree_[left.back()];
      left.pop_back();
      if (node.bound * cover_rounding >= found_.proved) {
        found_.proof.push_back(std::move(node.proof));
      } else {
        found_.proof.push_back(node.split);
        left.insert(left.end(), node.parts.rbegin(), node.parts.rend());
      }
    }
  }

  CoverNode split(const Piece& piece) const {
    CoverNode node;
    node.step = piece.widest == open ? CoverNode::Step::halve : CoverNode::Step::open;
    if (piece.widest != open) node.group = sequences_[piece.widest].group;
    return node;
  }

  Eigen::VectorXd point(std::size_t k, std::size_t token, double share) const {
    const Sequence& own = sequences_[k];
    const auto column = [&](std::size_t t) { return own.points.col(static_cast<Eigen::Index>(t)); };
    return (1 - share) * column(own.selected) + share * column(token);
  }

  Eigen::MatrixXd points(const std::vector<std::size_t>& token, double share) const {
    Eigen::MatrixXd result(static_cast<Eigen::Index>(dimension_),
                           static_cast<Eigen::Index>(sequences_.size()));
    for (std::size_t k = 0; k < sequences_.size(); ++k)
      result.col(static_cast<Eigen::Index>(k)) = point(k, token[k], share);
    return result;
  }

  // For small X only the token that has it counts: (Gamma - r)/X tends to its largest multiplier times its
  // gap, where that is not negative.
  void see_near_zero(const Piece& piece, std::size_t k) {
    const Sequence& own = sequences_[k];
    const Ball gap = div(dot(along_, own.short_of[piece.token[k]], cover_bits), margin_, cover_bits);
    double most = 0;
    for (const std::vector<Ball>& mu : multipliers_) most = std::max(most, mu[k].approx_mid());
    take_in(most * gap.approx_mid(), piece.token, 0x1p-20);
  }

  void take_in(double attained, const std::vector<std::size_t>& token, double share) {
    if (!(attained < found_.attained)) return;
    found_.attained = attained;
    found_.worst.clear();
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      const bool none = token[k] == open || token[k] == sequences_[k].selected;
      found_.worst.push_back(
          {sequences_[k].group, none ? sequences_[k].selected : token[k], none ? 0 : share});
    }
  }

  // The tokens of open sequences that leave the largest margin at the piece's end: a guess.
  std::vector<std::size_t> likely(const Piece& piece, Eigen::VectorXd& weights) {
    std::vector<std::size_t> token = piece.token;
    for (std::size_t k = 0; k < token.size(); ++k) {
      if (token[k] == open) token[k] = sequences_[k].selected;
    }
    for (int round = 0; round < 4; ++round) {
      const Eigen::MatrixXd at = points(token, piece.to);
      weights = nearest_point(at);
      const Eigen::VectorXd v = at * weights;
      bool changed = false;
      for (std::size_t k = 0; k < token.size(); ++k) {
        if (piece.token[k] != open) continue;
        Eigen::Index best = 0;
        (v.transpose() * sequences_[k].points).maxCoeff(&best);
        changed = changed || token[k] != static_cast<std::size_t>(best);
        token[k] = static_cast<std::size_t>(best);
      }
      if (!changed) break;
    }
    weights = nearest_point(points(token, piece.to));
    const double norm = (points(token, piece.to) * weights).norm();
    if (piece.to >= 0x1p-20) take_in((margin_.approx_mid() - norm) / piece.to, token, piece.to);
    return token;
  }

  // nu on the piece, and how to refine it, by the best of several combinations.
  void judge(Piece& piece) {
    Eigen::VectorXd weights;
    const std::vector<std::size_t> centre = likely(piece, weights);
    piece.bound = -HUGE_VAL;
    piece.node = tree_.size();
    piece.proof = CoverNode();
    for (std::size_t k = 0; k < centre.size(); ++k)
      piece.proof.tokens.push_back(sequences_[k].tokens[centre[k]]);
    const auto attempt = [&](const std::vector<Ball>& mu, bool best) {
      Piece other = piece;
      bound(other, centre, mu, best);
      const bool better = other.bound > piece.bound;
      if (better) piece = std::move(other);
      return better;
    };
    for (std::size_t k = 0; k < multipliers_.size(); ++k) {
      if (attempt(multipliers_[k], true)) piece.proof.multipliers = k;
    }
    if (piece.from > 0) {
      std::vector<Integer> integers;
      Integer sum = 0;
      for (const double weight : weights) {
        integers.emplace_back(std::llround(std::max(weight, 0.0) * weight_unit));
        sum += integers.back();
      }
      std::vector<Ball> mu;
      for (const Integer& weight : integers) mu.emplace_back(Rational(weight, sum), cover_bits);
      if (attempt(mu, false)) piece.proof.weights = std::move(integers);
    }
    tree_.push_back({piece.bound, piece.proof, {}, {}});
  }

  // JOINT.md, Lemma 3: r^2 <= |a|^2 - X E(X), E concave, for the combination a = sum mu_i kappa_i.
  void bound(Piece& piece, const std::vector<std::size_t>& centre, const std::vector<Ball>& mu,
             bool best) const {
    std::vector<Ball> a = along_, b(dimension_);
    if (!best) a.assign(dimension_, Ball());
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      for (std::size_t j = 0; j < dimension_; ++j) {
        add_product(b[j], mu[k], sequences_[k].short_of[centre[k]][j], cover_bits);
        if (!best) add_product(a[j], mu[k], sequences_[k].value[j], cover_bits);
      }
    }
    const Ball gamma2 = square(margin_, cover_bits), a2 = best ? gamma2 : dot(a, a, cover_bits),
               b2 = dot(b, b, cover_bits), ab = scale_by_power_of_two(dot(a, b, cover_bits), 1),
               from(piece.from), to(piece.to);
    Ball low = sub(ab, mul(from, b2, cover_bits), cover_bits),
         high = sub(ab, mul(to, b2, cover_bits), cover_bits);
    const double apart = std::abs(low.approx_mid() - high.approx_mid());
    double widest = 0, lost = 0;
    piece.widest = open;
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      if (piece.token[k] != open) continue;
      const auto [first, last] = gains(sequences_[k], centre[k], a, b, from, to);
      low = sub(low, mul(mu[k], first, cover_bits), cover_bits);
      high = sub(high, mul(mu[k], last, cover_bits), cover_bits);
      const double gain = mu[k].approx_mid() * std::max(first.approx_mid(), last.approx_mid());
      lost += gain;
      if (gain > widest) {
        widest = gain;
        piece.widest = k;
      }
    }
    const Ball least = min(low, high, cover_bits);
    Ball above = least;
    double stretched = apart;
    if (!best) {
      const Ball excess = min(sub(gamma2, a2, cover_bits), Ball(), cover_bits);
      above = add(above, div(excess, from, cover_bits), cover_bits);
      stretched += std::abs(excess.approx_mid()) * (1 / piece.from - 1 / piece.to);
    }
    if (stretched >= lost) piece.widest = open;
    Ball below = margin_;
    if (certainly_positive(above))
      below = add(
          below, sqrt(max(sub(a2, mul(from, least, cover_bits), cover_bits), Ball(), cover_bits), cover_bits),
          cover_bits);
    const Ball nu = div(above, below, cover_bits);
    piece.bound = nu.is_finite() ? nu.lower_double() : -HUGE_VAL;
  }

  // The most that a token of an open sequence may add to r^2, over X, at both ends.
  std::pair<Ball, Ball> gains(const Sequence& own, std::size_t centre, const std::vector<Ball>& a,
                              const std::vector<Ball>& b, const Ball& from, const Ball& to) const {
    Ball first, last;
    std::vector<Ball> d(dimension_);
    for (std::size_t t = 0; t < own.short_of.size(); ++t) {
      if (t == centre) continue;
      for (std::size_t j = 0; j < dimension_; ++j)
        d[j] = sub(own.short_of[centre][j], own.short_of[t][j], cover_bits);
      const Ball level = scale_by_power_of_two(dot(a, d, cover_bits), 1),
                 slope =
                     sub(dot(d, d, cover_bits), scale_by_power_of_two(dot(b, d, cover_bits), 1), cover_bits);
      first = max(first, add(level, mul(from, slope, cover_bits), cover_bits), cover_bits);
      last = max(last, add(level, mul(to, slope, cover_bits), cover_bits), cover_bits);
    }
    return {first, last};
  }

  std::vector<Piece> parts(const Piece& piece) const {
    std::vector<Piece> result;
    if (piece.widest == open) {
      const double middle = (piece.from + piece.to) / 2;
      result.assign(2, piece);
      result[0].to = result[1].from = middle;
      return result;
    }
    for (std::size_t t = 0; t < sequences_[piece.widest].short_of.size(); ++t) {
      result.push_back(piece);
      result.back().token[piece.widest] = t;
    }
    return result;
  }

  const std::size_t dimension_;
  const Ball margin_;                           // Gamma
  std::vector<Ball> along_;                     // Gamma u_v
  std::vector<std::vector<Ball>> multipliers_;  // each by supporting sequence
  std::vector<Sequence> sequences_;
  std::vector<TreeNode> tree_;
  std::vector<std::size_t> roots_;
  LabelMarginCover found_;
};

}  // namespace

LabelMarginCover label_margin_cover(const JointFeatures& features, const Selection& selection,
                                    const Direction& decoder, std::vector<MultiplierChoice> multipliers,
                                    const std::vector<std::size_t>& supporting, std::size_t most_pieces,
                                    const Budget& budget) {
  return Cover(features, selection, decoder, std::move(multipliers), supporting).refine(most_pieces, budget);
}

}  // namespace attest
