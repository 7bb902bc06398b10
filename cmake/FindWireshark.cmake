# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds Wireshark's development files: by its own WiresharkConfig.cmake where it is installed, else (Debian) by pkg-config.
# Defines Wireshark::epan, Wireshark::wiretap, Wireshark::wsutil, Wireshark_VERSION, Wireshark_PLUGIN_DIR, Wireshark_EXTCAP_DIR (everybody's),
# Wireshark_DATA_DIR, Wireshark_WIRETAP_LIBRARY (a file).

find_package(Wireshark CONFIG QUIET)
if(TARGET epan)
    # Its wsutil does not say that wsutil's headers include GLib's, nor where its own are.
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(GLIB REQUIRED IMPORTED_TARGET glib-2.0)
    foreach(name epan wiretap wsutil)
        add_library(Wireshark::${name} INTERFACE IMPORTED)
        target_include_directories(Wireshark::${name} SYSTEM INTERFACE $<TARGET_PROPERTY:epan,INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(Wireshark::${name} INTERFACE ${name} PkgConfig::GLIB)
    endforeach()
    get_target_property(Wireshark_WIRETAP_LIBRARY wiretap LOCATION)
    set(Wireshark_PLUGIN_DIR ${Wireshark_PLUGIN_INSTALL_DIR})
    set(wireshark_prefix ${Wireshark_INSTALL_PREFIX})
else()
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(PC_WIRESHARK QUIET wireshark)
    pkg_get_variable(Wireshark_PLUGIN_DIR wireshark plugindir)
    pkg_get_variable(wireshark_prefix wireshark prefix)
    find_library(Wireshark_EPAN_LIBRARY wireshark HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
    find_library(Wireshark_WIRETAP_LIBRARY wiretap HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
    find_library(Wireshark_WSUTIL_LIBRARY wsutil HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
    foreach(name epan wiretap wsutil)
        string(TOUPPER ${name} upper)
        add_library(Wireshark::${name} INTERFACE IMPORTED)
        target_include_directories(Wireshark::${name} SYSTEM INTERFACE ${PC_WIRESHARK_INCLUDE_DIRS})
        target_link_libraries(Wireshark::${name} INTERFACE ${Wireshark_${upper}_LIBRARY} ${PC_WIRESHARK_LIBRARIES})
    endforeach()
    set(Wireshark_VERSION ${PC_WIRESHARK_VERSION})
    # Some packages lack a header that another one includes: `header` gets `text`, of which nothing here needs more.
    function(supply includer header text)
        foreach(folder ${PC_WIRESHARK_INCLUDE_DIRS})
            cmake_path(GET includer PARENT_PATH beside)
            if(NOT EXISTS ${folder}/${includer} OR EXISTS ${folder}/${beside}/${header})
                continue()
            endif()
            file(STRINGS ${folder}/${includer} included REGEX "#include.*${header}")
            if(included)
                file(WRITE ${CMAKE_BINARY_DIR}/lacking/${header} "${text}\n")
                target_include_directories(Wireshark::epan SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/lacking)
            endif()
        endforeach()
    endfunction()
    supply(epan/dfilter/dfilter.h dfilter-loc.h "typedef struct { long col_start; size_t col_len; } df_loc_t;") # 4.2 of Ubuntu 24.04
    supply(epan/dissectors/packet-ip.h packet-ipv6.h "struct ws_ip6_rthdr { int unused; };")                   # 4.4.5 of Ubuntu 25.04
endif()
set(Wireshark_DATA_DIR ${wireshark_prefix}/share/wireshark)

# No file says where extcap programs are looked for. tshark does, if it is the one that is built for; else its version does.
find_program(TSHARK NAMES tshark)
set(wireshark_folders "")
if(TSHARK)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=WIRESHARK_EXTCAP_DIR --unset=WIRESHARK_PLUGIN_DIR ${TSHARK} -G folders
        OUTPUT_VARIABLE wireshark_folders ERROR_QUIET)
endif()
string(REGEX MATCH "Global Plugins:[ \t]+([^\n]+)" line "${wireshark_folders}")
if(line AND CMAKE_MATCH_1 STREQUAL Wireshark_PLUGIN_DIR AND "\n${wireshark_folders}" MATCHES "\n(Global )?Extcap path:[ \t]+([^\n]+)")
    set(Wireshark_EXTCAP_DIR "${CMAKE_MATCH_2}")
elseif(Wireshark_VERSION VERSION_LESS 4.6)
    cmake_path(SET Wireshark_EXTCAP_DIR NORMALIZE "${Wireshark_PLUGIN_DIR}/../../extcap")
else()
    set(Wireshark_EXTCAP_DIR ${wireshark_prefix}/libexec/wireshark/extcap)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wireshark REQUIRED_VARS Wireshark_PLUGIN_DIR Wireshark_VERSION VERSION_VAR Wireshark_VERSION)
