# The viewer's page as a source file: agentnet_viewer_source(VARIABLE) sets VARIABLE to the file that defines
# viewer_page(), the built page or, with AGENTNET_WEB=OFF, an empty one.
function(agentnet_viewer_source variable)
  if(NOT AGENTNET_WEB)
    set(${variable} page/viewer_page_none.cpp PARENT_SCOPE)
    return()
  endif()
  find_program(AGENTNET_NPM npm)
  if(NOT AGENTNET_NPM)
    message(FATAL_ERROR "the viewer's page is built with npm, which is not here: "
                        "install nodejs and npm (scripts/install-deps does), or configure with -DAGENTNET_WEB=OFF")
  endif()
  set(web ${PROJECT_SOURCE_DIR}/web)
  # Globbed, unlike our C++: what the page consists of is said by its imports, and a list here would say it again.
  file(GLOB sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/viewer.html)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/viewer_page.cpp)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/embed_viewer.cmake)
  add_custom_command(OUTPUT ${page}
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-web ${page}
    DEPENDS ${sources} ${web}/viewer.html ${web}/vite.config.ts ${web}/package.json ${web}/package-lock.json
            ${PROJECT_SOURCE_DIR}/scripts/build-web
    COMMENT "Building the viewer's page" VERBATIM)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DSOURCE=${source} -P ${embed}
    DEPENDS ${page} ${embed} VERBATIM)
  set(${variable} ${source} PARENT_SCOPE)
endfunction()
