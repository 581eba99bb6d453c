// Memory as the system counts it; see process_memory.hpp.
#include "numerics/numbers/process_memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace attest {

// No allocation here: this is asked when memory is short.
std::size_t process_memory() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = "";
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  unsigned long total = 0, resident = 0, shared = 0;
  if (size <= 0 || std::sscanf(text, "%lu %lu %lu", &total, &resident, &shared) != 3 || shared > resident)
    return 0;
  return (resident - shared) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::size_t process_memory_limit() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  return limit.rlim_cur;
}

}  // namespace attest
