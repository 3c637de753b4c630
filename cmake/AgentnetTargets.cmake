# The four kinds of target in this project. Each function gives a target its warnings and its place in
# the build folder, so that adding a file or a test is one line in the folder it lives in.

# Sanitizers must cover every object of a build, ours or not.
if(AGENTNET_SANITIZE)
  add_compile_options(-fsanitize=${AGENTNET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${AGENTNET_SANITIZE})
endif()
if(AGENTNET_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "AGENTNET_BUILD_FUZZ needs clang (libFuzzer); use the fuzz preset")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_compile_definitions($<$<OR:$<CONFIG:Debug>,$<BOOL:${AGENTNET_HARDENED}>>:_GLIBCXX_ASSERTIONS>)

function(agentnet_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                           $<$<BOOL:${AGENTNET_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)  # false alarm on `"text" + string`, gcc bug 105651
  endif()
endfunction()

# agentnet_module(core SOURCES a.cpp ... [HEADERS error.h ...] [DEPENDS graph ...] [LIBS fmt::fmt ...]
#                 [WITH_OR_WITHOUT curl::libcurl io/download ...])
#
# One folder of src/ as a static library agentnet_NAME, for this build alone: users link what AgentnetLibraries makes of
# all of them.
#   SOURCES  files of the folder
#   HEADERS  headers of include/agentnet that this folder implements; they are installed
#   DEPENDS  folders of src/ this one may include; theirs come along
#   LIBS     libraries from outside, not visible to users of this folder
#   WITH_OR_WITHOUT  pairs of a library that may be absent and the beginning of a file's name: NAME.cpp is compiled where
#            the library is there, NAME_none.cpp where it is not. agentnet::core has NAME_none.cpp in any case.
#
# The only include path a module offers is a folder of links: NAME/ to src/NAME, agentnet/ to its own
# public headers. An include against the direction of the dependencies therefore finds no file.
function(agentnet_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS;LIBS;WITH_OR_WITHOUT")
  set(target agentnet_${name})
  set(links ${PROJECT_BINARY_DIR}/include/${name})
  file(GLOB stale RELATIVE ${links}/agentnet ${links}/agentnet/*)  # of a header that went to another folder
  foreach(header IN LISTS stale)
    if(NOT header IN_LIST arg_HEADERS)
      file(REMOVE ${links}/agentnet/${header})
    endif()
  endforeach()
  file(MAKE_DIRECTORY ${links}/agentnet ${AGENTNET_PUBLIC_HEADERS}/agentnet)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${links}/${name} SYMBOLIC)
  foreach(header IN LISTS arg_HEADERS)
    if(EXISTS ${PROJECT_SOURCE_DIR}/include/agentnet/${header}.in)
      configure_file(${PROJECT_SOURCE_DIR}/include/agentnet/${header}.in ${links}/agentnet/${header} @ONLY)
    else()
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include/agentnet/${header} ${links}/agentnet/${header} SYMBOLIC)
    endif()
    file(CREATE_LINK ${links}/agentnet/${header} ${AGENTNET_PUBLIC_HEADERS}/agentnet/${header} SYMBOLIC)
  endforeach()

  add_library(${target} STATIC ${arg_SOURCES})
  agentnet_warnings(${target})
  target_include_directories(${target} PUBLIC ${links})
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM arg_DEPENDS PREPEND agentnet_ OUTPUT_VARIABLE depends)
  target_link_libraries(${target} PUBLIC ${depends} PRIVATE ${arg_LIBS})
  set_property(TARGET ${target} PROPERTY AGENTNET_LIBS ${arg_LIBS})
  agentnet_with_or_without(${target} "${arg_WITH_OR_WITHOUT}")
  set_property(GLOBAL APPEND PROPERTY AGENTNET_MODULES ${name})
  list(TRANSFORM arg_HEADERS PREPEND ${links}/agentnet/)
  set_property(GLOBAL APPEND PROPERTY AGENTNET_HEADERS ${arg_HEADERS})
endfunction()

set(AGENTNET_PUBLIC_HEADERS ${PROJECT_BINARY_DIR}/include/public)  # what an installation has in include/

# The pairs of WITH_OR_WITHOUT. Files without their libraries are compiled in any case, as agentnet_NAME_without.
function(agentnet_with_or_without target pairs)
  set(without "")
  while(pairs)
    list(POP_FRONT pairs library file)
    if(TARGET ${library})
      target_sources(${target} PRIVATE ${file}.cpp)
      target_link_libraries(${target} PRIVATE ${library})
      set_property(TARGET ${target} APPEND PROPERTY AGENTNET_LIBS_WITH ${library})
    else()
      target_sources(${target} PRIVATE ${file}_none.cpp)
    endif()
    list(APPEND without ${file}_none.cpp)
    get_filename_component(stem ${file} NAME)
    set_property(TARGET ${target} APPEND PROPERTY AGENTNET_WITH_FILES ${stem})
    set_property(TARGET ${target} APPEND PROPERTY AGENTNET_WITH_PAIRS ${library}=${stem})
  endwhile()
  if(without)
    add_library(${target}_without OBJECT ${without})
    agentnet_warnings(${target}_without)
    target_link_libraries(${target}_without PRIVATE ${target})
  endif()
endfunction()

# agentnet_test(random_test SOURCES random_test.cpp [LIBS core ...] [TIMEOUT seconds] [SINGLE_THREADED])
#
# A GoogleTest program build/PRESET/tests/NAME, each of its cases a ctest of its own. LIBS are folders of
# src/ (core, graph, ...); tests/support, GoogleMock and RapidCheck are always there. SINGLE_THREADED tests start no
# thread: the thread sanitizer has nothing to find in them.
function(agentnet_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SINGLE_THREADED" "TIMEOUT" "SOURCES;LIBS")
  if(arg_SINGLE_THREADED AND AGENTNET_SANITIZE STREQUAL thread)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_executable(${name} ${arg_SOURCES})
  agentnet_warnings(${name})
  list(TRANSFORM arg_LIBS PREPEND agentnet_ OUTPUT_VARIABLE libs)
  target_link_libraries(${name} PRIVATE ${libs} agentnet_test_support GTest::gmock GTest::gtest_main rapidcheck_gtest)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  agentnet_test_options(${name})
  target_precompile_headers(${name} REUSE_FROM agentnet_test_headers)
  if(AGENTNET_SANITIZE)
    target_compile_definitions(${name} PRIVATE AGENTNET_SANITIZED)  # for tests that are too slow then
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()

# Test code is compiled once and run once, so optimising it costs more than running it: what takes time is in the
# libraries. With precompiled headers, optimising gcc 12 would also warn of what is not there.
function(agentnet_test_options target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# agentnet_bench(bench_train_step SOURCES train_step.cpp [LIBS train ...] [EXTERNAL fmt::fmt ...])
#
# A benchmark program build/PRESET/bench/NAME.
function(agentnet_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS;EXTERNAL")
  add_executable(${name} ${arg_SOURCES})
  agentnet_warnings(${name})
  list(TRANSFORM arg_LIBS PREPEND agentnet_ OUTPUT_VARIABLE libs)
  target_link_libraries(${name} PRIVATE ${libs} ${arg_EXTERNAL})
  target_compile_definitions(${name} PRIVATE AGENTNET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
endfunction()

# agentnet_fuzz(fuzz_safetensors SOURCES safetensors.cpp [LIBS core ...] [RUNS n] [MAX_LENGTH bytes])
#
# A libFuzzer program build/PRESET/fuzz/NAME and a short ctest of it: RUNS inputs, a fixed seed, starting
# from the files in fuzz/corpus/NAME where there are any. What it discovers stays in the build folder.
function(agentnet_fuzz name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RUNS;MAX_LENGTH" "SOURCES;LIBS")
  if(NOT arg_RUNS)
    set(arg_RUNS 50000)
  endif()
  if(NOT arg_MAX_LENGTH)
    set(arg_MAX_LENGTH 4096)
  endif()
  add_executable(${name} ${arg_SOURCES})
  agentnet_warnings(${name})
  list(TRANSFORM arg_LIBS PREPEND agentnet_ OUTPUT_VARIABLE libs)
  target_link_libraries(${name} PRIVATE ${libs})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  if(NOT TARGET agentnet_fuzzers)
    add_custom_target(agentnet_fuzzers)  # the fuzz targets and what they need, rather than every library
  endif()
  add_dependencies(agentnet_fuzzers ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
  set(found ${PROJECT_BINARY_DIR}/fuzz/corpus/${name})
  file(MAKE_DIRECTORY ${found})
  set(seeds ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
  if(NOT IS_DIRECTORY ${seeds})
    set(seeds "")
  endif()
  add_test(NAME ${name} COMMAND ${name} -runs=${arg_RUNS} -seed=1 -max_len=${arg_MAX_LENGTH} -print_final_stats=1
                                -artifact_prefix=${found}/ ${found} ${seeds})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS fuzz)
endfunction()
