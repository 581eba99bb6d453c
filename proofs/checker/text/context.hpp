// A certificate as it was read, what has been established of it so far, and what a claim kind consists of. A
// claim is a value: its kind's `read` makes the evidence, the evidence's `check` returns the fact it proves
// or throws, and its `describe` says what was proved. So a certificate is read completely, and found
// malformed or not, before anything is judged, and whatever else speaks of its claims (certify/coq) takes the
// same values. Later kinds add their own Fact types in their own files.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/progress.hpp"
#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/problem/vectors.hpp"
#include "proofs/checker/text/certificate.hpp"
#include "proofs/checker/text/statement.hpp"

namespace attest_check {

class Claim;
class Reader;
struct StatedClaim;

// A verified claim; kinds that later claims may cite derive from it.
struct Fact {
  virtual ~Fact() = default;
  const StatedClaim* claim = nullptr;
};

// What a claim says and shows.
struct ClaimEvidence {
  virtual ~ClaimEvidence() = default;
  // The fact, once it is proved; throws otherwise, Imprecise where a number is not known well enough.
  virtual std::unique_ptr<Fact> check(const Claim& claim) const = 0;
  // What was proved: all that follows "claim N kind problem P".
  virtual void describe(const Claim& claim, Statement& say) const = 0;
};

// The evidence of one kind. A kind whose first line is all it says
// names the words of that line (`words`, see statement.hpp); others have a `read` or `describe` of their own.
template <class Kind>
struct EvidenceOf : ClaimEvidence {
  void read(Reader& in) { Kind::words(in, static_cast<Kind&>(*this)); }
  void describe(const Claim&, Statement& say) const override {
    Kind::words(say, static_cast<const Kind&>(*this));
  }
  static void words(auto&, auto&) {}
};

// Which claim it is.
struct ClaimHeader {
  std::size_t number = 0;
  std::string kind;
  const Problem& problem;
  std::size_t line = 0;  // on which it begins
  // Of a run, what later claims speak about: its path, and its points at these steps.
  bool path_asked = false;
  std::vector<std::size_t> points_asked{};
};

struct StatedClaim : ClaimHeader {
  std::unique_ptr<const ClaimEvidence> evidence;
};

// All that a certificate says of an instance, which has to outlive it.
struct Certificate {
  explicit Certificate(const Instance& instance) : features(instance) {}
  // What problems are about that say `stage`, or none where the setting has no stages.
  const Features& features_of(std::optional<Stage> stage);
  // What the decoder's problems are about; null where the instance does not train a decoder v: it has none.
  const Features* features_of_decoder();
  Certificate(Certificate&&) = delete;

  const Features features;
  // Those of the decoder, and of the feed-forward stage and its instance, when a problem is about them.
  std::unique_ptr<const Instance> stage_instance;
  std::unique_ptr<const Features> feed_forward, decoder;
  std::deque<Problem> problems;
  std::deque<StatedClaim> claims;  // claim N is claims[N - 1]
};

struct InfeasibleFact : Fact {};

// Some W satisfies all rows and ||W||^2 <= norm_squared. What a fact has beside being one.
struct SeparatingNorm {
  Rational norm_squared;
};

struct FeasibleFact : Fact, SeparatingNorm {};

// Exactly the rows of `support`, none of them = 0, are met with equality by W*, which is at or near `centre`.
struct SupportedSolution : Fact {
  explicit SupportedSolution(SpanElement w) : centre(std::move(w)) {}
  SpanElement centre;
  std::vector<Constraint> support;
};

inline constexpr const char* supported_kinds = "optimal, or optimal-enclosure of form lambda-min";

// W* = centre exactly.
struct ExactSolution : SupportedSolution, SeparatingNorm {
  using SupportedSolution::SupportedSolution;
};

// ||centre - W*|| <= radius, and the multipliers are positive on all of the support, which is what the centre
// lists.
struct EnclosedSolution : SupportedSolution, SeparatingNorm {
  explicit EnclosedSolution(SpanElement w) : SupportedSolution(std::move(w)) {
    support = centre.vector().inequalities(centre.problem());
  }
  Rational radius;
  Rational multiplier_radius;  // of the multipliers on the support, Euclidean norm
};

// ||centre - W*||^2 <= distance_squared; the margins of W* need not be decided.
struct GapSolution : Fact, SeparatingNorm {
  explicit GapSolution(SpanElement w) : centre(std::move(w)) {}
  SpanElement centre;
  Rational distance_squared;
};

// Exactly these constraints, none of them = 0, are tight at the solution that `solution` (exact or enclosed)
// speaks about.
struct SupportFact : Fact {
  const SupportedSolution* solution = nullptr;
  std::vector<Constraint> support;
};

using Facts = std::vector<std::unique_ptr<Fact>>;  // claim N's is facts[N - 1]

// One claim while it is checked: what it is about, what it may cite, and how it fails.
class Claim : public ClaimHeader {
 public:
  Claim(const ClaimHeader& header, const Facts& facts, Progress* progress = nullptr)
      : ClaimHeader(header), facts_(facts), progress_(progress) {}

