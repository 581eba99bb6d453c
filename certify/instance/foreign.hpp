// Files that people have and that are not instances: what they are, and the line of Python that converts
// them.
#pragma once

#include <string>

namespace attest {

// Told by the file's first bytes, else by its extension unless the content is of a format that is read: one
// clause with the command, as "is a PyTorch file; convert it: python3 -c ...". Empty for everything else, and
// for what cannot be opened.
std::string how_to_convert(const std::string& path);

// One line for each group of extensions, for `attest --help`.
std::string conversions();

}  // namespace attest
