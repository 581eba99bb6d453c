// The whole check: see checker.hpp.
#include "proofs/checker/checker.hpp"

#include <algorithm>

#include "proofs/checker/base/memory.hpp"
#include "proofs/checker/instance/instance.hpp"
#include "proofs/checker/text/context.hpp"

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

Problem read_problem(Line& first, CertificateText& text, const Features& features, std::size_t number) {
  Problem problem;
  problem.number = number;
  problem.features = &features;
  const auto reject = [&](const Line& line, const std::string& why) {
    rejected("problem " + std::to_string(number) + ", line " + std::to_string(line.number()) + ": " + why);
  };
  if (first.index() != number) first.bad("problems are numbered 1, 2, 3, …");
  first.finish();
  Line setting = text.next();
  setting.expect("setting");
  const std::string stated = setting.word();
  setting.finish();
  if (stated != "prompt" && stated != "cross-attention" && stated != "self-attention")
    setting.bad("unknown setting " + stated);
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
  Line selection = text.next();
  selection.expect("selection");
  const std::size_t count = selection.index();
  while (!selection.at_end()) problem.selection.push_back(selection.index());
  if (problem.selection.size() != count) selection.bad("the count is not the number of indices");
  if (stated != name(features.instance().setting))
    reject(setting, "the instance's setting is " + std::string(name(features.instance().setting)));
  if (count != features.groups())
    reject(selection, "the instance has " + std::to_string(features.groups()) + " groups");
  for (std::size_t i = 0; i < count; ++i) {
    if (problem.selection[i] >= features.tokens_of(i)) {
      reject(selection,
             "group " + std::to_string(i) + " has no token " + std::to_string(problem.selection[i]));
    }
  }
  return problem;
}

// A claim that has been read and waits to be checked.
struct PendingClaim {
  Claim claim;
  Check check;
};

void read_claim(Line& line, CertificateText& text, Context& context, std::deque<PendingClaim>& pending) {
  const std::size_t number = pending.size() + 1;
  if (line.index() != number) line.bad("claims are numbered 1, 2, 3, …");
  const std::string kind = line.word();
  const ClaimReader reader = find_claim_kind(kind);
  if (reader == nullptr) line.bad("unknown claim kind " + kind);
  line.expect("problem");
  const std::size_t cited = line.index();
  if (cited == 0 || cited > context.problems.size()) {
    line.bad("problem " + std::to_string(cited) + " is not an earlier problem");
  }
  PendingClaim& read = pending.emplace_back(
      PendingClaim{Claim(number, kind, context.problems[cited - 1], line.number(), context), {}});
  read.check = reader(read.claim, line, text);
}

void check_claim(PendingClaim& pending, Context& context) {
  memory_is_for("claim " + std::to_string(pending.claim.number) + " (" + pending.claim.kind + ")");
  std::unique_ptr<Fact> fact = pending.check();
  pending.check = nullptr;  // releases what evidence the fact has not taken over
  fact->kind = pending.claim.kind;
  fact->claim = pending.claim.number;
  fact->problem = &pending.claim.problem;
  context.facts.push_back(std::move(fact));
}

// The printed line: the claim, and the problem it is about.
std::string printed(const Fact& fact) {
  const Problem& problem = *fact.problem;
  Statement about;
  about.says("setting", name(problem.features->instance().setting), "norm euclidean loss",
             loss_names[static_cast<std::size_t>(problem.loss)]);
  about.says("selection");
  for (const std::size_t token : problem.selection) about.says(token);
  return "claim " + std::to_string(fact.claim) + ' ' + fact.kind + " problem " +
         std::to_string(problem.number) + fact.statement.text() + about.text();
}

}  // namespace

Verdict check(const std::string& instance_path, const std::string& certificate_path,
              const std::vector<std::string>& required) {
  for (const std::string& kind : required) {
    if (find_claim_kind(kind) == nullptr) malformed("--require: unknown claim kind " + kind);
  }
  CertificateText text(certificate_path);
  memory_is_for("reading the instance");
  return check(read_instance(instance_path), text, required);
}

Verdict check(const Instance& instance, CertificateText& text, const std::vector<std::string>& required) {
  read_header(text, instance);
  const Features features(instance);
  memory_is_for("reading the certificate");
  Context context;
  std::deque<PendingClaim> pending;
  for (;;) {
    Line line = text.next();
    if (line.accept("problem")) {
      context.problems.push_back(read_problem(line, text, features, context.problems.size() + 1));
    } else if (line.accept("claim")) {
      read_claim(line, text, context, pending);
    } else {
      line.expect("end");
      line.expect("problems");
      const bool problems = line.index() == context.problems.size();
      line.expect("claims");
      const bool claims = line.index() == pending.size();
      line.expect("lines");
      const bool lines = line.index() == text.lines();
      line.finish();
      if (!problems || !claims || !lines) line.bad("wrong totals");
      break;
    }
  }
  text.finish();
  if (pending.empty()) malformed("the certificate has no claims");
  for (PendingClaim& claim : pending) check_claim(claim, context);
  Verdict verdict;
  verdict.vacuous = true;
  for (const auto& fact : context.facts) {
    verdict.vacuous = verdict.vacuous && fact->problem->constraint_count() == 0;
    verdict.claims.push_back({fact->claim, fact->kind, fact->problem->number, printed(*fact)});
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
