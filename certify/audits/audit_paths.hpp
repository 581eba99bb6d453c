// Which instances an audit looks at, and the names of their certificates.
#pragma once

#include <string>
#include <vector>

#include "certify/process/input_error.hpp"

namespace attest {

// The paths in the order given; a folder that is no instance itself (it holds no .npy file) stands for the
// instances in it, sorted by name: files that end in an instance's suffix, and folders of .npy files. An
// error where a folder cannot be read or holds none. A path that does not exist stands for itself: reading it
// says so.
Result<std::vector<std::string>> instance_paths(const std::vector<std::string>& paths);

// Numbers of the instances by process, so that files of some size are spread evenly: each goes, the largest
// first, to the process that has least; within a process they are increasing. Everyone who sees the same
// files finds the same.
std::vector<std::vector<std::size_t>> shared_out(const std::vector<std::string>& instances,
                                                 std::size_t processes);

// A name for each certificate in one folder: that of the instance with ".cert", numbered where two are the
// same.
std::vector<std::string> certificate_names(const std::vector<std::string>& instances);

}  // namespace attest
