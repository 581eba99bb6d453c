// The Python that the package is built for.
#pragma once

namespace attest {

extern const char* const python_interpreter;  // path; empty: there is none

}  // namespace attest
