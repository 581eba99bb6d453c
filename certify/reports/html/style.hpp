// The style and the script that every page carries with it.
#pragma once

#include <string>

namespace attest {

// Light and dark, as the reader's system has it, and black on white on paper. Neither '<' nor '&' occurs, so
// that HTML and XML read the same.
std::string page_style();

// Makes the headings of tables of class "sortable" buttons that sort them. Without it everything is there.
// Neither '<' nor '&' occurs.
extern const char* const page_script;

}  // namespace attest
