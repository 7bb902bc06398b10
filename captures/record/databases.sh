#!/bin/bash
# Many requests in flight: PostgreSQL, in clear and by TLS, by our own client, whose log is the truth; and by pgbench.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

# sql [STATEMENT]...: at the server, without a capture.
sql() { in_client psql -q -h 10.77.0.2 -U postgres -c "$@"; }

make_network off
make_certificate
postgresql_bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
as_postgres=(setpriv --reuid postgres --regid postgres --clear-groups)
install -d -o postgres "$work_dir/postgresql"
chown postgres "$work_dir/key.pem"
"${as_postgres[@]}" "$postgresql_bin/initdb" -A trust -D "$work_dir/postgresql/data" >"$work_dir/initdb.log"
echo 'host all all 10.77.0.0/24 trust' >>"$work_dir/postgresql/data/pg_hba.conf"
in_background "$server_ns" "${as_postgres[@]}" "$postgresql_bin/postgres" -D "$work_dir/postgresql/data" -k "$work_dir/postgresql" -h 10.77.0.2 \
    2>"$work_dir/postgresql.log"
wait_for_port 5432
sql 'CREATE TABLE t (a int, b text)'
record postgresql 5432 postgresql
in_client pgbench -q -i -h 10.77.0.2 -U postgres postgres 2>"$work_dir/pgbench.log"
cat >"$work_dir/pipeline.sql" <<END
\\startpipeline
SELECT 1;
UPDATE pgbench_branches SET bbalance = 5;
SELECT abalance FROM pgbench_accounts WHERE aid = 7;
\\endpipeline
END
start_capture tcp
for mode in simple extended prepared; do
    in_client pgbench -n -M "$mode" -c 2 -t 15 -h 10.77.0.2 -U postgres postgres >>"$work_dir/pgbench.log"
done
in_client pgbench -n -M prepared -f "$work_dir/pipeline.sql" -c 2 -t 15 -h 10.77.0.2 -U postgres postgres >>"$work_dir/pgbench.log"
keep_capture pgbench
sql "ALTER SYSTEM SET ssl_cert_file = '$work_dir/certificate.pem'" -c "ALTER SYSTEM SET ssl_key_file = '$work_dir/key.pem'" \
    -c 'ALTER SYSTEM SET ssl = on' -c 'SELECT pg_reload_conf()' >"$work_dir/reloaded"
sleep 1
record postgresql 5432 postgresql_tls keys
