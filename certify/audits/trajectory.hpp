// A recorded training run: the weights of a layer at some of its steps, in floating point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certify/process/input_error.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/optimizer.hpp"

namespace attest {

struct Trajectory {
  std::string path;                  // empty: in memory
  std::vector<std::uint64_t> steps;  // increasing
  std::size_t rows = 0, columns = 0;
  std::vector<double>
      weights;  // steps x rows x columns, each exactly the recorded number; NaN and infinities stay
  // What is said of the run that was recorded: optimizer, step, schedule, momentum, loss, where they are
  // there.
  std::map<std::string, std::string> stated;

  // Is every entry of the k-th matrix a number?
  bool finite(std::size_t k) const;
  // The k-th matrix; it must be finite.
  ExactArray matrix(std::size_t k) const;
};

// The trajectory in an .npz file with the keys t (m) and W (m x d x e), and, where they are given, the texts
// of `stated`. Errors name file, key and index.
Result<Trajectory> read_trajectory(const std::string& path, std::size_t memory_limit);

// Whether `trajectory` is one of d x e matrices whose steps increase; a vector stands for d x 1.
std::optional<InputError> wrong_shape(const Trajectory& trajectory, std::size_t d, std::size_t e);

// What the trajectory states of its run and the specification contradicts, or that it starts elsewhere: then
// the two are not the same iteration and are not compared. `start` is W_0, empty for zero.
std::optional<InputError> contradiction(const Trajectory& trajectory, const OptimizerSpec& spec,
                                        const ExactArray& start);

}  // namespace attest