  // The fact of an earlier claim; rejected when it is about another problem.
  const Fact& cite(const Citation& cited) const;
  // The same of a claim about any problem.
  const Fact& cite_across(const Citation& cited) const { return *facts_[cited.claim - 1]; }
  // The same where only facts of one type will do.
  template <class Type>
  const Type& cite_as(const Citation& cited, const char* kinds) const {
    const Fact& fact = cite(cited);
    const auto* typed = dynamic_cast<const Type*>(&fact);
    if (typed == nullptr) wrong_kind(fact, kinds);
    return *typed;
  }

  // "claim 6 (run)".
  std::string name() const { return "claim " + std::to_string(number) + " (" + kind + ")"; }
  // Step `step` of `steps` of this claim begins.
  void begin_step(std::size_t step, std::size_t steps) const;

  // Rejects the claim, naming it and its line.
  [[noreturn]] void fail(const std::string& why) const;
  // Rejects because `left` `relation` `right` is false, e.g. "margin" at a constraint.
  [[noreturn]] void fail(const std::string& what, const Rational& left, const char* relation,
                         const Rational& right) const;
  [[noreturn]] void wrong_kind(const Fact& fact, const char* kinds) const;
  // Rejects unless `holds`.
  void require(bool holds, const std::string& why) const {
    if (!holds) fail(why);
  }
  void require_at_most(const Rational& left, const Rational& right, const std::string& what) const {
    if (left > right) fail(what, left, "<=", right);
  }

 private:
  const Facts& facts_;
  Progress* const progress_;  // may be null
};

struct ClaimKind {
  std::string_view name;
  std::unique_ptr<const ClaimEvidence> (*read)(Reader& in);
  bool any_rows = false;  // it may be about problems that are not plain()
};

// The kind of that name, or null (claims/registry.cpp).
const ClaimKind* find_claim_kind(std::string_view name);

// Rejects unless every row holds at W. Calls visit(constraint, margin numerator over w.scale()) for each of
// this process's share.
template <class Visitor>
void require_feasible(const Claim& claim, const SpanElement& w, Visitor&& visit) {
  for_each_margin(w, [&](const Constraint& c, const Integer& margin) {
    const bool equality = claim.problem.sense(c) == Sense::equal_to_zero;
    if (margin < w.asked(c) || (equality && margin != 0)) {
      claim.fail("margin at " + show(c), fraction(margin, w.scale()),
                 equality ? "=" : ">=", fraction(w.asked(c), w.scale()));
    }
    visit(c, margin);
  });
}

// True if a margin of margin / w.scale() at c stays above what c asks, h, within distance
// sqrt(distance_squared) of w: m_c > h and (m_c - h)^2 > distance_squared ||Delta_c||^2.
bool is_slack_nearby(const SpanElement& w, const Constraint& c, const Integer& margin,
                     const Rational& distance_squared);

}  // namespace attest_check
