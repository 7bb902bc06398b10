# SPDX-License-Identifier: GPL-2.0-or-later
#
# Removes what an installation has put there, and says so: `cmake --build build/release --target uninstall`.
# CMakeLists.txt gives FILES, of which some may not be there, a PATTERN of more, LINK and what it leads to, PROFILES in PROFILE_DIR and the folder of ORIGINALS that they were
# copied from.
# DESTDIR counts.
# It goes by the places and not by install_manifest.txt, which knows the last installation only: of one user, or of the system.

function(remove path)
    file(REMOVE_RECURSE "${path}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
        message(FATAL_ERROR "${path} cannot be removed: uninstall as who installed it, root perhaps.")
    endif()
    message(STATUS "Removed: ${path}")
endfunction()

# Wireshark writes `recent` by itself whenever it ends.
function(find_change result profile original)
    set(${result} "" PARENT_SCOPE)
    file(GLOB names RELATIVE "${profile}" "${profile}/*")
    list(REMOVE_ITEM names recent)
    foreach(name IN LISTS names)
        if(NOT EXISTS "${original}/${name}")
            set(${result} "${name}" PARENT_SCOPE)
            continue()
        endif()
        file(SHA256 "${profile}/${name}" here)
        file(SHA256 "${original}/${name}" there)
        if(NOT here STREQUAL there)
            set(${result} "${name}" PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

foreach(file IN LISTS FILES)
    set(path "$ENV{DESTDIR}${file}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
        remove("${path}")
    endif()
endforeach()
file(GLOB paths "$ENV{DESTDIR}${PATTERN}")
foreach(path IN LISTS paths)
    remove("${path}")
endforeach()

set(link "$ENV{DESTDIR}${LINK}")
if(IS_SYMLINK "${link}")
    file(READ_SYMLINK "${link}" target)
    if(target STREQUAL LINK_TARGET)
        remove("${link}")
    endif()
endif()

foreach(name IN LISTS PROFILES)
    set(profile "$ENV{DESTDIR}${PROFILE_DIR}/${name}")
    if(NOT IS_DIRECTORY "${profile}")
        continue()
    endif()
    find_change(change "${profile}" "${ORIGINALS}/${name}")
    if(change)
        message(STATUS "Kept: ${profile}: ${change} is not as it was installed. To remove it: rm -r '${profile}'")
    else()
        remove("${profile}")
    endif()
endforeach()
