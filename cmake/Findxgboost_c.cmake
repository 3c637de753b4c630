# XGBoost's C library: target xgboost::xgboost. Found as a plain library, because the CMake config of some installations
# asks for more than the C API needs.
#
# Installed beside agentnetConfig.cmake, because a static library needs it again when it is linked.
find_path(xgboost_c_INCLUDE_DIR xgboost/c_api.h)
find_library(xgboost_c_LIBRARY xgboost)
mark_as_advanced(xgboost_c_INCLUDE_DIR xgboost_c_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xgboost_c REQUIRED_VARS xgboost_c_LIBRARY xgboost_c_INCLUDE_DIR
                                  REASON_FAILURE_MESSAGE "install libxgboost-dev")

if(xgboost_c_FOUND AND NOT TARGET xgboost::xgboost)
  add_library(xgboost::xgboost INTERFACE IMPORTED)
  target_include_directories(xgboost::xgboost SYSTEM INTERFACE ${xgboost_c_INCLUDE_DIR})
  target_link_libraries(xgboost::xgboost INTERFACE ${xgboost_c_LIBRARY})
endif()
