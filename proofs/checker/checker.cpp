// The whole check: see checker.hpp.
#include "proofs/checker/checker.hpp"

#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/base/one_text.hpp"
#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/text/reader.hpp"
#include "proofs/checker/text/stated_problem.hpp"

namespace attest_check {
namespace {

void read_header(CertificateText& text, const Instance& instance) {
  Line first = text.next();
  first.expect("attest-certificate");
  if (first.index() != 1) first.bad("unsupported version");
  first.finish();
  Line producer = text.next();
  producer.expect("producer");
  producer.word();
  producer.word();
  producer.finish();
  Line hash = text.next();
  hash.expect("instance");
  hash.expect("sha256");
  const std::string stated = hash.word();
  hash.finish();
  if (stated.size() != 64 || stated.find_first_not_of("0123456789abcdef") != std::string::npos) {
    hash.bad("64 lower-case hexadecimal digits expected");
  }
  const std::string actual = canonical_sha256(instance);
  if (stated != actual) {
    throw Failure(Exit::mismatch,
                  "the certificate is for another instance: it names " + stated + ", this one is " + actual);
  }
}

void read_claim(Line& line, CertificateText& text, Certificate& read) {
  const std::size_t number = read.claims.size() + 1;
  if (line.index() != number) line.bad("claims are numbered 1, 2, 3, …");
  const std::string kind = line.word();
  const ClaimKind* const known = find_claim_kind(kind);
  if (known == nullptr) line.bad("unknown claim kind " + kind);
  line.expect("problem");
  const std::size_t cited = line.index();
  if (cited == 0 || cited > read.problems.size()) {
    line.bad("problem " + std::to_string(cited) + " is not an earlier problem");
  }
  const Problem& problem = read.problems[cited - 1];
  if (!problem.plain() && !known->any_rows)
    line.bad("claims of kind " + kind + " are about a selection with all rows >= 1");
  const std::size_t begin = line.number();
  Reader in(text, line, read, problem);
  auto evidence = known->read(in);
  read.claims.push_back({{number, kind, problem, begin}, std::move(evidence)});
}

// The printed line: the claim, and the problem it is about.
std::string printed(const Claim& claim, const ClaimEvidence& evidence) {
  const Problem& problem = claim.problem;
  Statement say;
  say("claim", claim.number, claim.kind, "problem", problem.number);
  evidence.describe(claim, say);
  describe_problem(problem, say);
  return say.text().substr(1);
}

}  // namespace

Verdict check(const std::string& instance_path, const std::string& certificate_path,
              const std::vector<std::string>& required, Progress* progress) {
  for (const std::string& kind : required) {
    if (find_claim_kind(kind) == nullptr) malformed("--require: unknown claim kind " + kind);
  }
  CertificateText text(certificate_path);
  memory_is_for("reading the instance");
  const Instance instance = read_instance(instance_path);
  return check(*read_certificate(instance, text), required, progress);
}

std::unique_ptr<const Certificate> read_certificate(const Instance& instance, CertificateText& text) {
  read_header(text, instance);
  auto read = std::make_unique<Certificate>(instance);
  memory_is_for("reading the certificate");
  for (;;) {
    Line line = text.next();
    if (line.accept("problem")) {
      read->problems.push_back(read_problem(line, text, *read));
    } else if (line.accept("claim")) {
      read_claim(line, text, *read);
    } else {
      line.expect("end");
      line.expect("problems");
      const bool problems = line.index() == read->problems.size();
      line.expect("claims");
      const bool claims = line.index() == read->claims.size();
      line.expect("lines");
      const bool lines = line.index() == text.lines();
      line.finish();
      if (!problems || !claims || !lines) line.bad("wrong totals");
      break;
    }
  }
  text.finish();
  if (read->claims.empty()) malformed("the certificate has no claims");
  return read;
}

Verdict check(const Certificate& certificate, const std::vector<std::string>& required, Progress* progress) {
  Facts facts;
  Verdict verdict;
  verdict.vacuous = true;
  for (const StatedClaim& stated : certificate.claims) {
    const Claim claim(stated, facts, progress);
    memory_is_for(claim.name());
    try {
      facts.push_back(stated.evidence->check(claim));
    } catch (const Imprecise&) {
      claim.fail("a number is not bounded away from 0");
    }
    facts.back()->claim = &stated;
    verdict.vacuous = verdict.vacuous && claim.problem.constraint_count() == 0;
    verdict.claims.push_back(
        {stated.number, stated.kind, claim.problem.number, printed(claim, *stated.evidence)});
    agree();
  }
  for (const std::string& kind : required) {
    if (std::none_of(verdict.claims.begin(), verdict.claims.end(),
                     [&](const auto& c) { return c.kind == kind; })) {
      rejected("no claim of the required kind " + kind + " was verified");
    }
  }
  require_one_text();
  return verdict;
}

}  // namespace attest_check
