// The processes that check one certificate together: see job.hpp.
#include "proofs/checker/base/job.hpp"

namespace attest_check {
namespace {

constinit thread_local Job* current = nullptr;
constinit thread_local bool ended = false;  // all processes know of a failure

// The first letter of what a process says; a failure's second one is its status.
constexpr char going_on = '+', failed = '-';

void require_nobody_failed(const std::vector<std::string>& all) {
  for (const std::string& text : all) {
    if (text.empty() || (text[0] == failed && text.size() == 1))
      throw Failure(Exit::internal, "the processes of the job disagree");
    if (text[0] != failed) continue;
    ended = true;
    throw Failure(static_cast<Exit>(text[1] - '0'), text.substr(2));
  }
}

}  // namespace

Job& job() {
  static Job alone;
  return current == nullptr ? alone : *current;
}

JobOfThread::JobOfThread(Job& job) {
  current = &job;
  ended = false;
}

JobOfThread::~JobOfThread() {
  current = nullptr;
}

Share share_of(std::size_t count) {
  const auto bound = [&](std::size_t rank) {
    return count / job().size() * rank + count % job().size() * rank / job().size();
  };
  return {bound(job().rank()), bound(job().rank() + 1)};
}

std::vector<std::string> exchange(std::string own) {
  if (job().size() == 1) return {std::move(own)};
  std::vector<std::string> all = job().gather(going_on + std::move(own));
  require_nobody_failed(all);
  for (std::string& text : all) text.erase(0, 1);
  return all;
}

Failure agree_on(const Failure& own) {
  if (ended) return own;
  try {
    const auto status = static_cast<char>('0' + static_cast<int>(own.status()));
    require_nobody_failed(job().gather(std::string{failed, status} + own.what()));
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
