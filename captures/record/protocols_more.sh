#!/bin/bash
# Protocols that Wireshark pairs: RADIUS of FreeRADIUS, SMB2 of Samba, NFSv3 of NFS-Ganesha with their clients; captures/protocols/radius, smb2, nfs.
# How often they asked is said in tests/cases/protocols_more.py, which reads the bytes.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../protocols

make_network off
chmod a+rx "$work_dir"

# RADIUS: logins that are right, wrong, and of a client whose secret is another one (unanswered), and accounting.
mkdir -p "$work_dir/raddb"
cat >"$work_dir/raddb/radiusd.conf" <<END
name = radiusd
logdir = $work_dir
raddbdir = $work_dir/raddb
pidfile = $work_dir/radiusd.pid
security {
    reject_delay = 0
}
client made {
    ipaddr = 10.77.0.0/24
    secret = made
}
modules {
    pap {
    }
    files {
        usersfile = $work_dir/raddb/users
    }
    always ok {
        rcode = ok
    }
}
server default {
    listen {
        type = auth
        ipaddr = 10.77.0.2
        port = 1812
    }
    listen {
        type = acct
        ipaddr = 10.77.0.2
        port = 1813
    }
    authorize {
        files
        pap
    }
    authenticate {
        Auth-Type PAP {
            pap
        }
    }
    accounting {
        ok
    }
}
END
echo 'user Cleartext-Password := "right"' >"$work_dir/raddb/users"
in_background "$server_ns" freeradius -f -d "$work_dir/raddb" -l "$work_dir/radiusd.log"
sleep 2
start_capture udp
# radius SECRET NAME PASSWORD
radius() { echo "User-Name=$2,User-Password=$3" | in_client radclient -r 2 -t 1 10.77.0.2:1812 auth "$1" >"$work_dir/radclient" 2>&1 || true; }
for _ in $(seq 12); do radius made user right; done
for _ in $(seq 5); do radius made user wrong; done
for i in $(seq 4); do
    echo "User-Name=user,Acct-Session-Id=$i,Acct-Status-Type=Start" | in_client radclient -r 1 10.77.0.2:1813 acct made >"$work_dir/radclient" 2>&1
done
kill "${pids[-1]}"
sleep 0.5
radius made user right
keep_capture radius

# SMB2: listing, writing, reading, and files that are not there.
mkdir -p "$work_dir/share" "$work_dir/samba"
chmod 777 "$work_dir/share"
head -c 300000 /dev/zero >"$work_dir/share/large"
cat >"$work_dir/smb.conf" <<END
[global]
    server role = standalone server
    map to guest = Bad User
    guest account = nobody
    bind interfaces only = yes
    interfaces = 10.77.0.2/24
    disable netbios = yes
    smb ports = 445
    lock directory = $work_dir/samba
    state directory = $work_dir/samba
    cache directory = $work_dir/samba
    private dir = $work_dir/samba
    pid directory = $work_dir/samba
    ncalrpc dir = $work_dir/samba/ncalrpc
    log file = $work_dir/smbd.log
[share]
    path = $work_dir/share
    guest ok = yes
    read only = no
END
in_background "$server_ns" smbd --foreground --no-process-group --configfile "$work_dir/smb.conf"
wait_for_port 445
start_capture tcp
# smb COMMANDS: of a session
smb() { in_client smbclient -s "$work_dir/smb.conf" -N -m SMB3 //10.77.0.2/share -c "$1" >"$work_dir/smbclient" 2>&1 || true; }
smb 'ls; get large /dev/null; put /etc/services copy; ls; del copy'
smb 'get absent /dev/null; cd nowhere; ls'
keep_capture smb2

# NFSv3: listing, reading, a file that is not there.
mkdir -p "$work_dir/export" "$work_dir/ganesha"
head -c 300000 /dev/zero >"$work_dir/export/large"
echo small >"$work_dir/export/small"
cat >"$work_dir/ganesha.conf" <<END
NFS_CORE_PARAM { Protocols = 3; Enable_NLM = false; Enable_RQUOTA = false; Bind_addr = 10.77.0.2; }
EXPORT { Export_Id = 1; Path = $work_dir/export; Pseudo = /export; Access_Type = RW; Squash = none; SecType = sys; Protocols = 3; FSAL { Name = VFS; } }
END
in_background "$server_ns" rpcbind -f -w
sleep 1
in_background "$server_ns" ganesha.nfsd -F -L "$work_dir/ganesha.log" -f "$work_dir/ganesha.conf" -p "$work_dir/ganesha.pid"
wait_for_port 2049
sleep 2
start_capture tcp
in_client nfs-ls "nfs://10.77.0.2$work_dir/export" >"$work_dir/nfs"
for _ in $(seq 3); do in_client nfs-cat "nfs://10.77.0.2$work_dir/export/small" >"$work_dir/nfs"; done
in_client nfs-cat "nfs://10.77.0.2$work_dir/export/large" >"$work_dir/nfs"
expect_failure in_client nfs-cat "nfs://10.77.0.2$work_dir/export/absent" >"$work_dir/nfs"
keep_capture nfs
