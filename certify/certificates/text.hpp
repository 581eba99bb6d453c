// The text of a certificate as it is written: numbers, vectors and numbered claims
// (proofs/statements/GRAMMAR.md sections 1 to 4).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "numerics/margin/solution.hpp"

namespace attest {

struct WrittenClaim {
  std::size_t number = 0;
  std::string kind;   // the grammar's word, with the form of an enclosure appended
  std::string level;  // "checked": certified here, re-checkable by attest-check
};

// The rows of a problem, where they are not all those of a selection, >= 1 (GRAMMAR.md section 2).
struct StatedRows {
  bool decoder = false;              // the decoder's problem
  std::vector<std::size_t> relaxed;  // groups whose rows are >= 0, increasing
  SelectedSets sets;                 // in place of the selection
  bool plain() const { return !decoder && relaxed.empty() && sets.empty(); }
};

class CertificateText {
 public:
  explicit CertificateText(const std::string& instance_sha256);

  // Declares a problem and returns its number.
  std::size_t problem(const std::string& setting, const std::string& loss, const Selection& selection,
                      const StatedRows& rows = {});

  // Starts a claim: "claim N KIND problem P REST". Returns its number.
  std::size_t claim(const std::string& kind, std::size_t problem, const std::string& rest = {});

  void line(const std::string& text);
  void vector(const std::string& name, const ConstraintVector& values);
  void constraint_list(const std::vector<Constraint>& constraints);

  // Ends the text. Nothing may follow.
  std::string finish() &&;

  const std::vector<WrittenClaim>& claims() const { return claims_; }
  std::size_t lines() const { return lines_; }

 private:
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t problems_ = 0;
  std::vector<WrittenClaim> claims_;
};

// The grammar's `rational`: integer, odd*2^e with 1 <= |e| <= 65536, or p/q.
std::string certificate_number(const Rational& value);
// "group token" of a constraint's loser.
std::string certificate_place(const Constraint& constraint);

}  // namespace attest
