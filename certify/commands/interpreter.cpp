#include "certify/commands/interpreter.hpp"

namespace attest {

const char* const python_interpreter = ATTEST_PYTHON;

}  // namespace attest
