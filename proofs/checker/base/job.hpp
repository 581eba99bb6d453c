// The processes that check one certificate together. Each does what one by itself would do, but of a long
// loop over groups or numbers only its share, after which all tell each other what they found: lists one
// behind the other, sums added, or that there was nothing to refuse. A process by itself is a job of one.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "proofs/checker/base/exact.hpp"
#include "proofs/checker/base/failure.hpp"

namespace attest_check {

class Job {
 public:
  virtual ~Job() = default;
  virtual std::size_t rank() const { return 0; }  // 0, 1, ..., size - 1
  virtual std::size_t size() const { return 1; }
  // What all processes say here, by rank; waits for them. Each comes to the same calls in the same order.
  virtual std::vector<std::string> gather(std::string own) { return {std::move(own)}; }
};

class ReadTexts;  // one_text.hpp

// From its construction to its end `job` is that of the thread that made it, and this holds what its process
// knows of the others. Jobs of a thread nest.
class JobOfThread {
 public:
  explicit JobOfThread(Job& job);
  ~JobOfThread();
  JobOfThread(const JobOfThread&) = delete;
  JobOfThread& operator=(const JobOfThread&) = delete;

  // The thread's, or null: its process works by itself.
  static JobOfThread* current();
  Job& job() const { return job_; }
  ReadTexts& texts() const { return *texts_; }
  // All processes know of a failure.
  bool ended() const { return ended_; }
  void end() { ended_ = true; }

 private:
  Job& job_;
  std::unique_ptr<ReadTexts> texts_;
  bool ended_ = false;
  JobOfThread* const outer_;
};

// The thread's job: one of one, unless a JobOfThread lives.
const Job& job();

// This process's share of `count` things, which are shared in their order.
struct Share {
  std::size_t begin = 0, end = 0;
};
Share share_of(std::size_t count);

// What all processes say here. Throws the Failure of the first one that ended with one.
std::vector<std::string> exchange(std::string own);
// This process ends with a Failure: what all end with, now or at their next exchange.
Failure agree_on(const Failure& own);
// Nobody found anything to refuse up to here.
inline void agree() {
  exchange({});
}

// Everybody's lists, one behind the other.
template <class Value>
std::vector<Value> gathered(std::vector<Value> own) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (job().size() == 1) return own;
  std::vector<Value> all;
  for (const std::string& text :
       exchange(std::string(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(Value)))) {
    if (text.size() % sizeof(Value) != 0) throw Failure(Exit::internal, "the processes of the job disagree");
    const std::size_t known = all.size();
    all.resize(known + text.size() / sizeof(Value));
    if (!text.empty()) std::memcpy(static_cast<void*>(&all[known]), text.data(), text.size());
  }
  return all;
}

// The sum of everybody's numbers.
Integer sum_of_all(const Integer& own);

}  // namespace attest_check
