// The instance that the checker has read, as the reference's dataset.
#pragma once

#include "proofs/checker/instance/instance.hpp"
#include "tests/oracle/dataset.hpp"

namespace fuzz {

reference::Dataset dataset_of(const attest_check::Instance& instance);

}  // namespace fuzz
