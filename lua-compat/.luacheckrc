-- What Wireshark gives to a script.
std = "lua52"
max_line_length = 120
globals = { "latency_lua" }
read_globals = {
    "Address", "Dissector", "DissectorTable", "Field", "Listener", "NSTime", "Pref", "Proto", "ProtoExpert", "ProtoField", "Struct",
    "TextWindow", "UInt64", "base", "expert", "frametype", "gui_enabled", "register_menu", "register_postdissector",
    "report_failure", "retap_packets", "set_plugin_info", "MENU_TOOLS_UNSORTED",
}
