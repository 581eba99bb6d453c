// What is wrong with an input file, and where: the value every reader returns instead of throwing through its
// border.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace attest {

struct InputError {
  enum class Kind {
    malformed,  // the input is wrong: exit 2
    resource,   // the input cannot be held: exit 5
  };
  Kind kind = Kind::malformed;
  std::string file;
  std::string key;      // "X", "Y", ...; empty when the whole file is meant
  std::string index;    // "[3,1,2]" within the key; empty when the whole key is meant
  std::string message;  // one clause, no final stop

  // One line: "FILE: key X, index [3,1,2]: message".
  std::string text() const {
    std::string line = file;
    if (!key.empty()) line += (line.empty() ? "key " : ": key ") + key;
    if (!index.empty()) line += ", index " + index;
    return line.empty() ? message : line + ": " + message;
  }
};

// Carries an InputError inside the reading code only; read_instance() turns it into a value.
struct InputFailure {
  InputError error;
};

[[noreturn]] inline void fail_input(std::string message, std::string key = {}, std::string index = {}) {
  throw InputFailure{{InputError::Kind::malformed, {}, std::move(key), std::move(index), std::move(message)}};
}

[[noreturn]] inline void fail_resource(std::string message, std::string key = {}) {
  throw InputFailure{{InputError::Kind::resource, {}, std::move(key), {}, std::move(message)}};
}

template <class T>
using Result = std::variant<T, InputError>;

}  // namespace attest
