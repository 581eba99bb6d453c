// Label margins of soft attention: see claims/joint/label_margins.hpp.
#include "proofs/checker/claims/joint/label_margins.hpp"

#include <algorithm>

#include "proofs/checker/base/interval_vector.hpp"
#include "proofs/checker/claims/joint/decoder_limit.hpp"
#include "proofs/checker/claims/margin/support.hpp"

namespace attest_check {
namespace {

constexpr unsigned cover_bits = 192;
constexpr std::size_t any = SIZE_MAX;

// A supporting group: its tokens, and kappa_i - g_it of each.
struct Sequence {
  std::size_t group = 0;
  std::vector<std::size_t> tokens;
  std::vector<std::vector<Interval>> short_of;
  std::vector<Interval> value;  // kappa_i

  // Place of a token of the group, or how many there are.
  std::size_t place(std::size_t token) const {
    return static_cast<std::size_t>(std::lower_bound(tokens.begin(), tokens.end(), token) - tokens.begin());
  }
};

// Attention of which no group leaves its selected token more than X of [from, to]: by group the token that
// has it, or any.
struct Piece {
  std::vector<std::size_t> token;  // places
  Rational from, to;
};

class Cover {
 public:
  Cover(const Claim& claim, const DecoderLimit& limit, std::vector<std::vector<Interval>> multipliers,
        const Rational& cost)
      : claim_(claim), limit_(limit), multipliers_(std::move(multipliers)), cost_(cost, cover_bits) {
    for (const Interval& entry : limit.direction) along_.push_back(entry * limit.margin);
    for (const std::size_t i : limit.supporting) {
      Sequence& own = sequences_.emplace_back();
      own.group = i;
      own.value = labelled_value(*limit.problem->features, i, limit.problem->selection[i], cover_bits);
      for (std::size_t t = 0; t < limit.problem->features->tokens_of(i); ++t) {
        if (!limit.problem->features->present(i, t)) continue;
        own.tokens.push_back(t);
        own.short_of.push_back(
            difference(own.value, labelled_value(*limit.problem->features, i, t, cover_bits)));
      }
    }
  }

  // Rejects unless the trees are those of all pieces, and every leaf is proved.
  void require(const std::vector<CoverNode>& nodes) const {
    std::vector<Piece> left = roots();
    std::size_t at = 0;
    for (; !left.empty(); ++at) {
      claim_.require(at < nodes.size(), "the cover leaves a piece out");
      const Piece piece = std::move(left.back());
      left.pop_back();
      if (std::holds_alternative<HalvedPiece>(nodes[at])) {
        halve(piece, left);
      } else if (const auto* opened = std::get_if<OpenedPiece>(&nodes[at])) {
        open(piece, opened->group, left);
      } else {
        require(piece, std::get<ProvedPiece>(nodes[at]), "node " + std::to_string(at) + " of the cover");
      }
    }
    claim_.require(at == nodes.size(), "the cover has nodes beside those of its pieces");
  }

 private:
  // Some group leaves X to one of its other tokens; in reverse order.
  std::vector<Piece> roots() const {
    std::vector<Piece> pieces;
    for (std::size_t k = sequences_.size(); k-- > 0;) {
      for (std::size_t t = sequences_[k].tokens.size(); t-- > 0;) {
        if (sequences_[k].tokens[t] == limit_.problem->selection[sequences_[k].group]) continue;
        Piece& piece = pieces.emplace_back(Piece{std::vector<std::size_t>(sequences_.size(), any), 0, 1});
        piece.token[k] = t;
      }
    }
    return pieces;
  }

  static void halve(const Piece& piece, std::vector<Piece>& left) {
    const Rational middle = (piece.from + piece.to) / 2;
    left.push_back({piece.token, middle, piece.to});
    left.push_back({piece.token, piece.from, middle});
  }

