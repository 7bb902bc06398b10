#!/bin/bash
# Many requests in flight: MariaDB, in clear and by TLS, by our own client, whose log is the truth; and compressed, by MariaDB's.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

# sql: statements of the input, at the server, without a capture.
sql() { in_server mariadb --no-defaults -u root -S "$work_dir/mysql.sock"; }

make_network off
make_certificate
mkdir "$work_dir/mysql"
chown mysql "$work_dir/mysql" "$work_dir/key.pem"
chmod a+rwx "$work_dir"
mariadb-install-db --no-defaults --user=mysql --datadir="$work_dir/mysql" --skip-test-db >"$work_dir/install.log"
in_background "$server_ns" mariadbd --no-defaults --user=mysql --datadir="$work_dir/mysql" --socket="$work_dir/mysql.sock" --bind-address=10.77.0.2 \
    --local-infile=1 --ssl-cert="$work_dir/certificate.pem" --ssl-key="$work_dir/key.pem" 2>"$work_dir/mysql.log"
wait_for_port 3306
sql <<'END'
CREATE DATABASE test;
USE test;
CREATE TABLE t (a int, b text);
DELIMITER |
CREATE PROCEDURE several() BEGIN SELECT 1; SELECT a FROM t LIMIT 3; END |
DELIMITER ;
CREATE USER recorded IDENTIFIED VIA mysql_native_password USING PASSWORD('secret');
GRANT ALL ON test.* TO recorded;
END
record mysql 3306 mysql
start_capture tcp
for _ in 1 2 3; do
    in_client mariadb --no-defaults --skip-ssl --compress -h 10.77.0.2 -u recorded -psecret test -e "SELECT 1; SELECT repeat('x', 3000); INSERT INTO t VALUES (1, 'y')" >"$work_dir/output"
done
keep_capture mysql_compressed
record mysql 3306 mysql_tls keys
