# label_tests(LABEL [TEST...]): quick, standard or slow (CONTRIBUTING.md) for the tests named; without names, for all
# of this folder that have no label yet.
function(label_tests label)
  set(tests ${ARGN})
  if(NOT tests)
    get_property(tests DIRECTORY PROPERTY TESTS)
  endif()
  foreach(test IN LISTS tests)
    get_property(given TEST ${test} PROPERTY LABELS)
    if(NOT given)
      set_tests_properties(${test} PROPERTIES LABELS ${label})
    endif()
  endforeach()
endfunction()