  void open(const Piece& piece, std::size_t group, std::vector<Piece>& left) const {
    const auto k =
        static_cast<std::size_t>(std::lower_bound(limit_.supporting.begin(), limit_.supporting.end(), group) -
                                 limit_.supporting.begin());
    claim_.require(k < sequences_.size() && sequences_[k].group == group && piece.token[k] == any,
                   "group " + std::to_string(group) + " has no token to choose");
    for (std::size_t t = sequences_[k].tokens.size(); t-- > 0;) {
      left.push_back(piece);
      left.back().token[k] = t;
    }
  }

  // mu: the weights over their sum, or a multiplier vector.
  std::vector<Interval> combination(const ProvedPiece& proof, const std::string& name) const {
    if (proof.weights.empty()) {
      claim_.require(proof.multipliers < multipliers_.size(), name + " names no multiplier vector");
      return multipliers_[proof.multipliers];
    }
    claim_.require(proof.weights.size() == sequences_.size(), name + " has not a weight for each group");
    Integer sum;
    for (const Integer& weight : proof.weights) {
      claim_.require(weight >= 0, name + " has a negative weight");
      sum += weight;
    }
    claim_.require(sum > 0, name + " has no weight");
    std::vector<Interval> mu;
    for (const Integer& weight : proof.weights) mu.push_back(Interval::ratio(weight, sum, cover_bits));
    return mu;
  }

  // c_i, each among the tokens that the piece has.
  std::vector<std::size_t> centre(const Piece& piece, const ProvedPiece& proof,
                                  const std::string& name) const {
    claim_.require(proof.tokens.size() == sequences_.size(), name + " has not a token for each group");
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      const std::size_t place = sequences_[k].place(proof.tokens[k]);
      claim_.require(place < sequences_[k].tokens.size() && sequences_[k].tokens[place] == proof.tokens[k] &&
                         (piece.token[k] == any || piece.token[k] == place),
                     name + " has a token that the piece does not have");
      places.push_back(place);
    }
    return places;
  }

  // Lemma 3: r(s) <= Gamma - a X on the piece, and a >= cost.
  void require(const Piece& piece, const ProvedPiece& proof, const std::string& name) const {
    const std::vector<Interval> mu = combination(proof, name);
    const std::vector<std::size_t> tokens = centre(piece, proof, name);
    const bool optimal = proof.weights.empty();
    claim_.require(optimal || piece.from > 0, name + " begins at 0, where weights do not do");
    std::vector<Interval> a = along_, b(along_.size());
    if (!optimal) a.assign(along_.size(), Interval());
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        b[j] += mu[k] * sequences_[k].short_of[tokens[k]][j];
        if (!optimal) a[j] += mu[k] * sequences_[k].value[j];
      }
    }
    const Interval from(piece.from, cover_bits), to(piece.to, cover_bits);
    const Interval margin_squared = limit_.margin * limit_.margin;
    const Interval length = optimal ? margin_squared : inner_product(a, a);
    Interval low = Interval(2) * inner_product(a, b) - from * inner_product(b, b);
    Interval high = Interval(2) * inner_product(a, b) - to * inner_product(b, b);
    for (std::size_t k = 0; k < sequences_.size(); ++k) {
      if (piece.token[k] != any) continue;
      const auto [first, last] = gains(sequences_[k], tokens[k], a, b, from, to);
      low = low - mu[k] * first;
      high = high - mu[k] * last;
    }
    const Interval least = minimum(low, high);  // E
    const Interval above = optimal ? least : least + (margin_squared - length) / from;
    const Interval below = limit_.margin + square_root(maximum(length - from * least, Interval(0)));
    claim_.require(certainly_at_most(cost_ * below, above), name + " does not prove nu");
  }

  // The most of 2 <A,d> + X (||d||^2 - 2 <B,d>) over the tokens of a group, at both ends of X.
  static std::pair<Interval, Interval> gains(const Sequence& own, std::size_t centre,
                                             const std::vector<Interval>& a, const std::vector<Interval>& b,
                                             const Interval& from, const Interval& to) {
    Interval first, last;
    for (std::size_t t = 0; t < own.tokens.size(); ++t) {
      if (t == centre) continue;
      const std::vector<Interval> d = difference(own.short_of[centre], own.short_of[t]);
      const Interval level = Interval(2) * inner_product(a, d);
      const Interval slope = inner_product(d, d) - Interval(2) * inner_product(b, d);
      first = maximum(first, level + from * slope);
      last = maximum(last, level + to * slope);
    }
    return {first, last};
  }

  const Claim& claim_;
  const DecoderLimit& limit_;
  const std::vector<std::vector<Interval>> multipliers_;  // each by supporting group
  const Interval cost_;
  std::vector<Interval> along_;  // Gamma u_v
  std::vector<Sequence> sequences_;
};

