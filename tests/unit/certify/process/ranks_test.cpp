// How many cores a process of a job takes.
#include "certify/process/ranks.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace attest;

namespace {

struct Variable {
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("a process of a job takes its share of the machine's cores, and none that it may not use") {
  CHECK(cores_of_rank(6, 8) == 6);  // by itself
  const Variable rank("OMPI_COMM_WORLD_RANK", "1"), size("OMPI_COMM_WORLD_SIZE", "12");
  CHECK(cores_of_rank(8, 8) == 8);  // nothing says how many are on this machine
  {
    const Variable here("OMPI_COMM_WORLD_LOCAL_SIZE", "3");
    CHECK(cores_of_rank(8, 8) == 2);
    CHECK(cores_of_rank(1, 8) == 1);  // bound to a core
    CHECK(cores_of_rank(2, 2) == 1);  // more processes than cores
  }
  const Variable here("SLURM_TASKS_PER_NODE", "4(x3)");
  CHECK(cores_of_rank(16, 16) == 4);
}
