# bash completion of kernel-stages
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_kernel_stages() {
    local stages="app app:send app:epoll app:recv app:copy app:recv-ret tx tx:tcp tx:ip tx:post tx:queue tx:driver
        rx rx:gro rx:driver rx:ip rx:local rx:tcp rx:ready"
    local options="-w --write -p --port -P --process -S --stages -m --sample -s --snaplen -c --count -d --duration -u --summary -L --list -v --verbose -V --version -h --help"
    local before=$3 word=$2
    COMPREPLY=()
    # A colon ends a word for bash, a comma does not.
    if [[ ${COMP_LINE:0:COMP_POINT} =~ \ (-S|--stages)[\ =]([^\ ]*)$ ]]; then
        local list=${BASH_REMATCH[2]}
        local done=""
        [[ $list != *,* ]] || done=${list%,*},
        mapfile -t COMPREPLY < <(compgen -P "$done" -W "$stages" -- "${list##*,}")
        # What stands before the last colon is on the line already.
        [[ $list != *:* || $COMP_WORDBREAKS != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${list%:*}:"}")
        compopt -o nospace
        return
    fi
    case $before in
    -P | --process) mapfile -t COMPREPLY < <(compgen -W "$(ps -eo comm= 2>/dev/null)" -- "$word") ;;
    -w | --write)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
        ;;
    -m | --sample) mapfile -t COMPREPLY < <(compgen -W "1/1 1/4 1/16 1/64 1/256" -- "$word") ;;
    -p | --port | -s | --snaplen | -c | --count | -d | --duration | -u | --summary) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    esac
}
complete -F _kernel_stages kernel-stages
