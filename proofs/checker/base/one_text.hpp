// That the processes of a job have read the same texts: those of one read other parts of a file, and what
// each proves holds together only where they saw one file.
#pragma once

#include <cstddef>
#include <string_view>

namespace attest_check {

// A number for the next text that this process reads; files are opened by all in the same order.
std::size_t next_text_of_job();
// Block `block` of that text has been read for the first time, of `blocks` in all.
void note_block(std::size_t text, std::size_t block, std::size_t blocks, std::string_view content);
// Exit 2 unless whatever two processes have both read is the same.
void require_one_text();

}  // namespace attest_check
