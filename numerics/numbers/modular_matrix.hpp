// Dense linear algebra modulo a word-size prime: the seed of p-adic lifting and the independence test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "numerics/numbers/budget.hpp"
#include "numerics/numbers/rational.hpp"

namespace attest {

// The index-th prime of a fixed descending sequence below 2^60 (index < 64). All residues are below 2^60, so
// that 256 products of two residues fit an unsigned 128-bit accumulator.
std::uint64_t word_prime(std::size_t index);

// 1/value modulo prime, 0 < value < prime < 2^60, by Euclid's algorithm.
std::uint64_t inverse_of(std::uint64_t value, std::uint64_t prime);

// Residues in [0, prime) of `values`.
std::vector<std::uint64_t> residues(std::span<const Integer> values, std::uint64_t prime);

// Inverse of the k x k row-major matrix modulo prime, or nothing when it is singular modulo prime. O(k^3).
std::optional<std::vector<std::uint64_t>> inverse_modulo(std::vector<std::uint64_t> matrix, std::size_t k,
                                                         std::uint64_t prime, const Budget& budget);

// Given the k x k Gram matrix (row-major residues) of k integer vectors: positions, increasing, of a subset
// of vectors that are linearly independent over Q, greedily from the front. Maximal unless the prime divides
// one of the minors met (a vector is then left out although it is independent); the subset returned is always
// independent.
std::vector<std::size_t> independent_positions(std::vector<std::uint64_t> gram, std::size_t k,
                                               std::uint64_t prime, const Budget& budget);

}  // namespace attest
