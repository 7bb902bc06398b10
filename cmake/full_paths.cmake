# SPDX-License-Identifier: GPL-2.0-or-later

# Sets `variable` to the paths, of which those that are relative are below the prefix.
function(full_paths variable prefix paths)
    set(full "")
    foreach(path IN LISTS paths)
        cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY "${prefix}")
        list(APPEND full "${path}")
    endforeach()
    set(${variable} "${full}" PARENT_SCOPE)
endfunction()
