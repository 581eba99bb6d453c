// Reader of certificates: problems, kinds of claims, and what several kinds are made of.
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
    while (in_.more()) {
      const std::vector<std::size_t> tokens = set(in_.word());
      problem.selection.push_back(tokens.front());
      problem.equations += tokens.size() - 1;
    }
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

// The words of every kind. What is about rows of any problem may be said of selected sets, the decoder and
// relaxed groups; a kind that cites begins with `from`.
const std::vector<CertificateReader::Kind>& CertificateReader::kinds() {
  using Reader = CertificateReader;
  static const std::vector<Kind> all = {
      {"feasible", about_any_rows, cites_nothing, &Reader::feasible},
      {"infeasible", about_any_rows, cites_nothing, &Reader::infeasible},
      {"margin-at-most", about_any_rows, cites_nothing, &Reader::margin_at_most},
      {"optimal", about_any_rows, cites_nothing, &Reader::optimal},
      {"optimal-enclosure", about_any_rows, cites_nothing, &Reader::enclosure},
      {"support", about_any_rows, cites_a_claim, &Reader::support},
      {"strictly-complementary", about_any_rows, cites_a_claim, &Reader::complementary},
      {"not-strictly-complementary", about_any_rows, cites_a_claim, &Reader::not_complementary},
      {"locally-optimal", about_a_selection, cites_a_claim, &Reader::no_more_words},
      {"not-locally-optimal", about_a_selection, cites_a_claim, &Reader::not_locally_optimal},
      {"globally-optimal", about_a_selection, cites_nothing, &Reader::no_more_words},
      {"not-globally-optimal", about_a_selection, cites_nothing, &Reader::not_globally_optimal},
      {"score-tie", about_a_selection, cites_nothing, &Reader::tie},
      {"rank", about_any_rows, cites_a_claim, &Reader::rank},
      {"joint-attention", about_any_rows, cites_a_claim, &Reader::no_more_words},
      {"label-margins", about_any_rows, cites_a_claim, &Reader::label_margins},
      {"joint-path", about_any_rows, cites_a_claim, &Reader::joint_path},
      {"joint-run", about_any_rows, cites_nothing, &Reader::joint_run},
      {"joint-forever", about_any_rows, cites_a_claim, &Reader::joint_forever},
      {"finite-part", about_any_rows, cites_nothing, &Reader::finite_part},
      {"no-finite-part", about_any_rows, cites_nothing, &Reader::no_finite_part},
      {"run-finite-part", about_any_rows, cites_nothing, &Reader::finite_part_of_run},
      {"smoothness", about_a_selection, cites_nothing, &Reader::smoothness},
      {"stationary", about_a_selection, cites_nothing, &Reader::stationary},
      {"run", about_a_selection, cites_a_claim, &Reader::run},
      {"path-inequality", about_a_selection, cites_nothing, &Reader::path},
      {"forever-from-point", about_a_selection, cites_a_claim, &Reader::forever},
      {"forever-from-run", about_a_selection, cites_a_claim, &Reader::forever},
      {"regularisation-path", about_a_selection, cites_a_claim, &Reader::path_for_every_radius},
      {"path-residual", about_a_selection, cites_a_claim, &Reader::path_residual},
      {"conflicts", about_a_selection, cites_nothing, &Reader::conflicts},
      {"separable-without", about_a_selection, cites_nothing, &Reader::separable_without},
      {"robust-radius", about_a_selection, cites_a_claim, &Reader::robust_radius},
      {"norm-optimum", about_a_selection, cites_nothing, &Reader::norm_optimum},
      {"norm-support-within", about_a_selection, cites_a_claim, &Reader::support},
      {"norm-locally-optimal", about_a_selection, cites_a_claim, &Reader::no_more_words},
      {"norm-path", about_a_selection, cites_a_claim, &Reader::path_for_every_radius},
      {"norm-near-rank", about_a_selection, cites_a_claim, &Reader::norm_near_rank},
      {"norm-face", about_a_selection, cites_a_claim, &Reader::norm_face},
      {"norm-solution", about_a_selection, cites_nothing, &Reader::norm_solution},
      {"mirror-run", about_a_selection, cites_nothing, &Reader::mirror_run},
      {"mirror-forever", about_a_selection, cites_nothing, &Reader::mirror_forever},
      {"token-ray", about_a_selection, cites_nothing, &Reader::token_ray},
      {"token-run", about_a_selection, cites_nothing, &Reader::token_run},
      {"token-forever", about_a_selection, cites_a_claim, &Reader::token_forever},
      {"token-shift", about_a_selection, cites_a_claim, &Reader::token_shift},
      {"factored-run", about_a_selection, cites_nothing, &Reader::factored_run},
      {"factored-forever", about_a_selection, cites_nothing, &Reader::factored_forever}};
  return all;
}

void CertificateReader::claim() {
  if (in_.natural() != out_.claims.size() + 1) in_.fail("claim out of sequence");
  Claim claim;
  claim.kind = in_.word();
  const auto kind = std::find_if(kinds().begin(), kinds().end(),
                                 [&](const Kind& known) { return known.name == claim.kind; });
  if (kind == kinds().end()) in_.fail("unknown word " + claim.kind);
  in_.expect("problem");
  claim.problem = in_.natural();
  if (claim.problem == 0 || claim.problem > out_.problems.size())
    in_.fail("cites a problem that is not earlier");
  if (!out_.problems[claim.problem - 1].plain && kind->rows == about_a_selection)
    in_.fail("a kind that is about a selection only");
  if (claim.kind.starts_with("norm-") || claim.kind.starts_with("mirror-")) norm(claim);
  if (kind->cites == cites_a_claim) from(claim);
  (this->*kind->words)(claim);
  out_.claims.push_back(std::move(claim));
}

void CertificateReader::no_more_words(Claim& /*claim*/) {
  in_.finish_line();
}

void CertificateReader::from(Claim& claim) {
  in_.expect("from");
  claim.from = in_.natural();
  if (claim.from == 0 || claim.from > out_.claims.size()) in_.fail("cites a claim that is not earlier");
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

void CertificateReader::vector(Claim& claim, const std::string& name) {
  in_.next_line();
  in_.expect("vector");
  rest_of_vector(claim, name);
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

void CertificateReader::listed(Claim& claim, std::size_t count) {
  in_.finish_line();
  for (std::size_t k = 0; k < count; ++k) {
    in_.next_line();
    claim.listed.push_back(pair());
    in_.finish_line();
    if (k > 0 && !(claim.listed[k - 1] < claim.listed[k])) in_.fail("entries not increasing");
  }
}

Number CertificateReader::value(const std::string& name) {
  in_.expect(name);
  return in_.number(parse_rational);
}

std::size_t CertificateReader::count(const std::string& name) {
  in_.expect(name);
  return in_.natural();
}

std::size_t CertificateReader::count_line(const std::string& name) {
  in_.next_line();
  const std::size_t result = count(name);
  in_.finish_line();
  return result;
}

Band CertificateReader::band(const std::string& name) {
  const Number lo = value(name);
  return {lo, in_.number(parse_rational)};
}

Certificate parse_certificate(const std::string& text) {
  return CertificateReader(text).read();
}

}  // namespace reference
