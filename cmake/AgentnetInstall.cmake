# cmake --install: headers, program, documents, examples, and a package config for find_package(agentnet); the libraries
# are installed where they are made (AgentnetLibraries), manual pages and completions where the program is (cli/).
include(CMakePackageConfigHelpers)

get_property(headers GLOBAL PROPERTY AGENTNET_HEADERS)

# The build folder holds links to the headers; an installation needs the files themselves.
foreach(header IN LISTS headers)
  file(REAL_PATH ${header} file)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/agentnet)
endforeach()
if(TARGET agentnet_cli)
  install(TARGETS agentnet_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# Documents lie to each other as in the source tree, so that links between them lead somewhere.
foreach(file IN ITEMS LICENSE README.md CHANGELOG.md SECURITY.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN __pycache__ EXCLUDE PATTERN .ipynb_checkpoints EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/examples/CMakeLists.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/agentnet)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/agentnetConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/agentnetConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/agentnetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/agentnetConfig.cmake ${PROJECT_BINARY_DIR}/agentnetConfigVersion.cmake
        DESTINATION ${package_dir})
if(xgboost_c_FOUND)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/Findxgboost_c.cmake DESTINATION ${package_dir})
endif()
if(liblinear_FOUND)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/Findliblinear.cmake DESTINATION ${package_dir})
endif()
if(RDKit_FOUND)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindRDKit.cmake DESTINATION ${package_dir})
endif()
