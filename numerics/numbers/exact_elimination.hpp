// Rank and kernel of small matrices by elimination: over the rationals, and modulo primes of 31 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

using RationalRows = std::vector<std::vector<Rational>>;
using ShortResidues = std::vector<std::vector<std::uint64_t>>;  // row by row

// The largest primes below 2^31.
inline constexpr std::uint64_t short_primes[] = {2147483647, 2147483629, 2147483587,
                                                 2147483579, 2147483563, 2147483549};

// The rank of a matrix of residues modulo such a prime. Throws BudgetReached.
std::size_t rank_modulo(ShortResidues rows, std::uint64_t prime, const Budget& budget);

// What FLINT's elimination of a matrix of integers of so many bits takes at most; it cannot be interrupted.
double predicted_elimination_seconds(std::size_t rows, std::size_t columns, std::size_t bits);

// The rank of a rational matrix, row by row. Throws BudgetReached, before it begins where it would not end in
// time.
std::size_t exact_rank(const RationalRows& rows, const Budget& budget);

// A basis of the vectors x with <row, x> = 0 for all rows, of which there is one at least. Throws as it does.
std::vector<std::vector<Integer>> exact_kernel(const RationalRows& rows, const Budget& budget);

// A prime below 2^31 modulo which the columns of these rows are independent, and so they are. Nothing where
// none of a few primes shows it.
std::optional<std::uint64_t> independence_modulus(const std::vector<std::vector<Integer>>& rows,
                                                  const Budget& budget);

}  // namespace attest
