# liblinear: target liblinear::liblinear. Its Debian package ships no CMake config.
#
# Installed beside agentnetConfig.cmake, because a static library needs it again when it is linked.
find_path(liblinear_INCLUDE_DIR linear.h PATH_SUFFIXES liblinear)
find_library(liblinear_LIBRARY linear)
mark_as_advanced(liblinear_INCLUDE_DIR liblinear_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(liblinear REQUIRED_VARS liblinear_LIBRARY liblinear_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "install liblinear-dev")

if(liblinear_FOUND AND NOT TARGET liblinear::liblinear)
  add_library(liblinear::liblinear INTERFACE IMPORTED)
  target_include_directories(liblinear::liblinear SYSTEM INTERFACE ${liblinear_INCLUDE_DIR})
  target_link_libraries(liblinear::liblinear INTERFACE ${liblinear_LIBRARY})
endif()
