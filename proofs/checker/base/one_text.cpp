// That the processes of a job have read the same texts: see one_text.hpp.
#include "proofs/checker/base/one_text.hpp"

#include "proofs/checker/base/job.hpp"
#include "proofs/checker/base/sha256.hpp"

namespace attest_check {

std::size_t next_text_of_job() {
  JobOfThread* const several = JobOfThread::current();
  return several == nullptr ? 0 : several->texts().count++;
}

void note_block(std::size_t text, std::size_t block, std::size_t blocks, std::string_view content) {
  if (job().size() == 1) return;
  Sha256 hash;
  hash.update(content);
  ReadTexts::Digest digest;
  hash.digest().copy(digest.data(), digest.size());
  ReadTexts& texts = JobOfThread::current()->texts();
  texts.read[{text, block}] = digest;
  const auto [begin, end] = share_of(blocks);
  if (block < begin || block >= end) texts.outside.push_back({{text, block}, digest});
}

// A block that two have read lies outside the share of one of them, who tells.
void require_one_text() {
  if (job().size() == 1) return;
  const ReadTexts& texts = JobOfThread::current()->texts();
  for (const ReadTexts::ReadBlock& told : gathered(texts.outside)) {
    const auto own = texts.read.find(told.block);
    if (own != texts.read.end() && own->second != told.digest)
      malformed("a file has changed while it was read, or the processes of the job see different ones");
  }
  agree();
}

}  // namespace attest_check
