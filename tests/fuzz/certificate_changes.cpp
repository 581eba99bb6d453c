// Random changes of certificates: see certificate_changes.hpp.
#include "tests/fuzz/certificate_changes.hpp"

#include <algorithm>
#include <random>
#include <sstream>
#include <utility>

#include "tests/mutation/mutations.hpp"

namespace fuzz {
namespace {

using Words = std::vector<std::string>;

constexpr const char* digits = "0123456789";

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
    if (last_ <= first_ || last_ > lines_.size() || below(16) == 0) return below(lines_.size());
    return first_ + below(last_ - first_);
  }

  void change() {
    if (lines_.empty()) return;
    const std::size_t i = line();
    Words& words = lines_[i];
    if (words.empty()) words.emplace_back();
    const std::size_t k = below(words.size());
    switch (below(24)) {
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
    if (word.size() > 400 || below(2) == 0) return with_other_digits(word);
    std::vector<std::string> words = mutation::neighbours(word);
    return words.empty() ? word + "0" : any(words);
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
        static const Words extremes{"0", "1", "-1", "2147483647", "4294967296", "9223372036854775807",
                                    "9223372036854775808", "18446744073709551616", "999999999999999999",
                                    "1*2^-65536", "1*2^65536", "-1*2^-65536", "1*2^-1", "1/3", "2^65536",
                                    "1*2^-300", "1*2^300", "none", "zero"};
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
    lines_.back() = {"end",   "problems", std::to_string(problems),     "claims", std::to_string(claims),
                     "lines", std::to_string(lines_.size())};
  }

  std::vector<Words> lines_;
  std::mt19937_64 random_;
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
