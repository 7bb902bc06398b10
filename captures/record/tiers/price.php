<?php
/* A second service, of PHP: it asks PostgreSQL and Redis over connections that its worker keeps, and logs as shop.py does.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
/* Returns the address and port that this process has towards a port of a server: libpq does not tell. */
function client_towards(int $port): string {
    $inodes = array_map(fn($name) => @readlink("/proc/self/fd/$name"), scandir('/proc/self/fd'));
    foreach (file('/proc/self/net/tcp') as $line) {
        $words = preg_split('/ +/', trim($line));
        if (count($words) > 9 && substr($words[2], -5) == sprintf(':%04X', $port) && in_array("socket:[$words[9]]", $inodes))
            return implode('.', array_reverse(array_map('hexdec', str_split(substr($words[1], 0, 8), 2)))) . ':' . hexdec(substr($words[1], 9));
    }
    return '';
}

function call(string $what, string $client, callable $ask) {
    $begin = microtime(true);
    $answer = $ask();
    log_call($what, $client, $begin);
    return $answer;
}

function log_call(string $what, string $client, float $begin) {
    $line = ['cause' => $_SERVER['HTTP_X_REQUEST_ID'], 'call' => $what, 'client' => $client,
             'begin_ns' => (int)($begin * 1e9), 'end_ns' => (int)(microtime(true) * 1e9)];
    file_put_contents('TIERS_LOG/price.' . getmypid() . '.jsonl', json_encode($line) . "\n", FILE_APPEND);
}

/* A worker's first request connects to PostgreSQL. Each later one finds that connection, and PHP has it reset within pg_pconnect(). */
function connect_database() {
    $is_new = client_towards(5432) == '';
    $begin = microtime(true);
    $database = pg_pconnect('host=10.77.0.14 user=shop dbname=shop sslmode=disable');
    log_call($is_new ? 'startup' : 'RESET ALL', client_towards(5432), $begin);
    return $database;
}

$item = (int)$_GET['item'];
$database = connect_database();
$price = call('SELECT price FROM page WHERE id = $1', client_towards(5432),
    fn() => pg_fetch_result(pg_query_params($database, 'SELECT price FROM page WHERE id = $1', [$item]), 0, 0));
$store = stream_socket_client('tcp://10.77.0.13:6379', $code, $message, 2, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);
$rate = call('GET', stream_socket_get_name($store, false), function () use ($store) { fwrite($store, "*2\r\n$3\r\nGET\r\n$4\r\nrate\r\n"); fgets($store); return fgets($store); });
echo $price * (float)$rate;
