// A strict reader of instance files in JSON (RFC 8259): one object whose values are numbers, strings, or
// nested lists of them, at most three deep.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "proofs/checker/instance/array.hpp"

namespace attest_check {

// Every key with its array. Duplicate keys, text that is not UTF-8, lists of uneven depth or row width, other
// kinds of values and anything after the object are malformed; messages name `path`, the key and the byte
// offset.
std::map<std::string, Array> read_json(std::string_view text, const std::string& path);

}  // namespace attest_check
