// Random changes of certificates: see certificate_changes.hpp.
#include "tests/fuzz/certificate_changes.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "tests/mutation/mutations.hpp"

namespace fuzz {
namespace {

using Words = std::vector<std::string>;

constexpr const char* digits = "0123456789";

bool is_integer(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  return !word.empty() && word.find_first_not_of(digits) == std::string_view::npos;
}

// x * 2^exponent.
mpq_class scaled(const mpq_class& x, long exponent) {
  mpq_class result;
  if (exponent < 0) {
    mpq_div_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  } else {
    mpq_mul_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  }
  return result;
}

// The value of a rational word with moderate exponents.
std::optional<mpq_class> number(const std::string& word) {
  const std::size_t star = word.find("*2^"), slash = word.find('/');
  if (is_integer(word)) return mpq_class(word, 10);
  if (star != std::string::npos) {
    const std::string mantissa = word.substr(0, star), exponent = word.substr(star + 3);
    if (!is_integer(mantissa) || !is_integer(exponent) || exponent.size() > 4) return std::nullopt;
    return scaled(mpq_class(mantissa, 10), std::strtol(exponent.c_str(), nullptr, 10));
  }
  if (slash == std::string::npos) return std::nullopt;
  const std::string p = word.substr(0, slash), q = word.substr(slash + 1);
  if (!is_integer(p) || !is_integer(q)) return std::nullopt;
  const mpz_class denominator(q, 10);
  if (denominator <= 0) return std::nullopt;
  mpq_class value(mpz_class(p, 10), denominator);
  value.canonicalize();
  return value;
}

// The word of a number in lowest terms.
std::string written(const mpq_class& x) {
  const mpz_class& q = x.get_den();
  if (q == 1 || mpz_popcount(q.get_mpz_t()) != 1) return x.get_str();
  return x.get_num().get_str() + "*2^-" + std::to_string(mpz_scan1(q.get_mpz_t(), 0));
}

// Random words (Steele, Lea, Flood 2014, SplitMix64): made anew for every change, so without a large state.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

class Changer {
 public:
  Changer(std::vector<Words> lines, std::uint64_t seed, std::size_t first, std::size_t last)
      : lines_(std::move(lines)), random_(seed), first_(first), last_(last) {}

  std::string operator()() {
    std::size_t changes = 1;
    while (changes < 4 && below(3) == 0) ++changes;
    for (std::size_t k = 0; k < changes; ++k) change();
    if (below(32) != 0) recount();
    std::string text;
    for (const Words& words : lines_) {
      for (std::size_t k = 0; k < words.size(); ++k) (text += k == 0 ? "" : " ") += words[k];
      text += '\n';
    }
    return text;
  }

 private:
  // Uniform enough, and the same with every standard library.
  std::size_t below(std::size_t bound) { return bound < 2 ? 0 : random_() % bound; }
  template <class Values>
  auto& any(Values& values) {
    return values[below(values.size())];
  }

  // A line of those to change, mostly.
  std::size_t line() {
    if (last_ <= first_ || last_ > lines_.size() || below(4) == 0) return below(lines_.size());
    return first_ + below(last_ - first_);
  }

  void change() {
    if (lines_.empty()) return;
    const std::size_t i = line();
    Words& words = lines_[i];
    if (words.empty()) words.emplace_back();
    std::size_t k = below(words.size());
    for (int again = 0; again < 3 && words[k].find_first_of(digits) == std::string::npos; ++again)
      k = below(words.size());
    switch (below(40)) {
      case 0:
        return drop(i);
      case 1:
        return repeat(i);
      case 2:
        return std::swap(words, any(lines_));
      case 3:
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(k));
        return;
      case 4:
        words.insert(words.begin() + static_cast<std::ptrdiff_t>(k), std::string(words[k]));
        return;
      case 5:
        return std::swap(words[k], any(words));
      case 6:
      case 7:
        if (Words& others = any(lines_); !others.empty()) words[k] = std::string(any(others));
        return;
      case 8:
      case 9:
        return change_vector(i);
      default:
        words[k] = other(words[k]);
    }
  }

