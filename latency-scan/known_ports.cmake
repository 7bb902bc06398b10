# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DTSHARK=… -DVERSION=… -DOUTPUT=… -P known_ports.cmake
# Writes the TCP ports for which Wireshark VERSION has a dissector, as tshark says. If there is no tshark of that version, as where
# another system is built for, that is said, and no port is known.

set(ports "")
# No user's plugins and settings.
set(asked ${CMAKE_COMMAND} -E env --unset=WIRESHARK_PLUGIN_DIR --unset=WIRESHARK_CONFIG_DIR --unset=XDG_CONFIG_HOME HOME=/nonexistent ${TSHARK})
if(TSHARK)
    execute_process(COMMAND ${asked} --version OUTPUT_VARIABLE version ERROR_QUIET)
    execute_process(COMMAND ${asked} -G decodes OUTPUT_VARIABLE decodes ERROR_QUIET)
endif()
if("${version}" MATCHES "^TShark [^\n]* ([0-9]+\\.[0-9]+\\.[0-9]+)" AND CMAKE_MATCH_1 STREQUAL VERSION)
    # Those of this plugin, if it is installed for everybody, are preferences of latency-scan.
    string(REGEX REPLACE "\ntcp\\.port\t[0-9]+\t(ca|pva)\n" "\n" decodes "\n${decodes}")
    string(REGEX MATCHALL "\ntcp\\.port\t[0-9]+" ports "${decodes}")
    list(TRANSFORM ports REPLACE "\ntcp\\.port\t" "")
    list(SORT ports COMPARE NATURAL)
    list(REMOVE_DUPLICATES ports)
endif()
if(NOT ports)
    set(none "0")
    message(WARNING "There is no tshark ${VERSION} to say which ports Wireshark knows: of a connection whose start was not captured, latency-scan takes the "
        "lower port for the server's.")
endif()
list(LENGTH ports count)
list(JOIN ports ",\n    " ports)
file(WRITE ${OUTPUT} "/* Made by known_ports.cmake, of Wireshark ${VERSION}. */\n#include \"known_ports.h\"\n
const uint16_t known_ports[] = {\n    ${ports}${none}\n};\nconst unsigned n_known_ports = ${count};\n")
