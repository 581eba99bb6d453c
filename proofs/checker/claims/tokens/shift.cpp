// What other sentences end in: see claims/tokens/shift.hpp.
#include "proofs/checker/claims/tokens/shift.hpp"

#include <deque>
#include <set>

namespace attest_check {
namespace {

// A token of a context and how often it stands there. Tokens that no sentence has with this query have no
// entry of W, which is 0 there.
struct Counted {
  std::optional<std::size_t> entry;
  long count = 0;
};

class Later {
 public:
  Later(const TokenStage& stage, const TokenDirection& direction, const TokenForeverFact& forever)
      : direction_(direction), forever_(forever), rows_(token_rows(stage)) {}

  // Has `x` more attention than `other` at every step from `step` on?
  bool wins(const Counted& x, const Counted& other, const Rational& rate, std::size_t step) const {
    const Interval more =
        logarithm(Interval::ratio(Integer(x.count), Integer(other.count), token_limit_bits));
    const auto along = along_rows(x, other);
    return (along && (*along + more).positive()) || wins_in_the_limit(x, other, rate, more, step);
  }

 private:
  // A lower bound of W's entry of x less that of `other`, along rows that lead from one to the other, each of
  // which has log((1 - eps)/eps) + log(k_t/k_alpha) at least.
  std::optional<Interval> along_rows(const Counted& x, const Counted& other) const {
    if (!x.entry || !other.entry) return std::nullopt;
    const Rational& eps = forever_.conclusion.unselected;
    if (eps <= 0 || eps >= 1) return std::nullopt;
    const Interval least = logarithm(Interval(Rational((1 - eps) / eps), token_limit_bits));
    std::map<std::size_t, Interval> below{{*x.entry, Interval(0)}};
    std::deque<std::size_t> open{*x.entry};
    while (!open.empty()) {
      const std::size_t at = open.front();
      open.pop_front();
      if (at == *other.entry) return below.at(at);
      for (auto row = rows_.lower_bound({at, 0}); row != rows_.end() && row->first.first == at; ++row) {
        const Interval margin = below.at(at) + least + logarithm(Interval(row->second, token_limit_bits));
        if (below.emplace(row->first.second, margin).second) open.push_back(row->first.second);
      }
    }
    return std::nullopt;
  }

  // rate (growth N - lag) + margin + more - sqrt(2 path N) > 0 for every N >= step - T: a quadratic in
  // sqrt N, which is positive from any point on where it is and rises, and everywhere without a root.
  bool wins_in_the_limit(const Counted& x, const Counted& other, const Rational& rate, const Interval& more,
                         std::size_t step) const {
    const TokenConclusion& said = forever_.conclusion;
    const auto entry = [&](const Counted& token) {
      return token.entry ? forever_.point.entries[*token.entry].rounded(token_limit_bits) : Interval(0);
    };
    const Interval slope = Interval(rate, token_limit_bits) / direction_.norm(token_limit_bits);
    const Interval rise = slope * Interval(said.growth, token_limit_bits);
    const Interval level = entry(x) - entry(other) + more - slope * Interval(said.lag, token_limit_bits);
    const Interval spread = Interval(Rational(2 * said.path), token_limit_bits);
    if (certainly_less(spread, Interval(4) * rise * level)) return true;
    const Interval steps = Interval::ratio(Integer(step - forever_.at), 1, token_limit_bits);
    const Interval value = rise * steps + level - square_root(spread * steps);
    return value.positive() && certainly_at_most(spread, Interval(4) * rise * rise * steps);
  }

  const TokenDirection& direction_;
  const TokenForeverFact& forever_;
  const std::map<std::pair<std::size_t, std::size_t>, Rational> rows_;
};

class Prediction {
 public:
  Prediction(const Claim& claim, const TokenStage& stage, const TokenDirection& direction,
             const ShiftedSentence& said, std::size_t number)
      : claim_(claim),
        stage_(stage),
        direction_(direction),
        said_(said),
        name_("sentence " + std::to_string(number)) {}

  void require(const Later* later, std::size_t first_step) const {
    const auto pair = stage_.pairs.before.find(static_cast<std::uint32_t>(said_.next));
    claim_.require(pair != stage_.pairs.before.end(), name_ + ": no token has that one next");
    const Counted x = counted(pair->second);
    claim_.require(x.count > 0, name_ + ": the context does not have the token with that one next");
    claim_.require(!said_.from || *said_.from >= first_step,
                   name_ + ": a step before that of the claim cited");
    for (const std::size_t token : std::set<std::size_t>(said_.context.begin(), said_.context.end())) {
      if (token == pair->second) continue;
      const Counted other = counted(token);
      const Rational rate = value(x) - value(other);
      claim_.require(rate > 0, name_ + ": token " + std::to_string(token) + " has as great a logit along W*");
      if (said_.from)
        claim_.require(later->wins(x, other, rate, *said_.from),
                       name_ + ": token " + std::to_string(token) + " is not known to have less attention");
    }
  }

 private:
  Counted counted(std::size_t token) const {
    Counted found;
    const auto at = stage_.entry.find(
        {static_cast<std::uint32_t>(said_.context.back()), static_cast<std::uint32_t>(token)});
    if (at != stage_.entry.end()) found.entry = at->second;
    for (const std::size_t other : said_.context) found.count += other == token ? 1 : 0;
    return found;
  }
  Rational value(const Counted& token) const {
    return token.entry ? direction_.entries[*token.entry] : Rational(0);
  }

  const Claim& claim_;
  const TokenStage& stage_;
  const TokenDirection& direction_;
  const ShiftedSentence& said_;
  const std::string name_;
};

}  // namespace

void ShiftedSentence::read(Reader& in) {
  const auto token = [&] {
    std::size_t id = 0;
    in(id);
    if (id >= max_stage_tokens) in.bad("a token id is below 2^24");
    return id;
  };
  std::size_t count = 0;
  in.next("context", count);
  if (count == 0) in.bad("a context has a token");
  while (context.size() < count) context.push_back(token());
  in("next");
  next = token();
  in.perhaps("from", from);
}

void ShiftedSentence::describe(Statement& say) const {
  say("context", context.size());
  for (const std::size_t id : context) say(id);
  say("next", next);
  say.perhaps("from", from);
}

void TokenShift::read(Reader& in) {
  in("from", solution);
  in.perhaps("forever", forever);
  std::size_t count = 0;
  in("sentences", count);
  while (sentences.size() < count) {
    sentences.emplace_back().read(in);
    if (sentences.back().from && !forever) in.bad("a step without a claim about later ones");
  }
}

void TokenShift::describe(const Claim&, Statement& say) const {
  say("from", solution);
  say.perhaps("forever", forever);
  say("sentences", sentences.size());
  for (const ShiftedSentence& sentence : sentences) sentence.describe(say);
}

std::unique_ptr<Fact> TokenShift::check(const Claim& claim) const {
  const TokenStage stage(claim);
  const TokenDirection direction(claim, stage, solution);
  const TokenForeverFact* later = nullptr;
  if (forever) {
    later = &claim.cite_as<TokenForeverFact>(*forever, "token-forever");
    claim.require(later->solution == solution.claim, "the claim cited is about another solution");
  }
  std::optional<const Later> wins;
  if (later != nullptr) wins.emplace(stage, direction, *later);
  for (std::size_t k = 0; k < sentences.size(); ++k)
    Prediction(claim, stage, direction, sentences[k], k)
        .require(wins ? &*wins : nullptr, later != nullptr ? later->at : 0);
  return std::make_unique<Fact>();
}

}  // namespace attest_check
