# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds Wireshark's development files: by its own WiresharkConfig.cmake where it is installed, else (Debian) by pkg-config.
# Defines Wireshark::epan, Wireshark::wsutil, Wireshark_VERSION, Wireshark_PLUGIN_DIR, Wireshark_DATA_DIR.

find_package(Wireshark CONFIG QUIET)
if(TARGET epan)
    # Its wsutil does not say that wsutil's headers include GLib's, nor where its own are.
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(GLIB REQUIRED IMPORTED_TARGET glib-2.0)
    foreach(name epan wsutil)
        add_library(Wireshark::${name} INTERFACE IMPORTED)
        target_include_directories(Wireshark::${name} SYSTEM INTERFACE $<TARGET_PROPERTY:epan,INTERFACE_INCLUDE_DIRECTORIES>)
        target_link_libraries(Wireshark::${name} INTERFACE ${name} PkgConfig::GLIB)
    endforeach()
    set(Wireshark_PLUGIN_DIR ${Wireshark_PLUGIN_INSTALL_DIR})
    set(Wireshark_DATA_DIR ${Wireshark_INSTALL_PREFIX}/share/wireshark)
else()
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(PC_WIRESHARK QUIET wireshark)
    pkg_get_variable(Wireshark_PLUGIN_DIR wireshark plugindir)
    pkg_get_variable(wireshark_prefix wireshark prefix)
    set(Wireshark_DATA_DIR ${wireshark_prefix}/share/wireshark)
    find_library(Wireshark_EPAN_LIBRARY wireshark HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
    find_library(Wireshark_WSUTIL_LIBRARY wsutil HINTS ${PC_WIRESHARK_LIBRARY_DIRS})
    foreach(name epan wsutil)
        string(TOUPPER ${name} upper)
        add_library(Wireshark::${name} INTERFACE IMPORTED)
        target_include_directories(Wireshark::${name} SYSTEM INTERFACE ${PC_WIRESHARK_INCLUDE_DIRS})
        target_link_libraries(Wireshark::${name} INTERFACE ${Wireshark_${upper}_LIBRARY} ${PC_WIRESHARK_LIBRARIES})
    endforeach()
    set(Wireshark_VERSION ${PC_WIRESHARK_VERSION})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Wireshark REQUIRED_VARS Wireshark_PLUGIN_DIR Wireshark_VERSION VERSION_VAR Wireshark_VERSION)
