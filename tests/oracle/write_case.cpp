// write_case FAMILY FORM LOSS FOLDER: writes FOLDER/FAMILY.json and FOLDER/FAMILY-FORM.attest, an instance
// family and the independent producer's certificate of it. FORM is exact, gap or lambda-min. Without
// arguments: lists families.
#include <fstream>
#include <iostream>

#include "tests/oracle/families.hpp"
#include "tests/oracle/producer.hpp"

int main(int argc, char** argv) {
  using namespace reference;
  const auto all = families();
  if (argc != 5) {
    for (const Case& one : all) std::cout << one.name << '\n';
    return argc == 1 ? 0 : 2;
  }
  const std::string name = argv[1], form = argv[2], folder = argv[4];
  for (const Case& one : all) {
    if (one.name != name) continue;
    const Evidence evidence = form == "exact" ? Evidence::exact
                              : form == "gap" ? Evidence::gap
                                              : Evidence::lambda_min;
    std::ofstream(folder + "/" + name + ".json") << json_text(one.data, one.choice);
    std::ofstream(folder + "/" + name + "-" + form + ".attest")
        << certificate_text(one.data, one.choice, evidence, argv[3]);
    return 0;
  }
  std::cerr << "no such family: " << name << '\n';
  return 2;
}
