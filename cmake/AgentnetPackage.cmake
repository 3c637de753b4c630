# make package: what CPack makes, a Debian package, and the names that scripts/make-packages needs.
#
# One package with everything: the program, its manual pages and completions, the libraries with headers and CMake
# package, examples and documents. What it depends on is read from the programs and libraries (dpkg-shlibdeps).
set(AGENTNET_MAINTAINER "The agentnet authors <agentnet@packages.example>" CACHE STRING
    "Who makes the Debian package: a name and an address")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME agentnet)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${AGENTNET_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "classify and score whole graphs with neural agents that walk them")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://arxiv.org/abs/2206.11010")
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/deb)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/deb/triggers)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION  # below the summary
"AgentNet (ICLR 2023) is a graph network whose cost depends on agents and
steps, not on the size of the graph. This program trains it and its rivals on
tables of molecules and on graphs in any usual format, predicts, explains,
draws, and answers over HTTP. Same seed, same bytes.
.
The package holds the program, the C++ and C libraries with their headers,
examples and documents.")

# Who links the static library needs what it was built with.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/install-deps --list program
                OUTPUT_VARIABLE needed OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" needed "${needed}")
list(FILTER needed INCLUDE REGEX "-dev$")
list(JOIN needed ", " CPACK_DEBIAN_PACKAGE_SUGGESTS)

configure_file(${PROJECT_SOURCE_DIR}/cmake/prepare_deb.cmake.in ${PROJECT_BINARY_DIR}/prepare_deb.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/prepare_deb.cmake)

include(CPack)

if(TARGET agentnet_cli)
  add_custom_target(agentnet_packages
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/make-packages ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/build/packages
            ${PROJECT_VERSION}
    DEPENDS agentnet_cli agentnet_portable agentnet_c agentnet_lib_agentnet_static agentnet_lib_agentnet_shared
            agentnet_lib_core_static agentnet_lib_core_shared agentnet_python
    USES_TERMINAL VERBATIM)
endif()
