// That the processes of a job have read the same texts: see one_text.hpp.
#include "proofs/checker/base/one_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/sha256.hpp"

namespace attest_check {
namespace {

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

// What the thread's process has read as one of several: all, and what lies outside its share of the blocks.
struct Record {
  std::size_t texts = 0;
  std::map<Block, Digest> read;
  std::vector<ReadBlock> outside;
};
Record& record() {
  static thread_local Record record;
  return record;
}

}  // namespace

std::size_t next_text_of_job() {
  return record().texts++;
}

void note_block(std::size_t text, std::size_t block, std::size_t blocks, std::string_view content) {
  if (job().size() == 1) return;
  Sha256 hash;
  hash.update(content);
  Digest digest;
  hash.digest().copy(digest.data(), digest.size());
  record().read[{text, block}] = digest;
  const auto [begin, end] = share_of(blocks);
  if (block < begin || block >= end) record().outside.push_back({{text, block}, digest});
}

// A block that two have read lies outside the share of one of them, who tells.
void require_one_text() {
  if (job().size() == 1) return;
  for (const ReadBlock& told : gathered(record().outside)) {
    const auto own = record().read.find(told.block);
    if (own != record().read.end() && own->second != told.digest)
      malformed("a file has changed while it was read, or the processes of the job see different ones");
  }
  agree();
}

}  // namespace attest_check
