// The main function of test programs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#define DOCTEST_CONFIG_IMPLEMENT  // what the precompiled header would have made of the other
#include <doctest/doctest.h>