// A listed multiplier vector of the decoder's solution, by supporting group and divided by its sum ||v*||^2.
std::vector<Interval> listed_multipliers(const Claim& claim, const SupportFact& support,
                                         const ConstraintVector& vector) {
  const auto* exact = dynamic_cast<const ExactSolution*>(support.solution);
  claim.require(exact != nullptr, "multipliers can only be compared with an exact solution");
  require_multipliers(claim, *exact, vector);
  const Interval total(exact->centre.norm_squared(), cover_bits);
  std::vector<Interval> result(support.support.size());
  for (std::size_t k = 0; k < vector.size(); ++k) {
    const auto place = std::lower_bound(support.support.begin(), support.support.end(), vector.at[k]);
    claim.require(place != support.support.end() && *place == vector.at[k],
                  "a multiplier is listed off the support");
    result[static_cast<std::size_t>(place - support.support.begin())] =
        Interval::ratio(vector.numerator[k], vector.denominator, cover_bits) / total;
  }
  return result;
}

std::vector<std::size_t> read_tokens(Reader& in) {
  std::size_t count = 0;
  in("tokens", count);
  std::vector<std::size_t> tokens;
  while (!in.line().at_end()) in(tokens.emplace_back());
  if (tokens.size() != count) in.bad("the count is not the number of tokens");
  return tokens;
}

CoverNode read_node(Reader& in) {
  in.next();
  if (in.accept("halve")) return HalvedPiece{};
  if (in.accept("open")) {
    OpenedPiece opened;
    in(opened.group);
    return opened;
  }
  ProvedPiece proved;
  if (in.accept("weights")) {
    std::size_t count = 0;
    in(count);
    if (count == 0) in.bad("no weight is listed");
    while (proved.weights.size() < count) in(proved.weights.emplace_back());
  } else {
    in("multipliers", proved.multipliers);
  }
  proved.tokens = read_tokens(in);
  return proved;
}

}  // namespace

void LabelMargins::read(Reader& in) {
  std::size_t count = 0, vector_count = 0;
  words(in, *this);
  in.next("cover", count, "vectors", vector_count);
  while (vectors.size() < vector_count) vectors.push_back(in.vector("multipliers"));
  while (nodes.size() < count) nodes.push_back(read_node(in));
}

std::unique_ptr<Fact> LabelMargins::check(const Claim& claim) const {
  const auto& support = claim.cite_as<SupportFact>(from, "support");
  if (cost <= 0) claim.fail("nu", cost, ">", 0);
  auto fact = std::make_unique<LabelMarginsFact>();
  fact->support = &support;
  fact->cost = cost;
  const DecoderLimit limit = decoder_limit(claim, support, cover_bits);
  std::vector<std::vector<Interval>> multipliers{limit.multipliers};
  for (const ConstraintVector& vector : vectors)
    multipliers.push_back(listed_multipliers(claim, support, vector));
  fact->multipliers = multipliers[vectors.empty() ? 0 : 1];
  Cover(claim, limit, std::move(multipliers), cost).require(nodes);
  return fact;
}

}  // namespace attest_check
