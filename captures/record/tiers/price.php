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
    log_call($what, $client, $begin, microtime(true));
    return $answer;
}

function log_call(string $what, string $client, float $begin, float $end) {
    $line = ['cause' => $_SERVER['HTTP_X_REQUEST_ID'], 'call' => $what, 'client' => $client,
             'begin_ns' => (int)($begin * 1e9), 'end_ns' => (int)($end * 1e9)];
    file_put_contents('TIERS_LOG/price.' . getmypid() . '.jsonl', json_encode($line) . "\n", FILE_APPEND);
}

/* Returns the connection to PostgreSQL and the address and port that it is made from, which are kept in a file, for looking for them takes long. A
 * worker's first request connects. Each later one finds that connection, and PHP has it reset within pg_pconnect(). */
function connect_database(): array {
    $known = 'TIERS_LOG/price.' . getmypid() . '.client';
    $is_new = !file_exists($known);
    $begin = microtime(true);
    $database = pg_pconnect('host=10.77.0.14 user=shop dbname=shop sslmode=disable');
    $end = microtime(true);
    if ($is_new)
        file_put_contents($known, client_towards(5432));
    $client = file_get_contents($known);
    log_call($is_new ? 'startup' : 'RESET ALL', $client, $begin, $end);
    return [$database, $client];
}

$item = (int)$_GET['item'];
[$database, $client] = connect_database();
$price = call('SELECT price FROM page WHERE id = $1', $client,
    fn() => pg_fetch_result(pg_query_params($database, 'SELECT price FROM page WHERE id = $1', [$item]), 0, 0));
$store = stream_socket_client('tcp://10.77.0.13:6379', $code, $message, 2, STREAM_CLIENT_CONNECT | STREAM_CLIENT_PERSISTENT);
$rate = call('GET', stream_socket_get_name($store, false), function () use ($store) { fwrite($store, "*2\r\n$3\r\nGET\r\n$4\r\nrate\r\n"); fgets($store); return fgets($store); });
echo $price * (float)$rate;
