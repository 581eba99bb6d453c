// Reader of certificates: lines, words, numbers, problems, claims.
#include "tests/reference/certificate.hpp"

#include <algorithm>

namespace reference {

namespace {

bool all_digits(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_natural(const std::string& word) {
  return all_digits(word) && (word == "0" || word[0] != '0');
}

bool is_integer(const std::string& word) {
  if (!word.empty() && word[0] == '-') return is_natural(word.substr(1)) && word != "-0";
  return is_natural(word);
}

mpz_class integer_of(const std::string& word) {
  if (!is_integer(word)) throw std::invalid_argument("not an integer: " + word);
  const mpz_class value(word, 10);
  if (mpz_sizeinbase(value.get_mpz_t(), 2) > (1u << 24)) throw std::invalid_argument("integer too long");
  return value;
}

long exponent_of(const std::string& word) {
  const mpz_class value = integer_of(word);
  if (value == 0 || abs(value) > 65536) throw std::invalid_argument("exponent out of range");
  return value.get_si();
}

Number scaled(const mpz_class& odd, long exponent) {
  Number value(odd);
  if (exponent > 0) mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(exponent));
  if (exponent < 0) mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(-exponent));
  return value;
}

Number denominator_of(const std::string& word) {
  if (word.rfind("2^", 0) == 0) {
    const mpz_class exponent = integer_of(word.substr(2));
    if (exponent < 0 || exponent > 65536) throw std::invalid_argument("exponent out of range");
    return scaled(1, exponent.get_si());
  }
  const mpz_class value = integer_of(word);
  if (value <= 0) throw std::invalid_argument("denominator not positive");
  return Number(value);
}

// Walks over the lines of a certificate, and over the words of the current line.
class Walker {
 public:
  explicit Walker(const std::string& text) {
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      if (end == std::string::npos) throw Malformed(lines_.size() + 1, "no line feed at the end");
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  bool at_end() const { return next_ == lines_.size(); }
  std::size_t line_number() const { return next_; }
  std::size_t line_count() const { return lines_.size(); }

  // First word of the line that next_line() would read.
  std::string peek() const {
    if (at_end()) throw Malformed(next_ + 1, "text ends early");
    return lines_[next_].substr(0, lines_[next_].find(' '));
  }

  void next_line() {
    if (at_end()) throw Malformed(next_ + 1, "text ends early");
    const std::string& line = lines_[next_++];
    words_.clear();
    word_ = 0;
    std::string word;
    for (const char c : line) {
      if (c == ' ') {
        if (word.empty()) fail("spaces");
        words_.push_back(word);
        word.clear();
      } else {
        if (c <= 32 || c > 126) fail("not a printable character");
        word += c;
      }
    }
    if (word.empty()) fail("empty line or space at the end");
    words_.push_back(word);
  }

  void finish_line() const {
    if (word_ != words_.size()) fail("words left over");
  }

  bool more() const { return word_ < words_.size(); }
  bool at_word(const std::string& text) const { return more() && words_[word_] == text; }

  const std::string& word() {
    if (!more()) fail("line too short");
    return words_[word_++];
  }

  void expect(const std::string& text) {
    if (word() != text) fail("expected " + text);
  }

  std::string one_of(const std::vector<std::string>& choices) {
    const std::string& found = word();
    if (std::find(choices.begin(), choices.end(), found) == choices.end()) fail("unknown word " + found);
    return found;
  }

  std::size_t natural() {
    const std::string& found = word();
    if (!is_natural(found) || found.size() > 18) fail("not an index or count: " + found);
    return static_cast<std::size_t>(std::stoull(found));
  }

  template <class Parse>
  auto number(Parse parse) {
    try {
      return parse(word());
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& why) const { throw Malformed(next_, why); }

 private:
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  std::vector<std::string> words_;
  std::size_t word_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : in_(text) {}

  Certificate read() {
    header();
    for (;;) {
      const std::string first = in_.peek();
      in_.next_line();
      in_.expect(first);
      if (first == "problem") {
        problem();
      } else if (first == "claim") {
        claim();
      } else if (first == "end") {
        footer();
        return out_;
      } else {
        in_.fail("unknown line " + first);
      }
    }
  }

 private:
  void header() {
    in_.next_line();
    in_.expect("attest-certificate");
    in_.expect("1");
    in_.finish_line();
    in_.next_line();
    in_.expect("producer");
    in_.word();
    in_.word();
    in_.finish_line();
    in_.next_line();
    in_.expect("instance");
    in_.expect("sha256");
    out_.hash = in_.word();
    if (out_.hash.size() != 64 || out_.hash.find_first_not_of("0123456789abcdef") != std::string::npos)
      in_.fail("not a hash");
    in_.finish_line();
  }

  void footer() {
    in_.expect("problems");
    if (in_.natural() != out_.problems.size()) in_.fail("wrong number of problems");
    in_.expect("claims");
    if (in_.natural() != out_.claims.size()) in_.fail("wrong number of claims");
    in_.expect("lines");
    if (in_.natural() != in_.line_count()) in_.fail("wrong number of lines");
    in_.finish_line();
    if (!in_.at_end()) in_.fail("text after the end line");
    if (out_.claims.empty()) in_.fail("no claims");
  }

  void problem() {
    if (in_.natural() != out_.problems.size() + 1) in_.fail("problem out of sequence");
    in_.finish_line();
    Problem problem;
    in_.next_line();
    in_.expect("setting");
    problem.setting = in_.one_of({"prompt", "cross-attention", "self-attention"});
    in_.finish_line();
    in_.next_line();
    in_.expect("norm");
    in_.expect("euclidean");
    in_.finish_line();
    in_.next_line();
    in_.expect("loss");
    problem.loss = in_.one_of({"none", "logistic", "exponential", "correlation"});
    in_.finish_line();
    in_.next_line();
    in_.expect("selection");
    const std::size_t count = in_.natural();
    while (in_.more()) problem.selection.push_back(in_.natural());
    if (problem.selection.size() != count) in_.fail("wrong number of selected tokens");
    out_.problems.push_back(problem);
  }

  void rational(Claim& claim) { claim.numbers.push_back(in_.number(parse_rational)); }

  Pair pair() {
    const std::size_t group = in_.natural();
    return {group, in_.natural()};
  }

  void at(Claim& claim) {
    in_.expect("at");
    claim.at = pair();
    claim.has_at = true;
  }

  void from(Claim& claim) {
    in_.expect("from");
    claim.from = in_.natural();
    if (claim.from == 0 || claim.from > out_.claims.size()) in_.fail("cites a claim that is not earlier");
  }

  void vector(Claim& claim, const std::string& name) {
    in_.next_line();
    in_.expect("vector");
    rest_of_vector(claim, name);
  }

  void claim() {
    if (in_.natural() != out_.claims.size() + 1) in_.fail("claim out of sequence");
    Claim claim;
    claim.kind = in_.one_of({"feasible", "infeasible", "optimal", "optimal-enclosure", "support",
                             "strictly-complementary", "not-strictly-complementary", "locally-optimal",
                             "not-locally-optimal", "globally-optimal", "not-globally-optimal", "score-tie",
                             "rank", "smoothness", "stationary", "run", "forever-from-point",
                             "forever-from-run"});
    in_.expect("problem");
    claim.problem = in_.natural();
    if (claim.problem == 0 || claim.problem > out_.problems.size())
      in_.fail("cites a problem that is not earlier");
    if (claim.kind == "support" || claim.kind == "strictly-complementary" ||
        claim.kind == "not-strictly-complementary" || claim.kind == "locally-optimal" ||
        claim.kind == "not-locally-optimal" || claim.kind == "rank" || claim.kind == "run" ||
        claim.kind == "forever-from-point" || claim.kind == "forever-from-run")
      from(claim);
    details(claim);
    out_.claims.push_back(std::move(claim));
  }

  void details(Claim& claim) {
    const std::string& kind = claim.kind;
    if (kind == "feasible" || kind == "infeasible") {
      in_.finish_line();
      vector(claim, kind == "feasible" ? "separator" : "farkas");
    } else if (kind == "optimal") {
      in_.expect("norm-squared");
      rational(claim);
      in_.finish_line();
      vector(claim, "multipliers");
    } else if (kind == "optimal-enclosure") {
      enclosure(claim);
    } else if (kind == "support") {
      support(claim);
    } else if (kind == "strictly-complementary") {
      in_.finish_line();
      in_.next_line();
      if (in_.one_of({"evidence", "vector"}) == "evidence") {
        in_.expect("cited");
        in_.finish_line();
        claim.evidence_cited = true;
      } else {
        rest_of_vector(claim, "multipliers");
      }
    } else if (kind == "not-strictly-complementary") {
      at(claim);
      in_.finish_line();
      vector(claim, "direction");
    } else if (kind == "not-locally-optimal") {
      if (in_.more()) at(claim);
      in_.finish_line();
    } else if (kind == "not-globally-optimal") {
      at(claim);
      in_.finish_line();
    } else if (kind == "score-tie") {
      in_.expect("group");
      claim.group = in_.natural();
      in_.expect("tokens");
      claim.tokens = {in_.natural()};
      claim.tokens.push_back(in_.natural());
      in_.finish_line();
    } else if (kind == "rank") {
      rank(claim);
    } else if (kind == "smoothness") {
      in_.expect("beta");
      rational(claim);
      in_.finish_line();
    } else if (kind == "stationary") {
      in_.finish_line();
      claim.run.emplace();
      start(claim.run->iteration);
    } else if (kind == "run") {
      run(claim.run.emplace());
    } else if (kind == "forever-from-point" || kind == "forever-from-run") {
      forever(claim);
    } else {
      in_.finish_line();
    }
  }

  Number value(const std::string& name) {
    in_.expect(name);
    return in_.number(parse_rational);
  }

  std::size_t count(const std::string& name) {
    in_.expect(name);
    return in_.natural();
  }

  // A line of its own: a name and a count.
  std::size_t count_line(const std::string& name) {
    in_.next_line();
    const std::size_t result = count(name);
    in_.finish_line();
    return result;
  }

  Band band(const std::string& name) {
    const Number lo = value(name);
    return {lo, in_.number(parse_rational)};
  }

  void specification(Iteration& iteration) {
    in_.next_line();
    in_.expect("optimizer");
    iteration.rule = in_.one_of({"gd", "ngd", "polyak"});
    in_.expect("schedule");
    iteration.schedule = in_.one_of({"constant", "inverse", "invsqrt"});
    iteration.step = value("step");
    if (iteration.step <= 0) in_.fail("step not positive");
  }

  void start(Iteration& iteration) {
    in_.next_line();
    in_.expect("start");
    if (in_.at_word("zero")) {
      in_.word();
    } else {
      const std::size_t entries = in_.natural();
      while (in_.more()) iteration.start.push_back(in_.number(parse_rational));
      if (entries == 0 || iteration.start.size() != entries) in_.fail("wrong number of entries");
    }
    in_.finish_line();
  }

  void run(RunClaim& run) {
    run.steps = count("steps");
    in_.finish_line();
    specification(run.iteration);
    if (count("fraction-bits") > 65536) in_.fail("too many fraction bits");
    in_.finish_line();
    start(run.iteration);
    const std::size_t checkpoints = count_line("checkpoints");
    if (checkpoints == 0) in_.fail("no checkpoint");
    for (std::size_t k = 0; k < checkpoints; ++k) {
      in_.next_line();
      CheckpointClaim point;
      point.at = count("at");
      if (point.at > run.steps || (k > 0 && point.at <= run.checkpoints.back().at)) in_.fail("checkpoint out of order");
      point.norm = band("norm");
      point.along = band("along");
      in_.expect("one-minus-corr");
      if (in_.at_word("none")) {
        in_.word();
      } else {
        const Number lo = in_.number(parse_rational);
        point.one_minus_corr = Band{lo, in_.number(parse_rational)};
      }
      point.loss_gap = band("loss-gap");
      point.gradient = band("gradient");
      point.unselected = band("unselected");
      in_.finish_line();
      run.checkpoints.push_back(point);
    }
    run.loss_decreases_until = count_line("loss-decreases-until");
    if (run.loss_decreases_until > run.steps) in_.fail("more steps than the run has");
    const std::size_t rates = count_line("rates");
    for (std::size_t k = 0; k < rates; ++k) {
      in_.next_line();
      in_.expect("rate");
      RateClaim rate;
      rate.shape = in_.one_of({"1/t^2", "1/t", "log(t)/t", "log(t)^2/sqrt(t)", "t^(-1/2)", "t^(-3/4)", "1/log(t)", "1/log(t)^2"});
      rate.from = count("from");
      if (rate.from < (rate.shape.find("log") == std::string::npos ? 1U : 2U)) in_.fail("rate from too early a step");
      rate.constant = value("constant");
      in_.finish_line();
      run.rates.push_back(rate);
    }
  }

  // `lines` lines of these words; the number after each of them.
  void lines_of(std::size_t lines, const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < lines; ++k) {
      in_.next_line();
      count("group");
      for (const std::string& name : names) value(name);
      in_.finish_line();
    }
  }

  void outside() {
    const std::size_t listed = count_line("outside");
    Pair last;
    for (std::size_t k = 0; k < listed; ++k) {
      in_.next_line();
      const Pair next = pair();
      in_.finish_line();
      if (k > 0 && !(last < next)) in_.fail("entries not increasing");
      last = next;
    }
  }

  void forever(Claim& claim) {
    ForeverClaim& forever = claim.forever.emplace();
    if (claim.kind == "forever-from-run") {
      forever.run = count("run");
      if (forever.run == 0 || forever.run > out_.claims.size()) in_.fail("cites a claim that is not earlier");
      forever.at = count("at");
    }
    in_.expect("theorem");
    forever.theorem = in_.one_of({"absorbing", "local", "lock-in", "bounded"});
    in_.expect("dominates-from");
    if (in_.at_word("none")) {
      in_.word();
    } else {
      forever.dominates_from = in_.natural();
    }
    in_.finish_line();
    if (claim.kind == "forever-from-point") {
      specification(forever.iteration);
      in_.finish_line();
      start(forever.iteration);
    }
    if (forever.theorem == "lock-in") {
      lines_of(count_line("ranges"), {"floor"});
    } else {
      in_.next_line();
      value("step-bound");
      if (forever.theorem != "absorbing") value("ratio");
      if (forever.theorem == "local") {
        value("extra");
        value("theta");
      }
      if (forever.theorem == "bounded") value("reach");
      in_.finish_line();
      if (forever.theorem == "bounded") {
        in_.next_line();
        value("lambda-min");
        count("bits");
        in_.finish_line();
        vector(claim, "pull");
      }
      if (forever.theorem != "absorbing") outside();
      const std::size_t ranges = count_line("ranges");
      if (forever.theorem == "absorbing") {
        lines_of(ranges, {"output", "attention"});
      } else {
        lines_of(ranges, {"attention"});
      }
    }
    in_.next_line();
    forever.path = value("path");
    forever.excess = value("excess");
    forever.centre = value("centre");
    forever.height = value("height");
    in_.expect("growth");
    forever.linear = in_.one_of({"linear", "logarithmic"}) == "linear";
    forever.growth = in_.number(parse_rational);
    in_.finish_line();
  }

  // A vector after its first word.
  void rest_of_vector(Claim& claim, const std::string& name) {
    in_.expect(name);
    const std::size_t count = in_.natural();
    in_.expect("over");
    const Number denominator = in_.number(denominator_of);
    in_.finish_line();
    SparseVector vector{name, {}};
    for (std::size_t k = 0; k < count; ++k) {
      in_.next_line();
      const Pair constraint = pair();
      const mpz_class numerator = in_.number(integer_of);
      in_.finish_line();
      if (numerator == 0) in_.fail("zero numerator");
      if (k > 0 && !(vector.entries.back().first < constraint)) in_.fail("entries not increasing");
      vector.entries.emplace_back(constraint, numerator / denominator);
    }
    claim.vectors.push_back(std::move(vector));
  }

  void enclosure(Claim& claim) {
    in_.expect("form");
    claim.form = in_.one_of({"gap", "lambda-min"});
    in_.expect("norm-squared");
    rational(claim);
    rational(claim);
    if (claim.form == "gap") {
      in_.expect("distance-squared");
      rational(claim);
      in_.finish_line();
      vector(claim, "primal");
      vector(claim, "dual");
      return;
    }
    in_.expect("radius");
    rational(claim);
    in_.expect("multiplier-radius");
    rational(claim);
    in_.finish_line();
    in_.next_line();
    in_.expect("lambda-min");
    rational(claim);
    in_.expect("bits");
    const std::size_t bits = in_.natural();
    if (bits < 29 || bits > 4096) in_.fail("bits out of range");
    in_.finish_line();
    vector(claim, "multipliers");
  }

  void support(Claim& claim) {
    in_.expect("size");
    const std::size_t count = in_.natural();
    in_.finish_line();
    for (std::size_t k = 0; k < count; ++k) {
      in_.next_line();
      claim.listed.push_back(pair());
      in_.finish_line();
      if (k > 0 && !(claim.listed[k - 1] < claim.listed[k])) in_.fail("entries not increasing");
    }
  }

  void rank(Claim& claim) {
    in_.expect("equals");
    claim.count = in_.natural();
    in_.finish_line();
    in_.next_line();
    in_.expect("lower");
    const std::string lower = in_.one_of({"modulus", "lambda-min", "none"});
    if (lower == "modulus") in_.natural();
    if (lower == "lambda-min") {
      in_.number(parse_rational);
      in_.expect("bits");
      in_.natural();
      in_.expect("columns");
      const std::size_t count = in_.natural();
      std::size_t listed = 0;
      while (in_.more()) in_.natural(), ++listed;
      if (listed != count) in_.fail("wrong number of columns");
    }
    in_.finish_line();
    in_.next_line();
    in_.expect("upper");
    in_.one_of({"groups", "left-dimension", "right-dimension", "queries", "tokens", "elimination"});
    in_.finish_line();
  }

  Walker in_;
  Certificate out_;
};

}  // namespace

Number parse_rational(const std::string& word) {
  const std::size_t slash = word.find('/'), star = word.find("*2^");
  if (slash != std::string::npos) {
    const mpz_class numerator = integer_of(word.substr(0, slash)),
                    denominator = integer_of(word.substr(slash + 1));
    if (denominator < 2 || gcd(numerator, denominator) != 1)
      throw std::invalid_argument("not in lowest terms");
    return Number(numerator, denominator);
  }
  if (star != std::string::npos) {
    const mpz_class odd = integer_of(word.substr(0, star));
    if (mpz_even_p(odd.get_mpz_t())) throw std::invalid_argument("even mantissa");
    return scaled(odd, exponent_of(word.substr(star + 3)));
  }
  return Number(integer_of(word));
}

Certificate parse_certificate(const std::string& text) {
  return Reader(text).read();
}

}  // namespace reference
