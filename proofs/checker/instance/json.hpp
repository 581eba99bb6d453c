// Strict readers of JSON (RFC 8259): its words, and instance files: one object whose values are numbers,
// strings, or nested lists of them, at most three deep.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "proofs/checker/instance/array.hpp"
#include "proofs/checker/instance/literal.hpp"

namespace attest_check {

class JsonText : public Literal {
 public:
  JsonText(Pieces& text, const std::string& what, std::size_t before = 0)
      : Literal(Cursor(text), what, " \n\r\t", before) {}

  // A string of ASCII characters. No key and no value that an instance may have contains others, so a file
  // with others, well-formed or not, is malformed.
  std::string string();
  // A list of sizes, possibly empty.
  std::vector<std::size_t> sizes();
  // An object: calls value(key) where the value of a key comes next. No key comes twice.
  template <class Value>
  void members(Value value) {
    std::set<std::string> seen;
    expect('{');
    list('}', [&] {
      const std::string key = string();
      if (!seen.insert(key).second) bad("duplicate key " + key);
      expect(':');
      value(key);
    });
  }
  // The same, where the object is all of the text.
  template <class Value>
  void whole(Value value) {
    members(value);
    skip_space();
    if (!in_.at_end()) bad("text after the object");
  }

 private:
  char escaped();
};

// Calls use(key, array) for every key. Duplicate keys, text that is not UTF-8, lists of uneven depth or row
// width, other kinds of values and anything after the object are malformed. The lists of `scores` and of
// `sentences` may differ in length, as those of tokens do: their numbers are rows of one.
using UseArray = std::function<void(const std::string& key, Array array)>;
void read_json(Pieces& text, const std::string& path, const UseArray& use);

}  // namespace attest_check
