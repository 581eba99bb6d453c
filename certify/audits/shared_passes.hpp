// The passes over one large instance, shared by the processes of a job: each looks at its part of the
// sequences, which is all that it reads. The first process conducts and does everything else, and only its
// limits of time count.
#pragma once

#include <memory>
#include <string>

#include "certify/process/ranks.hpp"
#include "numerics/margin/scan.hpp"

namespace attest {

// The first process's side.
class SharedPasses {
 public:
  explicit SharedPasses(Ranks& ranks) : ranks_(ranks) {}
  SharedPasses(const SharedPasses&) = delete;
  SharedPasses& operator=(const SharedPasses&) = delete;
  // Tells the others that there is nothing more to do.
  ~SharedPasses();

  // Passes over the problem of the whole instance. Keeps references.
  std::unique_ptr<MarginScan> over(const TokenData& data, const Selection& selection);

 private:
  Ranks& ranks_;
};

// The others' side: answers what the first process asks about the instance at `path` until it asks no more.
// Reads nothing unless it is asked. `memory_limit` as for read_input().
void serve_passes(const std::string& path, std::size_t memory_limit, Ranks& ranks);

}  // namespace attest
