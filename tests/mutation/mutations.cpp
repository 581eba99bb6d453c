// Changes of words and lines.
#include "tests/mutation/mutations.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace mutation {

namespace {

using Words = std::vector<std::string>;

std::vector<Words> split(const std::string& text) {
  std::vector<Words> lines;
  Words words;
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '\n') {
      words.push_back(word);
      word.clear();
      if (c == '\n') lines.push_back(std::move(words)), words.clear();
    } else {
      word += c;
    }
  }
  return lines;
}

std::string join(const std::vector<Words>& lines) {
  std::string text;
  for (const Words& words : lines)
    for (std::size_t k = 0; k < words.size(); ++k)
      text.append(words[k]).append(k + 1 < words.size() ? " " : "\n");
  return text;
}

bool is_integer(const std::string& word) {
  const std::size_t sign = word.rfind('-', 0) == 0 ? 1 : 0;
  return word.size() > sign && word.find_first_not_of("0123456789", sign) == std::string::npos;
}

// Neighbours of an integer: next values, sign, zero, double, far away, another digit.
Words integer_neighbours(const std::string& word) {
  const mpz_class x(word, 10);
  const mpz_class far = x + (mpz_class(1) << 64);
  const mpz_class wrapped = x + (mpz_class(1) << 32);
  Words result;
  for (const mpz_class& y :
       {mpz_class(x + 1), mpz_class(x - 1), mpz_class(-x), mpz_class(0), mpz_class(1), mpz_class(2 * x),
        mpz_class(x / 2), mpz_class(x + 2), mpz_class(x - 2), far, wrapped})
    result.push_back(y.get_str());
  std::string digits = word;
  digits[digits.size() / 2] = digits[digits.size() / 2] == '7' ? '3' : '7';
  result.push_back(digits);
  return result;
}

const std::vector<Words> vocabulary{
    {"prompt", "cross-attention", "self-attention"},
    {"none", "logistic", "exponential", "correlation"},
    {"feasible", "infeasible", "optimal", "support", "strictly-complementary", "locally-optimal",
     "not-locally-optimal", "globally-optimal", "not-globally-optimal"},
    {"gap", "lambda-min"},
    {"groups", "left-dimension", "right-dimension", "queries", "tokens", "elimination"},
    {"separator", "farkas", "multipliers", "primal", "dual", "direction"},
    {"modulus", "lambda-min", "none"},
    {"gd", "ngd", "polyak"},
    {"constant", "inverse", "invsqrt"},
    {"absorbing", "local", "lock-in", "residual", "bounded"},
    {"linear", "logarithmic"},
    {"1/t^2", "1/t", "log(t)/t", "log(t)^2/sqrt(t)", "t^(-1/2)", "t^(-3/4)", "1/log(t)", "1/log(t)^2"},
    {"stationary", "run", "path-inequality", "forever-from-point", "forever-from-run", "regularisation-path"},
    {"infeasible", "conflicts", "separable-without", "robust-radius", "margin-at-most", "feasible"},
    {"at-least", "groups", "radius", "bound"},
    {"farkas", "combination", "separator"},
};

}  // namespace

Words neighbours(const std::string& word) {
  Words result;
  const std::size_t star = word.find("*2^"), slash = word.find('/'), power = word.rfind("2^", 0);
  if (is_integer(word)) {
    result = integer_neighbours(word);
    result.push_back(word + "*2^-1");
    result.push_back(word + "*2^1");
    result.push_back(word + "/2");
  } else if (star != std::string::npos && is_integer(word.substr(0, star)) &&
             is_integer(word.substr(star + 3))) {
    for (const std::string& m : integer_neighbours(word.substr(0, star)))
      result.push_back(m + word.substr(star));
    for (const std::string& e : integer_neighbours(word.substr(star + 3)))
      result.push_back(word.substr(0, star + 3) + e);
    result.push_back(word.substr(0, star));
  } else if (slash != std::string::npos && is_integer(word.substr(0, slash)) &&
             is_integer(word.substr(slash + 1))) {
    for (const std::string& p : integer_neighbours(word.substr(0, slash)))
      result.push_back(p + word.substr(slash));
    for (const std::string& q : integer_neighbours(word.substr(slash + 1)))
      result.push_back(word.substr(0, slash + 1) + q);
    result.push_back(word.substr(0, slash));
  } else if (power == 0 && is_integer(word.substr(2))) {
    for (const std::string& e : integer_neighbours(word.substr(2))) result.push_back("2^" + e);
  } else {
    result = {word + "x", "0"};
    for (const Words& group : vocabulary)
      if (std::find(group.begin(), group.end(), word) != group.end())
        result.insert(result.end(), group.begin(), group.end());
  }
  return result;
}

