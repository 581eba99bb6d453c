// Reads the evidence of one claim: see text/reader.hpp.
#include "proofs/checker/text/reader.hpp"

namespace attest_check {

void Reader::next() {
  end();
  line_ = text_.next();
}

void Reader::positive(Rational& number) {
  take(number);
  if (number <= 0) bad("a number must be positive");
}

std::size_t Reader::count(std::string_view word) {
  std::size_t count = 0;
  next(word, count);
  end();
  return count;
}

ConstraintVector Reader::vector(std::string_view name) {
  next();
  return rest_of_vector(name);
}

std::vector<Constraint> Reader::constraints(std::size_t count) {
  end();
  return text_.constraints(problem, count);
}

void Reader::take(Citation& cited) {
  cited.claim = line_.index();
  if (cited.claim == 0 || cited.claim > read_.claims.size())
    bad("claim " + std::to_string(cited.claim) + " is not an earlier claim");
}

}  // namespace attest_check
