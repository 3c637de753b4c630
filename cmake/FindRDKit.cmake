# RDKit, as far as agentnet uses it: target RDKit::RDKit, and RDKit::Drawing for pictures of molecules. Its Debian package
# ships no CMake config. Its headers include Boost's, which are another package.
#
# Installed beside agentnetConfig.cmake, because a static library needs it again when it is linked.
find_path(RDKit_INCLUDE_DIR GraphMol/SmilesParse/SmilesParse.h PATH_SUFFIXES rdkit)
find_path(RDKit_BOOST_INCLUDE_DIR boost/iostreams/stream.hpp)
set(rdkit_needs RDKit_INCLUDE_DIR RDKit_BOOST_INCLUDE_DIR)
foreach(name IN ITEMS SmilesParse ChemTransforms GraphMol RDGeneral MolDraw2D Depictor RDGeometryLib)
  find_library(RDKit_${name}_LIBRARY RDKit${name})
  list(APPEND rdkit_needs RDKit_${name}_LIBRARY)
endforeach()
mark_as_advanced(${rdkit_needs})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RDKit REQUIRED_VARS ${rdkit_needs}
                                  REASON_FAILURE_MESSAGE "install librdkit-dev and libboost-dev")

if(RDKit_FOUND AND NOT TARGET RDKit::RDKit)
  add_library(RDKit::RDKit INTERFACE IMPORTED)
  # As system headers: their warnings are not ours.
  target_include_directories(RDKit::RDKit SYSTEM INTERFACE ${RDKit_INCLUDE_DIR} ${RDKit_BOOST_INCLUDE_DIR})
  target_link_libraries(RDKit::RDKit INTERFACE ${RDKit_SmilesParse_LIBRARY} ${RDKit_ChemTransforms_LIBRARY}
                                               ${RDKit_GraphMol_LIBRARY} ${RDKit_RDGeneral_LIBRARY})
  add_library(RDKit::Drawing INTERFACE IMPORTED)
  target_link_libraries(RDKit::Drawing INTERFACE ${RDKit_MolDraw2D_LIBRARY} ${RDKit_Depictor_LIBRARY}
                                                 ${RDKit_RDGeometryLib_LIBRARY} RDKit::RDKit)
endif()
unset(rdkit_needs)
