// What a claim says, in words: see statement.hpp.
#include "proofs/checker/text/statement.hpp"

#include "proofs/checker/base/sha256.hpp"

namespace attest_check {

void Statement::append(std::string_view words) {
  (text_ += ' ') += words;
}

void Statement::append(std::size_t index) {
  append(std::string_view(std::to_string(index)));
}

void Statement::append(const Rational& number) {
  append(std::string_view(canonical(number)));
}

void Statement::append(const Constraint& constraint) {
  append(constraint.group);
  append(constraint.token);
}

void Statement::append(const std::vector<Constraint>& constraints) {
  for (const Constraint& c : constraints) append(c);
}

std::string hash_words(const std::vector<Rational>& numbers) {
  Sha256 hash;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0) hash.update(" ");
    hash.update(canonical(numbers[k]));
  }
  hash.update("\n");
  return "sha256 " + hash.digest();
}

std::string hash_words(const ConstraintVector& vector) {
  Sha256 hash;
  for (std::size_t k = 0; k < vector.size(); ++k) {
    hash.update(std::to_string(vector.at[k].group) + ' ' + std::to_string(vector.at[k].token) + ' ' +
                canonical(fraction(vector.numerator[k], vector.denominator)) + '\n');
  }
  return "sha256 " + hash.digest();
}

}  // namespace attest_check
