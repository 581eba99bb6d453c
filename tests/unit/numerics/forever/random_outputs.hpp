// Heads of several outputs for random data.
#pragma once

#include <random>

#include "numerics/problem/selection_problem.hpp"

namespace attest_test {

// Three classes besides y, or three units of which one has no effect; some token of each group is better than
// the others.
inline attest::OutputTable random_outputs(const attest::TokenData& data, unsigned seed, attest::Loss loss) {
  std::mt19937_64 random(seed + 77);
  attest::OutputTable table;
  table.head = loss == attest::Loss::classifier ? attest::OutputHead::classifier : attest::OutputHead::relu;
  table.width = 3;
  for (std::size_t i = 0; i < data.groups(); ++i) {
    const std::size_t best = random() % data.tokens(i);
    const int sign = random() % 2 == 0 ? 1 : -1;
    if (!table.classifier()) table.sense.insert(table.sense.end(), {sign, 0, -sign});
    for (std::size_t t = 0; t < data.tokens(i); ++t) {
      for (std::size_t u = 0; u < table.width; ++u) {
        const attest::Rational drawn(static_cast<int>(random() % 33) - 16, 16);
        table.values.push_back(!table.classifier() && u == 1 ? attest::Rational(0)
                                                             : drawn - (t == best ? 2 : 0));
      }
    }
  }
  return table;
}

}  // namespace attest_test
