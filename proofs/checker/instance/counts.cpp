// How often each token stands in its sequence: see counts.hpp.
#include "proofs/checker/instance/counts.hpp"

#include "proofs/checker/base/failure.hpp"

namespace attest_check {

NumberArray token_counts(const Array& counts, const Array& X, const Instance& instance,
                         const std::string& path) {
  const bool table = counts.shape.size() == 2 && X.shape.size() == 3 && !X.ragged() &&
                     counts.shape[0] == X.shape[0] && counts.shape[1] == X.shape[1];
  if (!table && (counts.shape.size() != 1 || counts.shape[0] != instance.first_row.back()))
    malformed(path + ": key counts: its shape does not fit the sequences");
  NumberWriter result;
  bool all_one = true;
  for (std::size_t i = 0; i < instance.groups(); ++i) {
    const std::size_t first = table ? i * counts.shape[1] : instance.first_row[i];
    for (std::size_t k = first; k < first + instance.tokens(i); ++k) {
      const long value = counts.numbers.integer(k).value_or(0);
      if (value < 1 || value > max_count)
        malformed(path + ": key counts: entry " + std::to_string(k) + " is not an integer from 1 to " +
                  std::to_string(max_count));
      result.push(value, 0);
      all_one = all_one && value == 1;
    }
  }
  return all_one ? NumberArray() : result.numbers();
}

}  // namespace attest_check
