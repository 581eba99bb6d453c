// The whole check: see checker.hpp.
#include "proofs/checker/checker.hpp"

#include <algorithm>

#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/text/reader.hpp"
#include "proofs/checker/text/setting.hpp"

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

Problem read_problem(Line& first, CertificateText& text, Certificate& certificate) {
  const std::size_t number = certificate.problems.size() + 1;
  Problem problem;
  problem.number = number;
  const auto reject = [&](const Line& line, const std::string& why) {
    rejected("problem " + std::to_string(number) + ", line " + std::to_string(line.number()) + ": " + why);
  };
  if (first.index() != number) first.bad("problems are numbered 1, 2, 3, …");
  first.finish();
  Line setting = text.next();
  const StatedSetting stated(setting);
  Line norm = text.next();
  norm.expect("norm");
  norm.expect("euclidean");
  norm.finish();
  Line loss = text.next();
  loss.expect("loss");
  const std::string name_of_loss = loss.word();
  loss.finish();
  const auto* found = std::find(std::begin(loss_names), std::end(loss_names), name_of_loss);
  if (found == std::end(loss_names)) loss.bad("unknown loss " + name_of_loss);
  problem.loss = static_cast<Loss>(found - std::begin(loss_names));
  if (stated.stage && problem.loss != Loss::none) loss.bad("next-token problems have loss none");
  const bool cross_entropy = certificate.features.instance().cross_entropy();
  if (problem.loss != Loss::none && certificate.features.instance().outputs)
    reject(loss, "the instance's head has several outputs, of which the only loss is none");
  if (problem.loss != Loss::none && (problem.loss == Loss::cross_entropy) != cross_entropy)
    reject(loss, "the instance's head is " + std::string(cross_entropy ? "cross-entropy" : "scalar"));
  Line selection = text.next();
  selection.expect("selection");
  const std::size_t count = selection.index();
  while (!selection.at_end()) problem.selection.push_back(selection.index());
  if (problem.selection.size() != count) selection.bad("the count is not the number of indices");
  if (stated.setting != certificate.features.instance().setting)
    reject(setting,
           "the instance's setting is " + std::string(name(certificate.features.instance().setting)));
  const Features& features = certificate.features_of(stated.stage);
  problem.features = &features;
  if (count != features.groups())
    reject(selection, "the instance has " + std::to_string(features.groups()) + " groups");
  for (std::size_t i = 0; i < count; ++i) {
    const std::string token = std::to_string(problem.selection[i]), group = "group " + std::to_string(i);
    if (problem.selection[i] >= features.tokens_of(i)) reject(selection, group + " has no token " + token);
    if (!features.present(i, problem.selection[i]))
      reject(selection, group + ": token " + token + " equals an earlier one, which stands for both");
  }
  return problem;
}

void read_claim(Line& line, CertificateText& text, Certificate& read) {
  const std::size_t number = read.claims.size() + 1;
  if (line.index() != number) line.bad("claims are numbered 1, 2, 3, …");
  const std::string kind = line.word();
  const ClaimReader reader = find_claim_kind(kind);
  if (reader == nullptr) line.bad("unknown claim kind " + kind);
  line.expect("problem");
  const std::size_t cited = line.index();
  if (cited == 0 || cited > read.problems.size()) {
    line.bad("problem " + std::to_string(cited) + " is not an earlier problem");
  }
  const Problem& problem = read.problems[cited - 1];
  const std::size_t begin = line.number();
  Reader in(text, line, read, problem);
  auto evidence = reader(in);
  read.claims.push_back({{number, kind, problem, begin}, std::move(evidence)});
}

// The printed line: the claim, and the problem it is about.
std::string printed(const Claim& claim, const ClaimEvidence& evidence) {
  const Problem& problem = claim.problem;
  Statement say;
  say("claim", claim.number, claim.kind, "problem", problem.number);
  evidence.describe(claim, say);
  say("setting", setting_words(problem.features->instance()), "norm euclidean loss",
      loss_names[static_cast<std::size_t>(problem.loss)]);
  say("selection");
  for (const std::size_t token : problem.selection) say(token);
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
    facts.push_back(stated.evidence->check(claim));
    facts.back()->claim = &stated;
    verdict.vacuous = verdict.vacuous && claim.problem.constraint_count() == 0;
    verdict.claims.push_back(
        {stated.number, stated.kind, claim.problem.number, printed(claim, *stated.evidence)});
  }
  for (const std::string& kind : required) {
    if (std::none_of(verdict.claims.begin(), verdict.claims.end(),
                     [&](const auto& c) { return c.kind == kind; })) {
      rejected("no claim of the required kind " + kind + " was verified");
    }
  }
  return verdict;
}

}  // namespace attest_check
