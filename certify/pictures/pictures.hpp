// What people look at after a run: the trace as arrays and the lines of its plot (plot.hpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "certify/pictures/plot.hpp"
#include "numerics/forever/proof.hpp"
#include "numerics/runs/reference_direction.hpp"

namespace attest {

using NamedColumns = std::vector<std::pair<std::string, std::vector<double>>>;

// The trace, and more columns of its rows, as arrays of doubles: for plots only, nothing in it is an
// enclosure but the band of 1 - corr.
std::string trace_npz(const std::vector<TraceRow>& trace, const NamedColumns& more = {});

// 1 - corr of the textbook gradient in doubles, as deep-learning libraries compute it. Once the budget is
// reached it is given another tenth of a second and then ends where it is.
ChartLine double_line(const RunGeometry& geometry, const OptimizerSpec& spec, const ExactArray& start,
                      const ReferenceDirection* direction, std::uint64_t steps, const Budget& budget);

// The shape a run of this kind settles to, with its constant from the last dyadic block (algorithms: 1/t^2
// for normalised steps of constant size, 1/log^2 t for gradient descent).
ChartLine shape_line(const RunOutcome& outcome, const OptimizerSpec& spec);

// The explicit bound of 1 - corr at every later step, drawn until `end`, from the proof that is the sharpest
// there.
ChartLine bound_line(const std::vector<const ForeverProof*>& proofs, std::uint64_t end);

}  // namespace attest
