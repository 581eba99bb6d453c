// That the processes of a job have read the same texts: those of one read other parts of a file, and what
// each proves holds together only where they saw one file.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace attest_check {

// What one of several processes has read: all, and what lies outside its share of the blocks.
class ReadTexts {
 public:
  using Digest = std::array<char, 64>;
  struct Block {
    std::size_t text, number;
    bool operator<(const Block& other) const {
      return text < other.text || (text == other.text && number < other.number);
    }
  };
  struct ReadBlock {
    Block block;
    Digest digest;
  };

  std::size_t count = 0;  // of texts that were opened
  std::map<Block, Digest> read;
  std::vector<ReadBlock> outside;
};

// A number for the next text that this process reads, 0 where it works by itself; files are opened by all in
// the same order.
std::size_t next_text_of_job();
// Block `block` of that text has been read for the first time, of `blocks` in all.
void note_block(std::size_t text, std::size_t block, std::size_t blocks, std::string_view content);
// Exit 2 unless whatever two processes have both read is the same.
void require_one_text();

}  // namespace attest_check
