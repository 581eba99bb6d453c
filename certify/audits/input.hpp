// What the use cases share before they begin: the instance and the selection that is asked about.
#pragma once

#include <memory>
#include <string>

#include "certify/audits/audit_watch.hpp"
#include "certify/instance/instance.hpp"
#include "certify/process/input_error.hpp"
#include "numerics/problem/loss.hpp"

namespace attest {

// The instance at `path`, or the one `held` when there is one. `memory_limit` in bytes, 0: that of the
// process.
Result<Instance> read_input(const std::string& path, const std::shared_ptr<const Instance>& held,
                            std::size_t memory_limit, AuditWatch& watch);

// Where equal tokens have different offsets and different scores, so that their mean score is not rational:
// which is the first of them. read_input() refuses such an instance.
std::optional<InputError> undecided_scores(const Instance& instance, const std::string& path);

// What a tie of the best score between different tokens is: an error that names them and the way on, or the
// first of them.
enum class Ties { error, first };

// The selection to use (certify/INSTANCES.md): `given` ("2,0,1,...", empty: not given), then the instance's
// alpha, then the argmax of the scores. A token that another one stands for is read as that one.
Result<Selection> choose_selection(const Instance& instance, const TokenData& data, const std::string& given,
                                   Ties ties = Ties::error);

// The training loss of a head: with the scalar one that of this name, logistic if the name is empty; with
// another head its own, which only its own name may ask for.
Result<Loss> training_loss(const TokenData& data, const std::string& name);

}  // namespace attest
