// The joint regularisation path for all radii (papers.md A.joint; T21 with two radii, proofs/statements/
// JOINT.md section 6): minimisers (v, W) of the training loss over ||v|| <= r, ||W|| <= R satisfy
//
//   1 - <u_v,v>/r <= decoder_decay e^{-gamma R} + decoder_rate/r,   1 - <u_W,W>/R <= rate/R
//
// for all R >= least_radius and r >= max(least_decoder_radius, slope R), whatever minimisers are taken.
#pragma once

#include <optional>
#include <string>

#include "numerics/joint/features.hpp"
#include "numerics/joint/limits.hpp"

namespace attest {

struct JointPathBound {
  bool relaxed = false;  // u_W is the relaxed problem's solution; else every sequence supports the decoder
  Rational least_radius, least_decoder_radius;
  Ball slope;  // 0 unless relaxed
  Ball gamma;  // margin of u_W
  Ball decoder_decay, decoder_rate, rate;
  Rational excess, window;  // x and b of the theorem, with which the constants hold
};

// What the theorem is about: directions with their multipliers.
struct JointPathFacts {
  const JointFeatures& features;
  const EnclosedRows& rows;
  const Selection& selection;
  const std::vector<std::size_t>& supporting;
  const Direction& decoder;  // its rows are the sequences
  // Rows >= 1 of supporting sequences, >= 0 of the others. Where every sequence supports the decoder, its
  // margin suffices, and may be that of another norm of W's: 1 - <n,W>/R, n as in T21, then takes the place.
  const Direction& attention;
  const Direction* plain;  // all rows >= 1; needed where some sequence does not support the decoder
  double cost = 0;         // nu of LabelMarginCover, > 0
  Loss loss = Loss::logistic;
};

// Nothing, with the reason, where the conditions are not proved.
std::optional<JointPathBound> joint_path(const JointPathFacts& facts, std::string& reason);

}  // namespace attest