namespace {

// The totals of the end line made right again.
std::vector<Words> recounted(std::vector<Words> lines) {
  std::size_t problems = 0, claims = 0;
  for (const Words& words : lines) {
    problems += words[0] == "problem";
    claims += words[0] == "claim";
  }
  if (lines.back()[0] == "end")
    lines.back() = {"end",
                    "problems",
                    std::to_string(problems),
                    "claims",
                    std::to_string(claims),
                    "lines",
                    std::to_string(lines.size())};
  return lines;
}

// The changes of one certificate. Most are of a line or two: what stands before and after is copied at once,
// for there are a hundred thousand texts of all lines.
class Changes {
 public:
  explicit Changes(const std::string& certificate)
      : certificate_(certificate), lines_(split(certificate)), seen_{hash_(certificate)} {
    for (std::size_t at = 0; starts_.size() <= lines_.size(); at = certificate.find('\n', at) + 1)
      starts_.push_back(at);
  }

  std::vector<Mutation> all() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (std::size_t k = 0; k < lines_[i].size(); ++k) change_word(i, k);
      change_line(i);
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) remove_entries(i);
    return std::move(result_);
  }

 private:
  // Each text once, told apart by 64 bits.
  void add(std::size_t line, const std::string& description, std::string text) {
    if (seen_.insert(hash_(text)).second) result_.push_back({line, description, std::move(text)});
  }

  // With others in place of lines i, i + 1, ....
  void replace(std::size_t i, std::size_t count, const std::vector<Words>& others,
               const std::string& description) {
    std::string text;
    text.reserve(certificate_.size() + 128);
    text.append(certificate_, 0, starts_[i]).append(join(others));
    add(i, description, text.append(certificate_, starts_[i + count]));
  }

  void change_word(std::size_t i, std::size_t k) {
    const Words& line = lines_[i];
    const std::string word = "line " + std::to_string(i + 1) + " word " + std::to_string(k + 1) + " (" +
                             line[k].substr(0, 40) + ") ";
    const auto at = static_cast<std::ptrdiff_t>(k);
    Words changed = line;
    for (const std::string& other : neighbours(line[k])) {
      changed[k] = other;
      replace(i, 1, {changed}, word + "-> " + other.substr(0, 60));
    }
    changed = line;
    changed.erase(changed.begin() + at);
    if (!changed.empty()) replace(i, 1, {changed}, word + "dropped");
    changed = line;
    changed.insert(changed.begin() + at, line[k]);
    replace(i, 1, {changed}, word + "repeated");
    if (k + 1 < line.size()) {
      changed = line;
      std::swap(changed[k], changed[k + 1]);
      replace(i, 1, {changed}, word + "swapped with the next");
    }
    // The same column of the next line: indices and numerators exchanged between entries.
    if (i + 1 < lines_.size() && k < lines_[i + 1].size()) {
      std::vector<Words> both{line, lines_[i + 1]};
      std::swap(both[0][k], both[1][k]);
      replace(i, 2, both, word + "swapped with the line below");
    }
  }

  void change_line(std::size_t i) {
    const std::string where = "line " + std::to_string(i + 1);
    const auto at = static_cast<std::ptrdiff_t>(i);
    std::vector<Words> changed = lines_;
    changed.erase(changed.begin() + at);
    add(i, where + " dropped", join(changed));
    if (!changed.empty()) add(i, where + " dropped, totals adjusted", join(recounted(changed)));
    changed = lines_;
    changed.insert(changed.begin() + at, lines_[i]);
    add(i, where + " repeated", join(changed));
    add(i, where + " repeated, totals adjusted", join(recounted(changed)));
    if (i + 1 < lines_.size()) replace(i, 2, {lines_[i + 1], lines_[i]}, where + " swapped with the next");
  }

  // A vector with one entry less and its count adjusted, a support set likewise: the change that keeps the
  // grammar.
  void remove_entries(std::size_t i) {
    const Words& line = lines_[i];
    const bool vector = line[0] == "vector", support = line.size() > 2 && line[2] == "support";
    if (!vector && !support) return;
    const std::size_t count = vector ? 2 : line.size() - 1;
    const std::size_t entries = std::stoul(line[count]);
    for (std::size_t k = 1; k <= entries; ++k) {
      std::vector<Words> changed = lines_;
      changed[i][count] = std::to_string(entries - 1);
      changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i + k));
      add(i, "line " + std::to_string(i + 1) + ": entry " + std::to_string(k) + " removed",
          join(recounted(changed)));
    }
  }

  const std::string& certificate_;
  const std::vector<Words> lines_;
  std::vector<std::size_t> starts_;  // of each line in the text, and its end
  std::hash<std::string> hash_;
  std::unordered_set<std::size_t> seen_;
  std::vector<Mutation> result_;
};

}  // namespace

std::vector<Mutation> mutations(const std::string& certificate) {
  return Changes(certificate).all();
}

std::vector<std::string> truncations(const std::string& certificate) {
  std::vector<std::string> result;
  std::size_t lines_left = static_cast<std::size_t>(std::count(certificate.begin(), certificate.end(), '\n'));
  for (std::size_t k = 0; k < certificate.size(); ++k) {
    if (certificate[k] == '\n') --lines_left;
    if ((certificate[k] == '\n' && lines_left > 0) || lines_left <= 2)
      if (k + 1 < certificate.size()) result.push_back(certificate.substr(0, k + 1));
  }
  return result;
}

}  // namespace mutation
