// Numbers of the certificate language.
#include "tests/oracle/certificate_words.hpp"

#include <algorithm>

namespace reference {

namespace {

bool all_digits(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_integer(const std::string& word) {
  if (!word.empty() && word[0] == '-') return is_natural(word.substr(1)) && word != "-0";
  return is_natural(word);
}

long exponent_of(const std::string& word) {
  const mpz_class value = parse_integer(word);
  if (value == 0 || abs(value) > 65536) throw std::invalid_argument("exponent out of range");
  return value.get_si();
}

Number scaled(const mpz_class& odd, long exponent) {
  Number value(odd);
  if (exponent > 0) mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(exponent));
  if (exponent < 0) mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(-exponent));
  return value;
}

}  // namespace

bool is_natural(const std::string& word) {
  return all_digits(word) && (word == "0" || word[0] != '0');
}

mpz_class parse_integer(const std::string& word) {
  if (!is_integer(word)) throw std::invalid_argument("not an integer: " + word);
  mpz_class value(word, 10);
  if (mpz_sizeinbase(value.get_mpz_t(), 2) > (1u << 24)) throw std::invalid_argument("integer too long");
  return value;
}

Number parse_denominator(const std::string& word) {
  if (word.rfind("2^", 0) == 0) {
    const mpz_class exponent = parse_integer(word.substr(2));
    if (exponent < 0 || exponent > 65536) throw std::invalid_argument("exponent out of range");
    return scaled(1, exponent.get_si());
  }
  const mpz_class value = parse_integer(word);
  if (value <= 0) throw std::invalid_argument("denominator not positive");
  return Number(value);
}

Number parse_rational(const std::string& word) {
  const std::size_t slash = word.find('/'), star = word.find("*2^");
  if (slash != std::string::npos) {
    const mpz_class numerator = parse_integer(word.substr(0, slash)),
                    denominator = parse_integer(word.substr(slash + 1));
    if (denominator < 2 || gcd(numerator, denominator) != 1)
      throw std::invalid_argument("not in lowest terms");
    return Number(numerator, denominator);
  }
  if (star != std::string::npos) {
    const mpz_class odd = parse_integer(word.substr(0, star));
    if (mpz_even_p(odd.get_mpz_t())) throw std::invalid_argument("even mantissa");
    return scaled(odd, exponent_of(word.substr(star + 3)));
  }
  return Number(parse_integer(word));
}

}  // namespace reference
