# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an installation and uninstall.cmake know of Wireshark's profiles. PROFILE_DIR has a file beside them, .latency-profiles, which says what was
# installed: a line for each file, as sha256sum writes them.

# Sets `result` to the name of the variable for PROFILE/FILE that has its SHA-256 when it was installed.
function(name_sum result path)
    string(MAKE_C_IDENTIFIER "installed_${path}" name)
    set(${result} "${name}" PARENT_SCOPE)
endfunction()

# Sets these variables, and installed_files to all of PROFILE/FILE. Where nothing says what was installed (before 1.0.0 nothing did), it must have been as
# it is in the folder `originals`.
macro(read_installed profile_dir originals)
    set(installed_files "")
    if(EXISTS "${profile_dir}/.latency-profiles")
        file(STRINGS "${profile_dir}/.latency-profiles" lines)
    else()
        set(lines "")
        file(GLOB_RECURSE paths RELATIVE "${originals}" "${originals}/*")
        foreach(path IN LISTS paths)
            file(SHA256 "${originals}/${path}" sum)
            list(APPEND lines "${sum}  ${path}")
        endforeach()
    endif()
    foreach(line IN LISTS lines)
        if(line MATCHES "^([0-9a-f]+)  (.+)$")
            set(sum "${CMAKE_MATCH_1}")
            set(path "${CMAKE_MATCH_2}")
            name_sum(variable "${path}")
            set(${variable} "${sum}")
            list(APPEND installed_files "${path}")
        endif()
    endforeach()
endmacro()

# Sets `result` to whether the file `path` of PROFILE_DIR is as it was installed.
function(is_as_installed result profile_dir path)
    set(${result} FALSE PARENT_SCOPE)
    name_sum(variable "${path}")
    if(EXISTS "${profile_dir}/${path}" AND DEFINED ${variable})
        file(SHA256 "${profile_dir}/${path}" sum)
        if(sum STREQUAL "${${variable}}")
            set(${result} TRUE PARENT_SCOPE)
        endif()
    endif()
endfunction()
