# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is installed into the places that places.cmake has set, but for what the programs' folders install themselves; and the target `uninstall`. Included before those
# folders: what it asks and notes is asked and noted before anything is installed.

set(installed_files "${man_dir}/man7/latency.7")
foreach(dir IN LISTS extcap_dirs)
    list(APPEND installed_files "${dir}/kernel-stages")
endforeach()
foreach(program latency-merge latency-scan latency-report latency-export)
    list(APPEND installed_files "${program_dir}/${program}")
endforeach()
foreach(program latency-merge latency-scan latency-report latency-export kernel-stages)
    list(APPEND installed_files "${man_dir}/man1/${program}.1" "${completion_dir}/${program}")
endforeach()
set(installed_folders "${man_dir}/man1" "${man_dir}/man7" "${program_dir}" "${completion_dir}" "${extcap_dir}")
set(profiles "")
if(LATENCY_PLUGIN)
    list(PREPEND installed_files "${plugin_dir}/epan/latency.so")
    list(APPEND installed_folders "${plugin_dir}/epan" "${profile_dir}")
    set(profiles "Latency" "Latency in the host" "EPICS")
endif()
list(TRANSFORM profiles REPLACE "^(.+)$" "${profile_dir}/\\1/preferences" OUTPUT_VARIABLE profile_files)

# Before anything is installed. Without a prefix Wireshark's own places are meant, and programs that lead there; with one all is below it, wherever --prefix is.
if(NOT has_prefix)
    install(CODE "
        if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\")
            message(FATAL_ERROR \"--prefix cannot be honoured: this was configured for Wireshark's own folders, ${plugin_dir} and ${profile_dir}. \"
                \"Configure with -DLATENCY_INSTALL=system -DCMAKE_INSTALL_PREFIX=DIR to have everything below DIR; a package sets DESTDIR.\")
        endif()")
endif()
set(made_folders "${CMAKE_BINARY_DIR}/made_folders")
install(CODE "
    include(\"${CMAKE_SOURCE_DIR}/cmake/packaged.cmake\")
    include(\"${CMAKE_SOURCE_DIR}/cmake/full_paths.cmake\")
    full_paths(files \"\${CMAKE_INSTALL_PREFIX}\" \"${installed_files};${profile_files}\")
    refuse_packaged(\"\${files}\")
    full_paths(FOLDERS \"\${CMAKE_INSTALL_PREFIX}\" \"${installed_folders}\")
    set(MADE \"${made_folders}\")
    include(\"${CMAKE_SOURCE_DIR}/cmake/note_folders.cmake\")")
install(FILES plugin/latency.7 DESTINATION "${man_dir}/man7")
if(LATENCY_PLUGIN)
    install(TARGETS latency LIBRARY DESTINATION "${plugin_dir}/epan" NAMELINK_SKIP)
endif()
# As this Wireshark knows them: 4.0 complains of a preference that it has not. A profile is the user's to change.
foreach(profile IN LISTS profiles)
    foreach(file preferences recent colorfilters dfilter_buttons io_graphs plots)
        configure_file("profiles/${profile}/${file}" "${CMAKE_BINARY_DIR}/profiles/${profile}/${file}" COPYONLY)
    endforeach()
    if(Wireshark_VERSION VERSION_GREATER_EQUAL 4.4)
        file(READ cmake/profile-4.4-preferences preferences)
        file(APPEND "${CMAKE_BINARY_DIR}/profiles/${profile}/preferences" "${preferences}")
    endif()
endforeach()
if(LATENCY_PLUGIN)
    install(CODE "
        set(PROFILES \"${profiles}\")
        set(PROFILE_DIR \"${profile_dir}\")
        cmake_path(ABSOLUTE_PATH PROFILE_DIR BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
        set(ORIGINALS \"${CMAKE_BINARY_DIR}/profiles\")
        include(\"${CMAKE_SOURCE_DIR}/cmake/install_profiles.cmake\")")
endif()

# Where it was configured to go. The pattern: a plugin for another minor version of Wireshark, which was there before.
include(cmake/full_paths.cmake)
full_paths(full_files "${CMAKE_INSTALL_PREFIX}" "${installed_files}")
foreach(each program extcap profile)
    set(full_${each}_dir "${${each}_dir}")
    cmake_path(ABSOLUTE_PATH full_${each}_dir BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}")
endforeach()
cmake_path(SET plugin_pattern NORMALIZE "${full_plugin_dir}/../*/epan/latency.so")
# What `kernel-stages` among the programs leads to; below a prefix, which can be moved, by a relative path.
set(extcap_link "${extcap_dir}/kernel-stages")
if(has_prefix)
    cmake_path(SET extcap_link "${full_extcap_dir}/kernel-stages")
    cmake_path(RELATIVE_PATH extcap_link BASE_DIRECTORY "${full_program_dir}")
endif()
file(WRITE "${CMAKE_BINARY_DIR}/uninstall_places.cmake" "# What cmake/uninstall.cmake goes by.
set(FILES \"${full_files}\")
set(PATTERN \"${plugin_pattern}\")
set(LINK \"${full_program_dir}/kernel-stages\")
set(LINK_TARGET \"${extcap_link}\")
set(PROFILES \"${profiles}\")
set(PROFILE_DIR \"${full_profile_dir}\")
set(ORIGINALS \"${CMAKE_BINARY_DIR}/profiles\")
set(MADE \"${made_folders}\")
set(WHOSE ${LATENCY_INSTALL})
")
add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} "-DPLACES=${CMAKE_BINARY_DIR}/uninstall_places.cmake" -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Uninstalling" USES_TERMINAL VERBATIM)
