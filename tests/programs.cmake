# What test programs share, compiled once: doctest's main function and the headers that cost them the most.
find_package(Boost 1.74 REQUIRED)
find_package(doctest REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
add_library(test_main OBJECT ${CMAKE_CURRENT_LIST_DIR}/doctest_main.cpp)
target_link_libraries(test_main PUBLIC attest_options Boost::headers doctest::doctest PRIVATE nlohmann_json::nlohmann_json)
set(test_headers test_main)  # whose headers they are
if(quick)
  set(test_headers attest_headers)
else()
  target_precompile_headers(test_main PRIVATE <algorithm> <cmath> <filesystem> <functional> <map> <optional> <random>
                            <set> <sstream> <string> <vector> <doctest/doctest.h> <gmpxx.h> <nlohmann/json.hpp>
                            <boost/multiprecision/gmp.hpp> <arb.h>)
endif()

# A test program with a main function of its own takes the headers alone. Programs without doctest cannot: the headers
# need its definitions.
function(share_test_headers program)
  target_link_libraries(${program} PRIVATE Boost::headers)  # its definitions are part of what the headers say
  target_precompile_headers(${program} REUSE_FROM ${test_headers})
endfunction()

# add_test_program(NAME SOURCE...)
function(add_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE test_main)
  share_test_headers(${name})
endfunction()

# What `cmake --build --preset quick` makes: the programs that the tests labelled quick run.
add_custom_target(quick_tests DEPENDS attest attest-check)

# add_quick_test(NAME PROGRAM ARGUMENT...)
function(add_quick_test name program)
  add_test(NAME ${name} COMMAND ${program} ${ARGN})
  add_dependencies(quick_tests ${program})
  compile_together(${program})
  label_tests(quick ${name})
endfunction()

# add_unit_test(NAME PROGRAM): its cases are the test NAME, quick; those of the suite "long" NAME.long, standard.
function(add_unit_test name program)
  add_quick_test(${name} ${program} --test-suite-exclude=long)
  add_test(NAME ${name}.long COMMAND ${program} --test-suite=long)
  label_tests(standard ${name}.long)
endfunction()
