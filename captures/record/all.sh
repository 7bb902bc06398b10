#!/bin/bash
# Records all captures of captures/tcp again. As root; see common.sh for what it touches.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
cd "$(dirname "$0")"
for script in *.sh; do
    case $script in
    all.sh | common.sh | generate.sh | pva.sh | tiers_common.sh) ;; # pva.sh needs pvxs
    *) "./$script" ;;
    esac
done
