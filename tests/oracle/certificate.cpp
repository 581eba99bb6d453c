// Reader of certificates: problems, and claims about solutions.
#include "tests/oracle/certificate.hpp"

#include "tests/oracle/certificate_reader.hpp"

namespace reference {

Certificate CertificateReader::read() {
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

void CertificateReader::header() {
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

void CertificateReader::footer() {
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

void CertificateReader::problem() {
  if (in_.natural() != out_.problems.size() + 1) in_.fail("problem out of sequence");
  in_.finish_line();
  Problem problem;
  in_.next_line();
  in_.expect("setting");
  problem.setting = in_.one_of({"prompt", "cross-attention", "self-attention", "next-token"});
  const bool sentences = problem.setting == "next-token";
  if (sentences) problem.setting.append(" ").append(in_.one_of({"feed-forward", "attention"}));
  in_.finish_line();
  in_.next_line();
  in_.expect("norm");
  in_.expect("euclidean");
  in_.finish_line();
  in_.next_line();
  in_.expect("loss");
  problem.loss = in_.one_of({"none", "logistic", "exponential", "correlation", "cross-entropy", "classifier",
                             "relu-logistic", "relu-exponential", "relu-correlation"});
  if (sentences && problem.loss != "none") in_.fail("a loss of sentences");
  in_.finish_line();
  in_.next_line();
  rows(problem);
  if (!problem.plain && problem.loss != "none") in_.fail("a loss of other rows than a selection's");
  out_.problems.push_back(problem);
}

// To the end of the line that selects.
void CertificateReader::rows(Problem& problem) {
  const bool decoder = in_.at_word("decoder"), relaxed = in_.at_word("relaxed");
  problem.plain = !decoder && !relaxed && !in_.at_word("selected-sets");
  if (decoder || relaxed) {
    in_.word();
    if (relaxed && increasing(count_and_list()).empty()) in_.fail("no group is relaxed");
    in_.finish_line();
    in_.next_line();
  } else if (!problem.plain) {
    in_.word();
    const std::size_t sets = in_.natural();
    while (in_.more()) problem.selection.push_back(set(in_.word()).front());
    if (problem.selection.size() != sets || sets == 0) in_.fail("wrong number of sets");
    return;
  }
  in_.expect("selection");
  problem.selection = count_and_list();
}

std::vector<std::size_t> CertificateReader::count_and_list() {
  const std::size_t count = in_.natural();
  std::vector<std::size_t> list;
  while (in_.more()) list.push_back(in_.natural());
  if (list.size() != count) in_.fail("the count is not the number of indices");
  return list;
}

std::vector<std::size_t> CertificateReader::increasing(std::vector<std::size_t> list) const {
  for (std::size_t k = 1; k < list.size(); ++k)
    if (list[k] <= list[k - 1]) in_.fail("indices out of order");
  return list;
}

// "0,3,4".
std::vector<std::size_t> CertificateReader::set(const std::string& word) const {
  std::vector<std::size_t> tokens;
  for (std::size_t at = 0, comma = 0; comma != std::string::npos; at = comma + 1) {
    comma = word.find(',', at);
    const std::string token = word.substr(at, comma == std::string::npos ? comma : comma - at);
    if (!is_natural(token) || token.size() > 18) in_.fail("not a token: " + token);
    tokens.push_back(static_cast<std::size_t>(std::stoull(token)));
  }
  return increasing(std::move(tokens));
}

void CertificateReader::rational(Claim& claim) {
  claim.numbers.push_back(in_.number(parse_rational));
}

Pair CertificateReader::pair() {
  const std::size_t group = in_.natural();
  return {group, in_.natural()};
}

void CertificateReader::at(Claim& claim) {
  in_.expect("at");
  claim.at = pair();
  claim.has_at = true;
}

void CertificateReader::from(Claim& claim) {
  in_.expect("from");
  claim.from = in_.natural();
  if (claim.from == 0 || claim.from > out_.claims.size()) in_.fail("cites a claim that is not earlier");
}

void CertificateReader::vector(Claim& claim, const std::string& name) {
  in_.next_line();
  in_.expect("vector");
  rest_of_vector(claim, name);
}

void CertificateReader::claim() {
  if (in_.natural() != out_.claims.size() + 1) in_.fail("claim out of sequence");
  Claim claim;
  claim.kind = in_.one_of({"feasible",
                           "infeasible",
                           "margin-at-most",
                           "optimal",
                           "optimal-enclosure",
                           "support",
                           "strictly-complementary",
                           "not-strictly-complementary",
                           "locally-optimal",
                           "not-locally-optimal",
                           "globally-optimal",
                           "not-globally-optimal",
                           "score-tie",
                           "rank",
                           "joint-attention",
                           "label-margins",
                           "joint-path",
                           "joint-run",
                           "joint-forever",
                           "finite-part",
                           "no-finite-part",
                           "smoothness",
                           "stationary",
                           "run",
                           "path-inequality",
                           "forever-from-point",
                           "forever-from-run",
                           "regularisation-path",
                           "path-residual",
                           "conflicts",
                           "separable-without",
                           "robust-radius",
                           "norm-optimum",
                           "norm-support-within",
                           "norm-locally-optimal",
                           "norm-path"});
  in_.expect("problem");
  claim.problem = in_.natural();
  if (claim.problem == 0 || claim.problem > out_.problems.size())
    in_.fail("cites a problem that is not earlier");
  const std::vector<std::string> of_any_rows = {"feasible",
                                                "infeasible",
                                                "margin-at-most",
                                                "optimal",
                                                "optimal-enclosure",
                                                "support",
                                                "strictly-complementary",
                                                "not-strictly-complementary",
                                                "rank",
                                                "joint-attention",
                                                "label-margins",
                                                "joint-path",
                                                "joint-run",
                                                "joint-forever",
                                                "finite-part",
                                                "no-finite-part"};
  if (!out_.problems[claim.problem - 1].plain &&
      std::find(of_any_rows.begin(), of_any_rows.end(), claim.kind) == of_any_rows.end())
    in_.fail("a kind that is about a selection only");
  if (claim.kind.starts_with("norm-")) norm(claim);
  if (claim.kind == "support" || claim.kind == "strictly-complementary" ||
      claim.kind == "not-strictly-complementary" || claim.kind == "locally-optimal" ||
      claim.kind == "not-locally-optimal" || claim.kind == "rank" || claim.kind == "joint-attention" ||
      claim.kind == "label-margins" || claim.kind == "joint-path" || claim.kind == "joint-forever" ||
      claim.kind == "run" || claim.kind == "forever-from-point" || claim.kind == "forever-from-run" ||
      claim.kind == "regularisation-path" || claim.kind == "path-residual" || claim.kind == "robust-radius" ||
      claim.kind == "norm-support-within" || claim.kind == "norm-locally-optimal" ||
      claim.kind == "norm-path")
    from(claim);
  details(claim);
  out_.claims.push_back(std::move(claim));
}

void CertificateReader::details(Claim& claim) {
  const std::string& kind = claim.kind;
  if (kind == "feasible") {
    in_.finish_line();
    vector(claim, "separator");
  } else if (kind == "infeasible") {
    infeasible(claim);
  } else if (kind == "margin-at-most") {
    in_.expect("bound");
    rational(claim);
    in_.finish_line();
    vector(claim, "combination");
  } else if (kind == "optimal") {
    in_.expect("norm-squared");
    rational(claim);
    in_.finish_line();
    vector(claim, "multipliers");
  } else if (kind == "optimal-enclosure") {
    enclosure(claim);
  } else if (kind == "support" || kind == "norm-support-within") {
    support(claim);
  } else if (kind == "norm-optimum") {
    norm_optimum(claim);
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
    tie(claim);
  } else if (kind == "rank") {
    rank(claim);
  } else if (kind == "smoothness" || kind == "robust-radius") {
    in_.expect(kind == "smoothness" ? "beta" : "radius");
    rational(claim);
    in_.finish_line();
  } else if (kind == "regularisation-path" || kind == "norm-path") {
    in_.expect("from-radius");
    rational(claim);
    in_.expect("rate-constant");
    rational(claim);
    in_.finish_line();
  } else if (kind == "path-residual") {
    in_.expect("from-radius");
    rational(claim);
    in_.expect("residual");
    rational(claim);
    in_.finish_line();
    lambda_min();
    vector(claim, "pull");
  } else if (kind == "label-margins") {
    label_margins(claim);
  } else if (kind == "joint-path") {
    joint_path(claim);
  } else if (kind == "joint-run") {
    joint_run(claim);
  } else if (kind == "joint-forever") {
    joint_forever(claim);
  } else if (kind == "conflicts") {
    conflicts(claim);
  } else if (kind == "separable-without") {
    separable_without(claim);
  } else if (kind == "finite-part") {
    finite_part(claim);
  } else if (kind == "no-finite-part") {
    ratios(claim);
    vector(claim, "combination");
  } else {
    of_runs(claim);
  }
}

// Kinds about runs, and those that have no more words.
void CertificateReader::of_runs(Claim& claim) {
  const std::string& kind = claim.kind;
  if (kind == "stationary") {
    in_.finish_line();
    claim.run.emplace();
    start(claim.run->iteration);
  } else if (kind == "run") {
    run(claim.run.emplace());
  } else if (kind == "path-inequality") {
    path(claim.path.emplace());
  } else if (kind == "forever-from-point" || kind == "forever-from-run") {
    forever(claim);
  } else {
    in_.finish_line();
  }
}

void CertificateReader::tie(Claim& claim) {
  in_.expect("group");
  claim.group = in_.natural();
  in_.expect("tokens");
  claim.tokens = {in_.natural()};
  claim.tokens.push_back(in_.natural());
  in_.finish_line();
}

void CertificateReader::conflicts(Claim& claim) {
  claim.count = count("at-least");
  in_.finish_line();
  for (std::size_t k = 0; k < claim.count; ++k) vector(claim, "farkas");
}

void CertificateReader::label_margins(Claim& claim) {
  in_.expect("nu");
  rational(claim);
  in_.finish_line();
  in_.next_line();
  const std::size_t nodes = count("cover"), vectors = count("vectors");
  in_.finish_line();
  for (std::size_t k = 0; k < vectors; ++k) vector(claim, "multipliers");
  for (std::size_t k = 0; k < nodes; ++k) cover_node();
}

void CertificateReader::cover_node() {
  in_.next_line();
  const std::string how = in_.one_of({"halve", "open", "multipliers", "weights"});
  if (how == "open") in_.natural();
  if (how == "multipliers") in_.natural();
  if (how == "weights") {
    const std::size_t weights = in_.natural();
    if (weights == 0) in_.fail("no weight");
    for (std::size_t k = 0; k < weights; ++k) in_.number(parse_integer);
  }
  if (how == "multipliers" || how == "weights") {
    in_.expect("tokens");
    count_and_list();
  }
  in_.finish_line();
}

void CertificateReader::cite(const std::string& name) {
  const std::size_t cited = count(name);
  if (cited == 0 || cited > out_.claims.size()) in_.fail("cites a claim that is not earlier");
}

void CertificateReader::joint_step(const std::string& whose) {
  in_.expect(whose);
  in_.one_of({"gd", "ngd"});
  if (value("step") <= 0) in_.fail("a step is not positive");
  const Number power = value("power");
  if (power > 0 || power < -64) in_.fail("power out of range");
}

void CertificateReader::joint_run(Claim& claim) {
  if (in_.at_word("from")) from(claim);
  if (in_.at_word("decoder-from")) cite("decoder-from");
  in_.expect("loss");
  in_.one_of({"logistic", "exponential", "correlation"});
  joint_step("attention");
  joint_step("decoder");
  in_.expect("decoder-start");
  in_.one_of({"zero", "instance"});
  const std::size_t steps = count("steps");
  in_.finish_line();
  in_.next_line();
  const std::size_t checkpoints = count("checkpoints"), bits = count("bits");
  if (bits < 64 || bits > 65536) in_.fail("bits out of range");
  in_.finish_line();
  std::optional<std::size_t> last;
  for (std::size_t k = 0; k < checkpoints; ++k) {
    in_.next_line();
    const std::size_t at = count("checkpoint");
    if (at > steps || (last && at <= *last)) in_.fail("checkpoints out of order");
    last = at;
    for (const char* name : {"norm", "decoder-norm", "loss"}) band(name);
    for (const char* name : {"one-minus-corr", "decoder-one-minus-corr"})
      if (in_.at_word(name)) band(name);
    in_.finish_line();
  }
}

void CertificateReader::joint_forever(Claim& claim) {
  const auto positive = [&](const char* name) {
    if (value(name) <= 0) in_.fail("a number is not positive");
  };
  cite("support");
  cite("joint-run");
  count("at");
  positive("decoder");
  positive("growth");
  value("lateral");
  value("loss");
  positive("decay");
  positive("attention");
  positive("growth");
  value("spread");
  value("unselected");
  positive("fall");
  in_.finish_line();
  in_.next_line();
  positive("deficit");
  value("reach");
  positive("aside");
  for (std::size_t left = count("boxes"); left > 0; --left)
    if (in_.number(parse_rational) <= 0) in_.fail("a box is not positive");
  in_.finish_line();
}

void CertificateReader::joint_path(Claim& claim) {
  cite("label-margins");
  if (in_.at_word("plain")) cite("plain");
  in_.expect("loss");
  in_.one_of({"logistic", "exponential"});
  for (const char* name :
       {"from-radius", "from-decoder-radius", "slope", "decay", "decoder-rate", "rate-constant"}) {
    in_.expect(name);
    rational(claim);
  }
  in_.finish_line();
  in_.next_line();
  for (const char* name : {"excess", "window"}) {
    in_.expect(name);
    rational(claim);
  }
  in_.finish_line();
}

void CertificateReader::separable_without(Claim& claim) {
  const std::size_t listed = count("groups");
  while (in_.more()) claim.groups.push_back(in_.natural());
  if (claim.groups.size() != listed) in_.fail("wrong number of groups");
  for (std::size_t k = 1; k < listed; ++k)
    if (claim.groups[k] <= claim.groups[k - 1]) in_.fail("groups out of order");
  vector(claim, "separator");
}

void CertificateReader::infeasible(Claim& claim) {
  in_.finish_line();
  in_.next_line();
  in_.expect("vector");
  claim.form = in_.one_of({"farkas", "combination"});
  entries(claim, claim.form);
  if (claim.form == "farkas") return;
  spanning(claim);
}

void CertificateReader::spanning(Claim& claim) {
  in_.next_line();
  in_.expect("spanning");
  rational(claim);
  const std::size_t bits = count("bits");
  if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  listed(claim, in_.natural());
}

void CertificateReader::ratios(Claim& claim) {
  in_.finish_line();
  in_.next_line();
  const std::size_t entries = count("ratios"), bits = count("bits");
  if (bits < 64 || bits > 4096) in_.fail("bits out of range");
  in_.finish_line();
  for (std::size_t k = 0; k < entries; ++k) {
    in_.next_line();
    const Pair at = pair();
    if (k > 0 && !(claim.ratios.back().first < at)) in_.fail("entries not increasing");
    claim.ratios.emplace_back(at, in_.number(parse_rational));
    in_.finish_line();
  }
}

void CertificateReader::finite_part(Claim& claim) {
  in_.expect("norm-squared");
  rational(claim);
  rational(claim);
  in_.expect("radius");
  rational(claim);
  ratios(claim);
  spanning(claim);
  if (claim.listed.size() > claim.ratios.size()) in_.fail("more spanning constraints than ratios");
  vector(claim, "coefficients");
  in_.next_line();
  for (std::size_t bases = count("bases"); bases > 0; --bases) in_.number(parse_integer);
  in_.finish_line();
  for (std::size_t k = claim.listed.size(); k < claim.ratios.size(); ++k) vector(claim, "combination");
}

void CertificateReader::rest_of_vector(Claim& claim, const std::string& name) {
  in_.expect(name);
  entries(claim, name);
}

void CertificateReader::entries(Claim& claim, const std::string& name) {
  const std::size_t count = in_.natural();
  in_.expect("over");
  const Number denominator = in_.number(parse_denominator);
  in_.finish_line();
  SparseVector vector{name, {}};
  for (std::size_t k = 0; k < count; ++k) {
    in_.next_line();
    const Pair constraint = pair();
    const mpz_class numerator = in_.number(parse_integer);
    in_.finish_line();
    if (numerator == 0) in_.fail("zero numerator");
    if (k > 0 && !(vector.entries.back().first < constraint)) in_.fail("entries not increasing");
    vector.entries.emplace_back(constraint, numerator / denominator);
  }
  claim.vectors.push_back(std::move(vector));
}

void CertificateReader::enclosure(Claim& claim) {
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

void CertificateReader::support(Claim& claim) {
  in_.expect("size");
  listed(claim, in_.natural());
}

void CertificateReader::listed(Claim& claim, std::size_t count) {
  in_.finish_line();
  for (std::size_t k = 0; k < count; ++k) {
    in_.next_line();
    claim.listed.push_back(pair());
    in_.finish_line();
    if (k > 0 && !(claim.listed[k - 1] < claim.listed[k])) in_.fail("entries not increasing");
  }
}

void CertificateReader::norm(Claim& claim) {
  in_.expect("norm");
  claim.norm = in_.word();
  if (claim.norm == "nuclear" || claim.norm == "linf") return;
  if (claim.norm[0] != 'l' || claim.norm.find('*') != std::string::npos) in_.fail("unknown norm");
  try {
    const Number exponent = parse_rational(claim.norm.substr(1));
    if (exponent < 1 || exponent.get_num() > 64 || exponent.get_den() > 64) in_.fail("exponent out of range");
  } catch (const std::invalid_argument& error) {
    in_.fail(error.what());
  }
}

void CertificateReader::norm_optimum(Claim& claim) {
  const bool nuclear = claim.norm == "nuclear";
  const bool power = !nuclear && claim.norm != "l1" && claim.norm != "linf";
  in_.expect("value");
  rational(claim);
  rational(claim);
  if (nuclear) claim.count = count("rank-at-most");
  if (power && in_.more()) claim.numbers.push_back(value("distance"));
  in_.finish_line();
  if (nuclear) {
    matrix(claim, "left");
    matrix(claim, "right");
  } else {
    matrix(claim, "primal");
  }
  vector(claim, "multipliers");
  in_.next_line();
  claim.dual_norm = value("dual-norm");
  if (nuclear || power) {
    const std::size_t bits = count("bits");
    if (bits < 29 || bits > 4096) in_.fail("bits out of range");
  }
  in_.finish_line();
}

void CertificateReader::matrix(Claim& claim, const std::string& name) {
  in_.next_line();
  in_.expect("matrix");
  in_.expect(name);
  GivenMatrix matrix;
  matrix.rows = in_.natural();
  matrix.columns = in_.natural();
  in_.expect("over");
  const Number denominator = in_.number(parse_denominator);
  in_.finish_line();
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    in_.next_line();
    for (std::size_t column = 0; column < matrix.columns; ++column)
      matrix.entries.push_back(in_.number(parse_integer) / denominator);
    in_.finish_line();
  }
  claim.matrices.push_back(std::move(matrix));
}

void CertificateReader::rank(Claim& claim) {
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

Certificate parse_certificate(const std::string& text) {
  return CertificateReader(text).read();
}

}  // namespace reference
