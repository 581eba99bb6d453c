// The claims of a run as certificate text (proofs/statements/RUNS.md).
#pragma once

#include <optional>
#include <string>

#include "certify/certificates/text.hpp"
#include "numerics/numbers/exact_array.hpp"
#include "numerics/runs/validated_run.hpp"

namespace attest {

// "optimizer … schedule … step …" and "start …".
std::string specification_line(const OptimizerSpec& spec);
std::string start_line(const ExactArray& start);

// "LO HI" around a ball of a run, widened sixteenfold: a checker's own enclosure, however rounded, nests in
// it. Nothing where it is too large to be written out.
std::optional<std::string> run_band(const Ball& ball, bool nonnegative);

// Appends the `run` claim: specification, checkpoints with bands widened sixteenfold (so that a checker's own
// enclosure, however rounded, nests in them), loss descent and rate shapes. `optimum` is the number of the
// claim that establishes the direction. Requires outcome.direction and at least one checkpoint. Returns the
// claim's number, or 0 and appends nothing when a quantity at a checkpoint is too large to be written out.
std::size_t write_run_claim(CertificateText& text, std::size_t problem, std::size_t optimum,
                            const OptimizerSpec& spec, const ExactArray& start, const RunOutcome& outcome);

// Appends the `path-inequality` claim about run claim `run`, with its least constant widened so that a
// checker's own enclosures prove it; nothing when the record has no stretch of steps.
void write_path_claim(CertificateText& text, std::size_t problem, std::size_t run, const PathRecord& path);

// Appends the `stationary` claim: grad L(start) = 0 exactly.
std::size_t write_stationary_claim(CertificateText& text, std::size_t problem, const ExactArray& start);

}  // namespace attest
