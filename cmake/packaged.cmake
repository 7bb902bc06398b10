# SPDX-License-Identifier: GPL-2.0-or-later

# Ends with an error if a package of the system has one of these files: an installation would overwrite it, and uninstalling remove it. A package
# that is being made sets DESTDIR, and is not asked.
function(refuse_packaged)
    if(NOT "$ENV{DESTDIR}" STREQUAL "")
        return()
    endif()
    find_program(DPKG_QUERY dpkg-query)
    find_program(RPM rpm)
    foreach(path IN LISTS ARGN)
        set(package "")
        if(EXISTS "${path}" AND DPKG_QUERY)
            execute_process(COMMAND "${DPKG_QUERY}" -S "${path}" OUTPUT_VARIABLE said ERROR_QUIET)
            string(REGEX MATCH "^[^:\n]+" package "${said}")
        endif()
        if(EXISTS "${path}" AND RPM AND NOT package)
            # Where nothing is installed by rpm it would make a database at home, and may not.
            execute_process(COMMAND "${CMAKE_COMMAND}" -E env HOME=/dev/null "${RPM}" -qf --queryformat "%{NAME}" "${path}" OUTPUT_VARIABLE said RESULT_VARIABLE code ERROR_QUIET)
            if(code EQUAL 0)
                set(package "${said}")
            endif()
        endif()
        if(package)
            message(FATAL_ERROR "${path} is of the package ${package}. Remove that package first, by apt or dnf; nothing has been changed.")
        endif()
    endforeach()
endfunction()
