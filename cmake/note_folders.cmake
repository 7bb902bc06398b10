# SPDX-License-Identifier: GPL-2.0-or-later
#
# Included by an installation before it puts anything there: appends those of FOLDERS that are not there yet, and what leads to them, to the file MADE.
# uninstall.cmake removes these if they are empty then.

foreach(folder IN LISTS FOLDERS)
    set(path "$ENV{DESTDIR}${folder}")
    while(path AND NOT EXISTS "${path}")
        file(APPEND "${MADE}" "${path}\n")
        cmake_path(GET path PARENT_PATH path)
    endwhile()
endforeach()