  void drop(std::size_t i) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i));
    if (i < last_) --last_;
  }
  void repeat(std::size_t i) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(i), Words(lines_[i]));
    if (i < last_) ++last_;
  }

  // An entry of the next vector dropped or repeated, its count adjusted.
  void change_vector(std::size_t i) {
    while (i < lines_.size() && (lines_[i].size() != 5 || lines_[i][0] != "vector")) ++i;
    if (i == lines_.size() || i + 1 >= lines_.size()) return;
    const std::size_t count = std::strtoul(lines_[i][2].c_str(), nullptr, 10);
    if (count == 0 || count >= lines_.size() - i) return;
    const bool more = below(4) == 0;
    lines_[i][2] = std::to_string(more ? count + 1 : count - 1);
    const std::size_t entry = i + 1 + below(count);
    more ? repeat(entry) : drop(entry);
  }

  // What could stand in the place of this word.
  std::string other(const std::string& word) {
    if (below(3) != 0) {
      if (const std::optional<mpq_class> x = number(word)) {
        const mpq_class y = near(*x);
        return is_integer(word) ? mpz_class(y.get_num() / y.get_den()).get_str() : written(y);
      }
    }
    if (word.size() > 400 || below(2) == 0) return with_other_digits(word);
    std::vector<std::string> words = mutation::neighbours(word);
    return words.empty() ? word + "0" : any(words);
  }

  // A number that differs a little, by a hair's breadth, by its sign, its size, or altogether.
  mpq_class near(const mpq_class& x) {
    const mpq_class sign = below(2) == 0 ? 1 : -1;
    switch (below(10)) {
      case 0:
        return -x;
      case 1:
        return 0;
      case 2:
        return scaled(x, static_cast<long>(below(9)) - 4);
      case 3:
        return x == 0 ? x : mpq_class(1 / x);
      case 4:
        if (const Words& others = any(lines_); !others.empty()) return number(any(others)).value_or(x);
        return x;
      case 5:
        return x + sign;
      case 6:
        return x + scaled(sign, -static_cast<long>(below(300)));
      case 7:
        return x * static_cast<long>(below(9)) / static_cast<long>(1 + below(9));
      default:
        return x * (1 + scaled(sign, -static_cast<long>(below(160))));
    }
  }

  std::string with_other_digits(std::string word) {
    const std::size_t at = word.find_first_of(digits, below(word.size()));
    if (at == std::string::npos) return word.empty() ? "0" : word + static_cast<char>('!' + below(94));
    const char digit = digits[below(10)];
    switch (below(10)) {
      case 0:
        return word.erase(at, 1);
      case 1:
        return word.insert(at, 1, digit);
      case 2:
        return word.starts_with('-') ? word.substr(1) : "-" + word;
      case 3:
        return word + std::string(1 + below(24), '0');
      case 4: {
        static const Words extremes{"0",
                                    "1",
                                    "-1",
                                    "2147483647",
                                    "4294967296",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "18446744073709551616",
                                    "999999999999999999",
                                    "1*2^-65536",
                                    "1*2^65536",
                                    "-1*2^-65536",
                                    "1*2^-1",
                                    "1/3",
                                    "2^65536",
                                    "1*2^-300",
                                    "1*2^300",
                                    "none",
                                    "zero"};
        return any(extremes);
      }
      case 5:
        return word + "*2^" + std::to_string(static_cast<long>(below(200)) - 100);
      default:
        word[at] = digit;
        return word;
    }
  }

  void recount() {
    if (lines_.empty() || lines_.back().empty() || lines_.back()[0] != "end") return;
    std::size_t problems = 0, claims = 0;
    for (const Words& words : lines_) {
      problems += !words.empty() && words[0] == "problem";
      claims += !words.empty() && words[0] == "claim";
    }
    lines_.back() = {"end",
                     "problems",
                     std::to_string(problems),
                     "claims",
                     std::to_string(claims),
                     "lines",
                     std::to_string(lines_.size())};
  }

  std::vector<Words> lines_;
  Random random_;
  std::size_t first_, last_;
};

}  // namespace

ChangeableCertificate::ChangeableCertificate(const std::string& text) {
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    Words words;
    std::istringstream rest(line);
    for (std::string word; std::getline(rest, word, ' ');) words.push_back(word);
    lines_.push_back(std::move(words));
  }
}

std::string ChangeableCertificate::changed(std::uint64_t seed, std::size_t first, std::size_t last) const {
  return Changer(lines_, seed, first, last)();
}

}  // namespace fuzz
