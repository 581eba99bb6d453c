// Every small change of a certificate: each word of each line changed in all ways that fit what it is, each
// line dropped, repeated or swapped with the next.
#pragma once

#include <string>
#include <vector>

namespace mutation {

struct Mutation {
  std::size_t line = 0;  // the first one that changes, from 0
  std::string description;
  std::string text;
};

// Words that fit where this one stands: numbers near it and far from it, other words of the same set.
std::vector<std::string> neighbours(const std::string& word);

std::vector<Mutation> mutations(const std::string& certificate);

// The certificate cut after each of its lines (the whole text excluded), and after each byte of its last two
// lines.
std::vector<std::string> truncations(const std::string& certificate);

}  // namespace mutation
