// The processes that check one certificate together: see job.hpp.
#include "proofs/checker/base/job.hpp"

#include "proofs/checker/base/one_text.hpp"

namespace attest_check {
namespace {

constinit thread_local JobOfThread* innermost = nullptr;

// The first letter of what a process says; a failure's second one is its status.
constexpr char going_on = '+', failed = '-';

// What all processes say here. Throws the Failure of the first one that tells one.
std::vector<std::string> told_by_all(JobOfThread& several, std::string own) {
  std::vector<std::string> all = several.job().gather(std::move(own));
  for (const std::string& text : all) {
    if (text.empty() || (text[0] == failed && text.size() == 1))
      throw Failure(Exit::internal, "the processes of the job disagree");
    if (text[0] != failed) continue;
    several.end();
    throw Failure(static_cast<Exit>(text[1] - '0'), text.substr(2));
  }
  return all;
}

}  // namespace

const Job& job() {
  static const Job alone;
  return innermost == nullptr ? alone : innermost->job();
}

JobOfThread::JobOfThread(Job& job) : job_(job), texts_(std::make_unique<ReadTexts>()), outer_(innermost) {
  innermost = this;
}

JobOfThread::~JobOfThread() {
  innermost = outer_;
}

JobOfThread* JobOfThread::current() {
  return innermost;
}

Share share_of(std::size_t count) {
  const auto bound = [&](std::size_t rank) {
    return count / job().size() * rank + count % job().size() * rank / job().size();
  };
  return {bound(job().rank()), bound(job().rank() + 1)};
}

std::vector<std::string> exchange(std::string own) {
  if (job().size() == 1) return {std::move(own)};
  std::vector<std::string> all = told_by_all(*innermost, going_on + std::move(own));
  for (std::string& text : all) text.erase(0, 1);
  return all;
}

Failure agree_on(const Failure& own) {
  if (innermost == nullptr || innermost->ended()) return own;
  try {
    const auto status = static_cast<char>('0' + static_cast<int>(own.status()));
    told_by_all(*innermost, std::string{failed, status} + own.what());
  } catch (const Failure& common) {
    return common;
  }
  return own;
}

Integer sum_of_all(const Integer& own) {
  if (job().size() == 1) return own;
  Integer sum;
  for (const std::string& text : exchange(own.get_str(16))) sum += Integer(text, 16);
  return sum;
}

}  // namespace attest_check
