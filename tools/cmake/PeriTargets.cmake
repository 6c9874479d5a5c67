# The project's own target kinds: flags, layers and embedded Lua.

add_library(peri_flags INTERFACE)
target_compile_features(peri_flags INTERFACE c_std_11)
target_compile_definitions(peri_flags INTERFACE _GNU_SOURCE)
target_compile_options(peri_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wvla -Wno-unused-parameter -fvisibility=hidden)
if(PERI_ASAN)
  target_compile_options(peri_flags INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(peri_flags INTERFACE -fsanitize=address,undefined)
endif()
if(PERI_FUZZ)
  target_compile_options(peri_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(peri_flags INTERFACE -fsanitize=address,undefined)
endif()

# peri_layer(NAME [LINK LIBRARIES...]): the sources of core/NAME/ (host: with core/*.c) as peri_NAME.
# Libraries named here are the only ones its files may include headers of.
function(peri_layer name)
  cmake_parse_arguments(LAYER "" "" "LINK" ${ARGN})
  if(name STREQUAL "host")
    file(GLOB sources CONFIGURE_DEPENDS core/*.c core/host/*.c core/host/*/*.c)
  else()
    file(GLOB sources CONFIGURE_DEPENDS core/${name}/*.c)
  endif()
  if(NOT sources)
    return()
  endif()
  add_library(peri_${name} OBJECT ${sources})
  set_target_properties(peri_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(peri_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/core)
  target_link_libraries(peri_${name} PRIVATE peri_flags PUBLIC ${LAYER_LINK})
  set_property(GLOBAL APPEND PROPERTY PERI_LAYERS peri_${name})
endfunction()

# peri_embed_lua(TARGET FOLDERS...): every .lua and .md file below the folders becomes a constant in
# TARGET (core/script/embedded.h).
function(peri_embed_lua target)
  if(NOT TARGET ${target})
    return()
  endif()
  add_executable(peri_embed tools/embed.c)
  set(files "")
  foreach(folder ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
         ${folder}/*.lua ${folder}/*.md)
    list(FILTER found EXCLUDE REGEX "_spec\\.lua$|^lua/meta/|README\\.md$")
    list(APPEND files ${found})
  endforeach()
  set(output ${PROJECT_BINARY_DIR}/embedded_lua.c)
  add_custom_command(OUTPUT ${output}
    COMMAND peri_embed ${output} ${files}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    DEPENDS peri_embed ${files} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()

# peri_precompile_dialects(NAME): the rules of the embedded dialects (core/script/embedded.h) as an object
# library. The tool that reads them is made of the layers themselves.
function(peri_precompile_dialects name)
  get_property(layers GLOBAL PROPERTY PERI_LAYERS)
  list(REMOVE_ITEM layers peri_host peri_io)
  add_executable(peri_precompile tools/precompile.c)
  target_link_libraries(peri_precompile PRIVATE peri_flags ${layers})
  set(output ${PROJECT_BINARY_DIR}/embedded_rules.c)
  add_custom_command(OUTPUT ${output} COMMAND peri_precompile ${output}
    DEPENDS peri_precompile VERBATIM)
  add_library(${name} OBJECT ${output})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/core)
  target_link_libraries(${name} PRIVATE peri_flags)
endfunction()
