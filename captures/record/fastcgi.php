<?php
// What php-fpm does for fastcgi_words.py: SPDX-License-Identifier: GPL-2.0-or-later
switch (basename($_SERVER['SCRIPT_NAME'], '.php')) {
case 'small':
    echo 'small';
    break;
case 'large':
    echo str_repeat("latency\n", 1200);
    break;
case 'slow':
    usleep(4000);
    echo 'slow';
    break;
case 'warns':
    error_log('a line for the web server');
    echo strlen(file_get_contents('php://input'));
    break;
case 'flushes':
    echo 'first';
    flush();
    usleep(2000);
    echo "\nStatus: 999 that is no field\n";
    break;
case 'absent':
    http_response_code(404);
    echo 'not here';
    break;
case 'fails':
    http_response_code(500);
    break;
case 'moves':
    header('Location: /elsewhere');
    break;
case 'throws':
    throw new Exception('thrown');
}
