// What has been established so far, and what a claim kind needs to be read and checked. A claim kind is one
// function, registered in claims/registry.cpp: it reads the claim's text and returns its check, which later
// either returns the fact it has proved or throws. So a certificate is read completely, and found malformed
// or not, before anything is judged. Later kinds add their own Fact types in their own files.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/checker/base/failure.hpp"
#include "proofs/checker/problem/problem.hpp"
#include "proofs/checker/problem/vectors.hpp"
#include "proofs/checker/text/certificate.hpp"
#include "proofs/checker/text/statement.hpp"

namespace attest_check {

// A verified claim; kinds that later claims may cite derive from it.
struct Fact {
  virtual ~Fact() = default;
  std::string kind;
  std::size_t claim = 0;
  const Problem* problem = nullptr;
  Statement statement;  // what was proved: all that follows "claim N kind problem P"
};

// A fact that later claims do not cite, with its statement.
template <class... Values>
std::unique_ptr<Fact> proved(const Values&... said) {
  auto fact = std::make_unique<Fact>();
  fact->statement.says(said...);
  return fact;
}

struct InfeasibleFact : Fact {};

// W* = optimum exactly; `support` are the constraints with margin exactly 1.
struct ExactSolution : Fact {
  explicit ExactSolution(SpanElement w) : optimum(std::move(w)) {}
  SpanElement optimum;
  std::vector<Constraint> support;
};

// ||centre - W*||^2 <= distance_squared; the margins of W* need not be decided.
struct GapSolution : Fact {
  explicit GapSolution(SpanElement w) : centre(std::move(w)) {}
  SpanElement centre;
  Rational distance_squared;
};

// The support is exactly centre.vector().at, with positive multipliers, and ||centre - W*|| <= radius.
struct EnclosedSolution : Fact {
  explicit EnclosedSolution(SpanElement w) : centre(std::move(w)) {}
  SpanElement centre;
  Rational radius;
  Rational multiplier_radius;  // of the multipliers on the support, Euclidean norm
};

// Exactly these constraints have margin 1 at the solution that `solution` (exact or enclosed) speaks about.
struct SupportFact : Fact {
  const Fact* solution = nullptr;
  std::vector<Constraint> support;
};

struct Context {
  std::deque<Problem> problems;
  std::vector<std::unique_ptr<Fact>> facts;  // claim N is facts[N - 1]
  std::set<std::size_t> paths_asked;  // runs whose path later claims speak about, as far as they are read
};

// One claim: what it is about, and how it fails.
class Claim {
 public:
  Claim(std::size_t claim_number, std::string claim_kind, const Problem& about, std::size_t line,
        Context& context)
      : number(claim_number), kind(std::move(claim_kind)), problem(about), line_(line), context_(context) {}

  const std::size_t number;
  const std::string kind;
  const Problem& problem;

  // Reads `word` C; malformed unless C is an earlier claim.
  std::size_t read_citation(Line& line, const char* word = "from") const;
  // While reading: asks run claim `run` to keep its path. Later, whether some claim has asked this one.
  void ask_for_path(std::size_t run) const { context_.paths_asked.insert(run); }
  bool path_asked() const { return context_.paths_asked.contains(number); }
  // The fact of an earlier claim; rejected when it is about another problem.
  const Fact& cite(std::size_t cited) const;
  // The same where only facts of one type will do.
  template <class Type>
  const Type& cite_as(std::size_t cited, const char* kinds) const {
    const Fact& fact = cite(cited);
    const auto* typed = dynamic_cast<const Type*>(&fact);
    if (typed == nullptr) wrong_kind(fact, kinds);
    return *typed;
  }

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
  std::size_t line_;
  Context& context_;
};

// The check of one claim, holding its evidence.
using Check = std::function<std::unique_ptr<Fact>()>;

// Reads a claim of one kind: the rest of its first line ("claim N kind problem P" has been taken) and its
// evidence. The claim outlives the check.
using ClaimReader = Check (*)(const Claim& claim, Line& line, CertificateText& text);

// The reader of a claim kind, or null.
ClaimReader find_claim_kind(std::string_view kind);

// Rejects unless every margin of W is at least 1. Calls visit(constraint, margin numerator over w.scale())
// for each.
template <class Visitor>
void require_feasible(const Claim& claim, const SpanElement& w, Visitor&& visit) {
  for_each_margin(w, [&](const Constraint& c, const Integer& margin) {
    if (margin < w.scale()) claim.fail("margin at " + show(c), fraction(margin, w.scale()), ">=", 1);
    visit(c, margin);
  });
}

// True if a margin of margin / w.scale() at c stays above 1 within distance sqrt(distance_squared) of w:
// m_c > 1 and (m_c - 1)^2 > distance_squared ||Delta_c||^2.
bool margin_exceeds_one_nearby(const SpanElement& w, const Constraint& c, const Integer& margin,
                               const Rational& distance_squared);

}  // namespace attest_check
