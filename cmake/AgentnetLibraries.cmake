# What users link, made of the objects of all folders of src/:
#
#   agentnet::agentnet   everything                                            libagentnet.a, libagentnet.so
#   agentnet::core       graphs, networks, training, prediction, explanations  libagentnet_core.a, libagentnet_core.so
#
# The core needs fmt and xxHash and nothing else: it reads files and bytes that are not packed, and neither unpacks,
# downloads nor reads molecules. In one program, link one of the two. Both names stand for the static library, or, with
# BUILD_SHARED_LIBS, for the shared one; either kind is built and installed.

# agentnet_library(agentnet MODULES core graph ... [WITHOUT]): targets agentnet_lib_NAME_static and _shared.
function(agentnet_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT" "OUTPUT" "MODULES")
  set(objects "")
  set(libs "")
  foreach(module IN LISTS arg_MODULES)
    set(target agentnet_${module})
    get_target_property(module_libs ${target} AGENTNET_LIBS)
    get_target_property(libs_with ${target} AGENTNET_LIBS_WITH)
    get_target_property(with_files ${target} AGENTNET_WITH_FILES)
    if(module_libs)
      list(APPEND libs ${module_libs})
    endif()
    if(arg_WITHOUT AND with_files)
      list(JOIN with_files "|" stems)
      list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${target}>,EXCLUDE,/\(${stems}\)\(_none\)?.cpp.o$>
                          $<TARGET_OBJECTS:${target}_without>)
    else()
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
      if(libs_with)
        list(APPEND libs ${libs_with})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES libs)
  foreach(kind IN ITEMS STATIC SHARED)
    string(TOLOWER ${kind} suffix)
    set(library agentnet_lib_${name}_${suffix})
    add_library(${library} ${kind} ${objects})
    target_link_libraries(${library} PRIVATE ${libs})
    target_compile_features(${library} PUBLIC cxx_std_20)
    target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${AGENTNET_PUBLIC_HEADERS}>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${arg_OUTPUT}
      EXPORT_NAME ${name}_${suffix} ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    install(TARGETS ${library} EXPORT agentnet_${name}_${suffix} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
                                                                LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT agentnet_${name}_${suffix} NAMESPACE agentnet:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/agentnet)
  endforeach()
  if(BUILD_SHARED_LIBS)
    add_library(agentnet::${name} ALIAS agentnet_lib_${name}_shared)
  else()
    add_library(agentnet::${name} ALIAS agentnet_lib_${name}_static)
  endif()
endfunction()

get_property(modules GLOBAL PROPERTY AGENTNET_MODULES)
agentnet_library(agentnet OUTPUT agentnet MODULES ${modules})
agentnet_library(core OUTPUT agentnet_core WITHOUT
                 MODULES core graph data tensor tape nn eval classic nets predict explain train run)
